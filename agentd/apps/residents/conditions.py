"""What a letter asks of the register's values before it is begun, as its tool declares it. Pure; it asks no register.

A tool's `_meta` `agentd/conditions` is a list of {of, only?, never?, differs?, says: {language: sentence}}: `of` and
`differs` are sources of fields (`resident.status_perkawinan`, `family.nik`). What the register doesn't hold is not
judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from agentd.apps.residents.register import Resident
from agentd.errors import Language
from agentd.messages import ToolInfo

CONDITIONS = "agentd/conditions"
RESIDENT, MEMBER = "resident", "family"
"""Whose values: those of who is verified, and of the member of their card whom they choose."""


@dataclass(frozen=True, slots=True)
class Unmet:
    """A condition that a value of the register doesn't meet."""

    says: dict[str, str]
    value: str = field(repr=False)

    def words(self, language: Language) -> str:
        """For the citizen."""
        sentence = self.says.get(language) or next(iter(self.says.values()), "")
        return sentence.replace("{value}", self.value)


class ConditionUnmet(Exception):
    """The register's values don't allow this letter."""

    def __init__(self, unmet: Unmet) -> None:
        self.unmet = unmet
        super().__init__()


def unmet(tool: ToolInfo, resident: Resident, member: Resident | None = None) -> Unmet | None:
    """The first condition that isn't met; without a member those that speak of one are left out."""
    return next(_unmet(tool, resident, member), None)


def value_of(source: str, resident: Resident, member: Resident | None) -> str | None:
    """What the register holds under a field's source: `resident.KEY`, `family` (the name), `family.KEY`."""
    whose, _, key = source.partition(".")
    if whose == MEMBER:
        return None if member is None else member.get(key or "nama")
    return resident.get(key)


def _unmet(tool: ToolInfo, resident: Resident, member: Resident | None) -> Iterator[Unmet]:
    for one in tool.meta.get(CONDITIONS) or ():
        value = value_of(one["of"], resident, member)
        if value is not None and not _holds(one, value, resident, member):
            yield Unmet(one["says"], value)


def _holds(one: dict[str, Any], value: str, resident: Resident, member: Resident | None) -> bool:
    other = value_of(one["differs"], resident, member) if one.get("differs") else None
    return value in (one.get("only") or (value,)) and value not in (one.get("never") or ()) and value != other
