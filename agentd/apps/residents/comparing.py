"""Differences between a visitor's words and the register, for an officer. It changes neither."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import Field

from agentd.agent.languages import words
from agentd.apps.residents.filling import SOURCE, named_nik
from agentd.apps.residents.register import Register, Resident
from agentd.apps.residents.requests import Request
from agentd.messages import Message
from agentd.ports import ToolHost
from agentd.runs.store import RunStore

_PARTS = re.compile(r"[^\W_]+")
LONG = 8
"""Least digits of a number that may be written in groups: a NIK, a telephone number."""


class DifferenceShown(Message):
    """One field of the form whose value differs from the register's."""

    field: str
    title: str
    said: str
    registered: str


class ComparisonShown(Message):
    """A request compared with the register."""

    resident: bool = Field(description="Whether the form's NIK is that of a living resident of this office.")
    differences: list[DifferenceShown]


@dataclass(frozen=True, slots=True)
class Comparing:
    """Compares a call that waits for an officer with the register."""

    store: RunStore
    register: Register
    tools: Callable[[], ToolHost]

    async def of(self, request: Request) -> ComparisonShown:
        """How the waiting call differs from its person's entry in the register; `resident` is false if there is none.

        Raises ToolExecution if the register can't be read.
        """
        run = await self.store.run(request.run_id)
        tool = self.tools().catalogue().tool(request.tool)
        if run is None or run.approval is None or tool is None:
            return ComparisonShown(resident=False, differences=[])
        nik = named_nik(tool.input_schema, run.approval.arguments)
        found = None if nik is None else (await self.register.resident(nik)).resident
        if found is None:
            return ComparisonShown(resident=False, differences=[])
        return ComparisonShown(resident=True, differences=differences(tool.input_schema, run.approval.arguments, found))


def differences(schema: Mapping[str, Any], arguments: Mapping[str, Any], resident: Resident) -> list[DifferenceShown]:
    """The differing fields, in the form's order; a value that either side lacks is no difference."""
    found = []
    for name, rule, key in _registered(schema):
        said, registered = arguments.get(name), resident.get(key)
        if said in (None, "") or registered is None or _plain(str(said)) == _plain(registered):
            continue
        title = str(rule.get("title") or name)
        found.append(DifferenceShown(field=name, title=title, said=str(said), registered=registered))
    return found


def _registered(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """(field, its rule, the register's key) of each field that the register fills in from the applicant."""
    for name, rule in schema.get("properties", {}).items():
        whose, _, key = str(rule.get(SOURCE) or "").partition(".")
        if whose == "resident":
            yield name, rule, key


def _plain(value: str) -> object:
    """The value without what doesn't matter on a letter: case, blanks, punctuation, leading zeros, a date's format."""
    parts = _PARTS.findall(value.casefold())
    number = "".join(parts)
    if number.isdecimal() and len(number) >= LONG:
        return _day(parts) or number.lstrip("0")
    return _day(parts) or [part.lstrip("0") for part in parts]


def _day(parts: Sequence[str]) -> date | None:
    if len(parts) != 3:
        return None
    months = {name: str(number) for number, names in enumerate(words().months, 1) for name in names}
    numbers = [months.get(part, part) for part in parts]
    if not all(number.isascii() and number.isdigit() for number in numbers):
        return None
    year, month, day = map(int, numbers if len(numbers[0]) == 4 else reversed(numbers))
    try:
        return date(year, month, day)
    except ValueError:
        return None
