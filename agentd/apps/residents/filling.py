"""Which fields of a form the register fills in and which the citizen must say. Pure; it asks and keeps nothing.

A field's schema states its source (`x-agentd-source`): `resident.KEY` of the verified resident; `family`, the name of
a member of their card, which the citizen says; `family.KEY` of that member.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agentd.agent.approval import DECLARES, Level
from agentd.apps.residents.conditions import MEMBER, ConditionUnmet, unmet, value_of
from agentd.apps.residents.family import meant, question, spoken
from agentd.apps.residents.register import NIK, Resident
from agentd.apps.residents.replies import replies
from agentd.errors import Language
from agentd.messages import Json, Source, ToolInfo

SOURCE = "x-agentd-source"


@dataclass(frozen=True, slots=True)
class Known:
    """The verified resident, the assurance level, and the members of the family card, including the resident."""

    level: Level
    resident: Resident = field(repr=False)
    family: tuple[Resident, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Filling:
    """All arguments, the source of each, and the assurance level of the call."""

    arguments: dict[str, Json]
    sources: dict[str, Source]
    level: Level


class WhichMember(Exception):
    """No member, or several, fit the name in this field; the message asks the citizen."""

    def __init__(self, name: str, message: str) -> None:
        self.field = name
        super().__init__(message)


def offered(tool: ToolInfo, known: Known) -> ToolInfo:
    """The tool as a verified session's model sees it: without the fields that the register fills in.

    If the register doesn't meet the tool's conditions, no field is left: the model calls it, and it is refused.
    """
    properties, needed = _fields(tool.input_schema)
    left = (
        {}
        if unmet(tool, known.resident)
        else {
            name: rule
            for name, rule in properties.items()
            if (source := _source(rule)) is None or _is_open(source, name in needed, known)
        }
    )
    if left.keys() == properties.keys():
        return tool
    required = [name for name in needed if name in left and not str(_source(left[name])).startswith(f"{MEMBER}.")]
    schema = {**tool.input_schema, "properties": left, "required": required}
    return tool.model_copy(update={"input_schema": schema, "whole_schema": tool.input_schema})


def whole(tool: ToolInfo) -> ToolInfo:
    """The tool with the complete schema of its server."""
    if tool.whole_schema is None:
        return tool
    return tool.model_copy(update={"input_schema": tool.whole_schema, "whole_schema": None})


def stated(schema: Mapping[str, Json], arguments: Mapping[str, Json], by: Source) -> Filling:
    """Arguments as somebody stated them themselves, at the level `declared`."""
    properties, _ = _fields(schema)
    sources = _defaults(schema, arguments) | {name: by for name in arguments if name in properties}
    return Filling(dict(arguments), sources, "declared")


def filled(
    tool: ToolInfo, arguments: Mapping[str, Json], known: Known, messages: Sequence[str], language: Language
) -> Filling:
    """The arguments overwritten with the register's values. Raises WhichMember, ConditionUnmet.

    A required value that the register lacks may come from the citizen. Then, or if the letter states what no register
    knows, the level is `declared`.
    """
    if why := unmet(tool, known.resident):
        raise ConditionUnmet(why)
    properties, needed = _fields(tool.input_schema)
    filling = stated(tool.input_schema, arguments, "citizen")
    member = _member(properties, arguments, known, messages, language)
    if why := unmet(tool, known.resident, member):
        raise ConditionUnmet(why)
    for name, rule in properties.items():
        source = _source(rule)
        if source is None:
            continue
        value = value_of(source, known.resident, member)
        if value is not None:
            filling.arguments[name] = value
            filling.sources[name] = "register"
        elif name in needed and name in filling.arguments:
            filling = replace(filling, level="declared")
            filling.sources[name] = "citizen"
        else:
            filling.arguments.pop(name, None)
            filling.sources.pop(name, None)
    fell = any(
        filling.sources.get(name) == "citizen" and _source(properties[name]) is not None for name in filling.arguments
    )
    return filling if fell or tool.meta.get(DECLARES) else replace(filling, level=known.level)


def still_held(
    tool: ToolInfo, arguments: Mapping[str, Json], registered: Collection[str], nik: str, family: Sequence[Resident]
) -> bool:
    """Whether this family card still has the `registered` arguments, of the resident with this NIK and one member.

    Raises ConditionUnmet.
    """
    resident = of_nik(family, nik)
    if resident is None:
        return False
    if why := unmet(tool, resident):
        raise ConditionUnmet(why)
    properties, _ = _fields(tool.input_schema)
    sources = {name: source for name in registered if (source := _source(properties.get(name)))}
    return any(
        all(value_of(source, resident, member) == arguments.get(name) for name, source in sources.items())
        for member in family
    )


def of_nik(family: Sequence[Resident], nik: str) -> Resident | None:
    """The member of a family card with this NIK."""
    return next((one for one in family if one["nik"] == nik), None)


def named_nik(schema: Mapping[str, Json], arguments: Mapping[str, Json]) -> str | None:
    """The NIK of the form's applicant; None if it has none of 16 digits."""
    niks = (
        unspaced(arguments.get(name)) for name, rule in _fields(schema)[0].items() if _source(rule) == "resident.nik"
    )
    return next((nik for nik in niks if NIK.fullmatch(nik)), None)


def unspaced(number: Json) -> str:
    """A number without the blanks, dots and hyphens that people write in it, as the letters' server reads it."""
    return re.sub(r"[\s.\-]", "", str(number or ""))


def _member(
    properties: Mapping[str, Json],
    arguments: Mapping[str, Json],
    known: Known,
    messages: Sequence[str],
    language: Language,
) -> Resident | None:
    """The member whom the citizen named; None if the form has no such field or it is empty. Raises WhichMember."""
    field_name = next((name for name, rule in properties.items() if _source(rule) == MEMBER), None)
    name = str(arguments.get(field_name or "") or "").strip()
    if field_name is None or not name:
        return None
    if not spoken(name, messages):
        raise WhichMember(field_name, replies()[language].who)
    found = meant(name, known.family, messages)
    if len(found) != 1:
        raise WhichMember(field_name, question(name, found, language))
    return found[0]


def _is_open(source: str, required: bool, known: Known) -> bool:
    """Whether the citizen must say it: which member they mean, or a required value that the register may lack."""
    if source == MEMBER:
        return True
    whose, _, key = source.partition(".")
    holders = known.family if whose == MEMBER else (known.resident,)
    return required and any(holder.get(key) is None for holder in holders)


def _source(rule: Json) -> str | None:
    source = rule.get(SOURCE) if isinstance(rule, Mapping) else None
    return source if isinstance(source, str) and source.partition(".")[0] in ("resident", MEMBER) else None


def _fields(schema: Mapping[str, Json]) -> tuple[Mapping[str, Json], list[str]]:
    return schema.get("properties", {}), list(schema.get("required", ()))


def _defaults(schema: Mapping[str, Json], arguments: Mapping[str, Json]) -> dict[str, Source]:
    properties, _ = _fields(schema)
    return {name: "default" for name, rule in properties.items() if "default" in rule and name not in arguments}
