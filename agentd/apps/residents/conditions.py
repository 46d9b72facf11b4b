"""Conditions that a letter's tool declares on the register's values, checked before it is begun. Pure.

A tool's `_meta` `agentd/conditions` is a list of {of, only?, never?, differs?, says: {language: sentence}}: `of` and
`differs` are sources of fields (`resident.status_perkawinan`, `family.nik`), or `family.anak_pemohon`: whether the
register names the resident as a parent of that member ("ya", "tidak"). What the register doesn't hold is not judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agentd.agent.text import fold
from agentd.apps.residents.register import Resident
from agentd.errors import Language
from agentd.messages import ToolInfo

CONDITIONS = "agentd/conditions"
RESIDENT, MEMBER, CHILD = "resident", "family", "anak_pemohon"
"""Sources of values: the verified resident, and the family member they choose; CHILD is computed."""


@dataclass(frozen=True, slots=True)
class Unmet:
    """A condition that a value in the register doesn't meet."""

    says: dict[str, str]
    value: str = field(repr=False)

    def words(self, language: Language) -> str:
        """The sentence for the citizen."""
        sentence = self.says.get(language) or next(iter(self.says.values()), "")
        return sentence.replace("{value}", self.value)


class ConditionUnmet(Exception):
    """The register's values don't allow this letter."""

    def __init__(self, unmet: Unmet) -> None:
        self.unmet = unmet
        super().__init__()


def unmet(tool: ToolInfo, resident: Resident, member: Resident | None = None) -> Unmet | None:
    """The first condition that isn't met; conditions on a family member are skipped if no member is given."""
    for one in tool.meta.get(CONDITIONS) or ():
        value = value_of(one["of"], resident, member)
        if value is not None and not _holds(one, value, resident, member):
            return Unmet(one["says"], value)
    return None


def value_of(source: str, resident: Resident, member: Resident | None) -> str | None:
    """The register's value for a field's source: `resident.KEY`, `family` (the name) or `family.KEY`."""
    whose, _, key = source.partition(".")
    if whose == MEMBER:
        if member is not None and key == CHILD:
            return _is_child(member, resident)
        return None if member is None else member.get(key or "nama")
    return resident.get(key)


def _is_child(member: Resident, resident: Resident) -> str | None:
    """`ya` or `tidak`: whether the register names the resident as the member's parent, by NIK or, without one, by name.

    None if the register doesn't name both parents and the resident is not the one it names.
    """
    parents = [(member.get(f"nik_{parent}"), member.get(f"nama_{parent}")) for parent in ("ayah", "ibu")]
    for nik, name in parents:
        if nik == resident["nik"] or (nik is None and name is not None and fold(name) == fold(resident["nama"] or "")):
            return "ya"
    return "tidak" if all(nik or name for nik, name in parents) else None


def _holds(one: dict[str, Any], value: str, resident: Resident, member: Resident | None) -> bool:
    other = value_of(one["differs"], resident, member) if one.get("differs") else None
    return value in (one.get("only") or (value,)) and value not in (one.get("never") or ()) and value != other
