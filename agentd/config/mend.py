"""Leaves out the invalid parts of a client.toml, so that the rest is checked too. It doesn't repair the file."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ValidationError

from agentd.config.check import SLOTS
from agentd.config.faults import meant_key, of_other_branch, path_of, table_at
from agentd.config.lines import Path as KeyPath
from agentd.config.schema import ClientFile
from agentd.config.sections import client_file

ROUNDS = 4
"""Maximum rounds: leaving out a part may reveal another fault behind it (first a wrong type, then a missing name)."""


def parsed(raw: dict[str, Any]) -> tuple[ClientFile | None, Sequence[Any]]:
    """The valid part of the file (None if there is none), and pydantic's errors about the rest."""
    found: Sequence[Any] = ()
    for _ in range(ROUNDS):
        try:
            return client_file().model_validate(raw), found
        except ValidationError as error:
            details = [each for each in error.errors() if not of_other_branch(each)] or error.errors()
        found = found or details
        raw = _without(raw, details)
    return None, found


def _without(raw: dict[str, Any], details: Iterable[Any]) -> dict[str, Any]:
    left = copy.deepcopy(raw)
    for detail in details:
        where = path_of(detail)
        table = table_at(left, where[:-1])
        if table is None:
            _leave_out(left, where)
        elif detail["type"] == "missing":
            table[where[-1]] = _stand_in(left, where)
        else:
            table.pop(where[-1], None)
    return left


def _leave_out(raw: dict[str, Any], where: KeyPath) -> None:
    """Remove an invalid value. For an invalid list item the whole list goes, since the others' indexes would change."""
    while where and isinstance(where[-1], int):
        where = where[:-1]
    table = table_at(raw, where[:-1])
    if table is not None and where:
        table.pop(where[-1], None)


def _stand_in(raw: dict[str, Any], where: KeyPath) -> Any:
    """A value for a missing key: that of a similar key, else a placeholder that causes no further error."""
    key, table = str(where[-1]), table_at(raw, where[:-1]) or {}
    near = meant_key(key, [str(name) for name in table])
    if near is not None and isinstance(table[near], str):
        return table.pop(near)
    if key == "prompt_template":
        return "".join(SLOTS)
    if key == "default_provider":
        providers = raw.get("providers")
        first = providers[0] if isinstance(providers, list) and providers else None
        return first.get("id", "") if isinstance(first, dict) else ""
    return {} if key == "action" else f"unnamed-{'-'.join(map(str, where))}"
