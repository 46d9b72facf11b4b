"""Queue of issued letters that the register of residents has yet to list. It issues none.

A letter is noted in the step that issues it, which is repeated after a crash. It is sent until the register accepts
it, and the register writes each letter once. Then its copy here is deleted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Connection, RowMapping
from sqlalchemy.exc import SQLAlchemyError

from agentd.apps.residents.filling import unspaced
from agentd.apps.residents.identity import Identities
from agentd.apps.residents.register import Register
from agentd.audit import AuditTrail
from agentd.clock import iso
from agentd.errors import AgentdError, ToolExecution
from agentd.messages import ToolCall, ToolOutcome
from agentd.ports import CallPolicy, Clock
from agentd.runs.store import RunStore
from hardening.tasks import beside

log = structlog.get_logger("agentd.letter_log")

AGAIN_S = 30.0
"""Seconds before a refused letter is sent again."""
LETTER = "agentd/letter"
"""Key in a tool's `_meta`: true if its result is a letter."""

TABLES = sa.MetaData()
WAITING = sa.Table(
    "agentd_letter_log",
    TABLES,
    sa.Column("number", sa.String(200), primary_key=True),
    sa.Column("letter", sa.JSON, nullable=False),
    sa.Column("noted_at", sa.String(40), nullable=False),
    sa.Column("refused", sa.Boolean, nullable=False),
)


class LetterLog:
    """The queue. `wanted`: whether the office has its register list letters (`write_log`)."""

    def __init__(
        self, store: RunStore, register: Register, clock: Clock, audit: AuditTrail, wanted: Callable[[], bool]
    ) -> None:
        store.add_tables(TABLES)
        self._writes = store.writes
        self._register = register
        self._clock = clock
        self._audit = audit
        self.wanted = wanted
        self._noted = asyncio.Event()
        self.refused = 0
        """How many letters the register refused at the last try."""

    async def note(self, letter: dict[str, Any]) -> None:
        """Queue an issued letter; the same number is queued once."""

        def work(db: Connection) -> None:
            known = db.execute(sa.select(WAITING.c.number).where(WAITING.c.number == letter["number"])).first()
            if known is None:
                row = {"number": letter["number"], "letter": letter, "noted_at": iso(self._clock.now())}
                db.execute(WAITING.insert(), {**row, "refused": False})

        await self._writes.do(work)
        self._noted.set()

    async def send(self) -> int:
        """Send the waiting letters, oldest first. Returns how many the register listed."""
        query = sa.select(WAITING).order_by(WAITING.c.noted_at, WAITING.c.number)
        rows = await self._writes.do(lambda db: list(db.execute(query).mappings()))
        self.refused = 0
        for row in rows:
            if not await self._send(row):
                self.refused += 1
        return len(rows) - self.refused

    async def _send(self, row: RowMapping) -> bool:
        """Send a letter; True if the register listed it. The first refusal of a letter is reported."""
        mine = WAITING.c.number == row["number"]
        try:
            await self._register.list_letter(row["letter"])
        except ToolExecution as error:
            if not row["refused"]:
                log.error("letter_log.refused", reason=error.message, next="it is sent again every 30 s")
                await self._audit.arecord("letter.unlisted", actor="letter log", subject=row["number"])
                refused = WAITING.update().where(mine).values(refused=True)
                await self._writes.do(lambda db: db.execute(refused))
            return False
        listed = WAITING.delete().where(mine)
        await self._writes.do(lambda db: db.execute(listed))
        return True

    def sending(self) -> AbstractAsyncContextManager[None]:
        """Inside the block, send new letters at once and retry refused ones."""
        return beside(letter_log=self._send_again())

    async def _send_again(self) -> None:
        while True:
            self._noted.clear()
            try:
                await self.send()
            except (AgentdError, OSError, SQLAlchemyError) as error:
                log.warning("letter_log.put_off", error=type(error).__name__)
            with suppress(TimeoutError):
                async with asyncio.timeout(AGAIN_S):
                    await self._noted.wait()


class Listed(CallPolicy):
    """A call policy that queues issued letters for the register."""

    def __init__(self, letters: LetterLog, identities: Identities, clock: Clock) -> None:
        self._letters = letters
        self._identities = identities
        self._clock = clock

    async def after(self, call: ToolCall, outcome: ToolOutcome) -> ToolOutcome:
        """Queue an issued letter before its step is recorded."""
        output = outcome.output
        issued = outcome.success and call.tool.meta.get(LETTER) is True and isinstance(output, dict)
        if issued and output.get("number") and self._letters.wanted():
            who = await self._identities.of(call.session_id)
            nik, name = (None, None) if who is None else (who.nik, who.display_name)
            await self._letters.note(entry(call, output, nik, name) | {"issued_at": iso(self._clock.now())})
        return outcome


def entry(call: ToolCall, output: dict[str, Any], nik: str | None, name: str | None) -> dict[str, Any]:
    """A letter in the form of the register server's `log_letter`, without `issued_at`.

    `nik` and `name` are the verified person's; without them, the letter's first NIK and name are used. `form` holds
    what the citizen said, `seen` what an officer saw. Lengths are limited to OpenSID's columns.
    """
    texts = {key: str(value) for key, value in call.input.items() if isinstance(value, (str, int))}
    sources = {} if call.basis is None else call.basis.sources
    return {
        "number": str(output["number"]),
        "title": str(output.get("title") or call.tool.name)[:200],
        "file_name": str(output.get("file_name") or output["number"])[:100],
        "nik": nik or unspaced(_first(texts, "nik"))[:16],
        "nama": (name or _first(texts, "nama") or "-")[:100],
        "telepon": texts.get("telepon", "")[:50],
        "form": {key: value for key, value in texts.items() if sources.get(key) == "citizen"},
        "seen": [] if call.basis is None else list(call.basis.seen),
    }


def _first(texts: dict[str, str], name: str) -> str:
    """The value of the field with that name, else of the first that starts with it (`nik_pelapor`)."""
    return texts.get(name) or next((text for key, text in texts.items() if key.startswith(f"{name}_")), "")
