"""The client of the register of residents, through its server's tools. It decides nothing and keeps nothing."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog

from agentd.application import InternalCall
from agentd.apps.residents.replies import in_each_language
from agentd.errors import ToolExecution, UnknownTool
from agentd.messages import ToolOutcome

log = structlog.get_logger("agentd.residents")

PATIENCE_S = 15.0
"""Seconds to wait for the register; after that it counts as down."""

NIK = re.compile("[0-9]{16}")
Resident = Mapping[str, str | None]
"""A resident's fields by their wire names; None if unknown."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The register's answer to a PIN or to an officer's NIK; `notes` are for the desk."""

    resident: Resident | None = field(default=None, repr=False)
    locked: bool = False
    attempts_left: int = 0
    retry_after_s: int = 0
    notes: tuple[str, ...] = ()


class Register:
    """All methods raise ToolExecution with `user_message` when the register can't be read."""

    def __init__(self, call: InternalCall, configured: Callable[[], bool] = lambda: True) -> None:
        self._call = call
        self._configured = configured
        self._failure: str | None = None

    @property
    def configured(self) -> bool:
        return self._configured()

    async def verify(self, *, nik: str | None, card: str | None, pin: str) -> Verdict:
        """Whether the PIN belongs to the NIK or the card; exactly one of the two is given."""
        named = {"nik": nik} if card is None else {"card": card}
        outcome = await self._asked("verify_resident", {**named, "pin": pin})
        return Verdict(
            resident=outcome.output.get("resident") if outcome.output.get("verified") is True else None,
            locked=outcome.output.get("reason") == "locked",
            attempts_left=int(outcome.meta.get("agentd/attempts_left") or 0),
            retry_after_s=int(outcome.meta.get("agentd/retry_after_s") or 0),
            notes=_notes(outcome),
        )

    async def resident(self, nik: str) -> Verdict:
        """The living resident of this office with that NIK, if there is one."""
        outcome = await self._asked("get_resident", {"nik": nik})
        return Verdict(resident=outcome.output.get("resident"), notes=_notes(outcome))

    async def family(self, nik: str) -> tuple[Resident, ...]:
        """The living members of the resident's family card, including the resident; empty for an unknown NIK."""
        outcome = await self._asked("list_family", {"nik": nik})
        return tuple(outcome.output.get("members") or ())

    async def list_letter(self, letter: Mapping[str, Any]) -> None:
        """Have the register list a letter; it lists each letter only once."""
        await self._answer("log_letter", {"letter": dict(letter)})

    async def _asked(self, tool: str, arguments: dict[str, Any]) -> ToolOutcome:
        """Call the tool. Raises ToolExecution; a failure is logged once until its reason changes."""
        try:
            outcome = await self._answer(tool, arguments)
        except ToolExecution as error:
            if error.message != self._failure:
                log.error("register.unreadable", reason=error.message, next="visitors go on by their own words")
            self._failure = error.message
            raise
        self._failure = None
        return outcome

    async def _answer(self, tool: str, arguments: dict[str, Any]) -> ToolOutcome:
        try:
            async with asyncio.timeout(PATIENCE_S):
                outcome = await self._call(tool, arguments)
        except UnknownTool as error:
            raise _down(f"is not there: {error.message}") from None
        except TimeoutError:
            raise _down(f"gave no answer within {PATIENCE_S:g} s") from None
        if not outcome.success or not isinstance(outcome.output, dict):
            raise _down(f"can't be read: {outcome.message}")
        return outcome


def _notes(outcome: ToolOutcome) -> tuple[str, ...]:
    return tuple(str(note) for note in outcome.meta.get("agentd/notes") or ())


def _down(how: str) -> ToolExecution:
    return ToolExecution(f"the register of residents {how}", user_message=in_each_language("register_down"))
