"""Letters that the register of residents is still to list: kept from their issue until it has. It issues none.

A letter is noted within the step that issues it, which is made again after a crash; it is sent until the register has
it, and the register writes a letter once. What is kept of it goes as soon as it stands there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Connection, RowMapping
from sqlalchemy.exc import SQLAlchemyError

from agentd.apps.residents.identity import Identities
from agentd.apps.residents.register import Register
from agentd.audit import AuditTrail
from agentd.clock import iso
from agentd.errors import AgentdError, ToolExecution
from agentd.messages import ToolCall, ToolOutcome
from agentd.ports import CallPolicy, Clock
from agentd.runs.store import RunStore
from agentd.tasks import beside

log = structlog.get_logger("agentd.letter_log")

AGAIN_S = 30.0
"""How soon a letter that could not be listed is sent again."""
LETTER = "agentd/letter"
"""A tool's own `_meta`: its result is a letter."""

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
    """The letters that wait. `wanted`: whether the office has its register list them (`write_log`)."""

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
        """How many the register refused when it was asked last."""

    async def note(self, letter: dict[str, Any]) -> None:
        """Keep a letter that was issued until it is listed; the same one once."""

        def work(db: Connection) -> None:
            known = db.execute(sa.select(WAITING.c.number).where(WAITING.c.number == letter["number"])).first()
            if known is None:
                row = {"number": letter["number"], "letter": letter, "noted_at": iso(self._clock.now())}
                db.execute(WAITING.insert(), {**row, "refused": False})

        await self._writes.do(work)
        self._noted.set()

    async def send(self) -> int:
        """Send what waits, oldest first. Returns how many the register listed."""
        query = sa.select(WAITING).order_by(WAITING.c.noted_at, WAITING.c.number)
        rows = await self._writes.do(lambda db: list(db.execute(query).mappings()))
        self.refused = 0
        for row in rows:
            if not await self._send(row):
                self.refused += 1
        return len(rows) - self.refused

    async def _send(self, row: RowMapping) -> bool:
        """List a waiting letter in the register; True if the register took it. Its first refusal is reported."""
        mine = WAITING.c.number == row["number"]
        try:
            await self._register.list_letter(row["letter"])
        except ToolExecution as error:
            if not row["refused"]:
                await self._report(row["number"], error.message)
                refused = WAITING.update().where(mine).values(refused=True)
                await self._writes.do(lambda db: db.execute(refused))
            return False
        listed = WAITING.delete().where(mine)
        await self._writes.do(lambda db: db.execute(listed))
        return True

    @asynccontextmanager
    async def sending(self) -> AsyncIterator[None]:
        """Within it, what waits is sent: at once, and again and again what was refused."""
        async with beside(letter_log=self._send_again()):
            yield

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

    async def _report(self, number: str, why: str) -> None:
        """It is written once for each letter, into the log and the audit trail."""
        log.error("letter_log.refused", reason=why, next="it is sent again every 30 s")
        await self._audit.arecord("letter.unlisted", actor="letter log", subject=number)


class Listed(CallPolicy):
    """Notes letters for the register."""

    def __init__(self, letters: LetterLog, identities: Identities, clock: Clock) -> None:
        self._letters = letters
        self._identities = identities
        self._clock = clock

    async def after(self, call: ToolCall, outcome: ToolOutcome) -> ToolOutcome:
        """A letter that was issued is noted before its step is recorded."""
        output = outcome.output
        issued = outcome.success and call.tool.meta.get(LETTER) is True and isinstance(output, dict)
        if issued and output.get("number") and self._letters.wanted():
            who = await self._identities.of(call.session_id)
            nik, name = (None, None) if who is None else (who.nik, who.display_name)
            await self._letters.note(entry(call, output, nik, name) | {"issued_at": iso(self._clock.now())})
        return outcome


def entry(call: ToolCall, output: dict[str, Any], nik: str | None, name: str | None) -> dict[str, Any]:
    """A letter as the register server's `log_letter` takes it, all but `issued_at`.

    `nik` and `name` are those of who is verified; without them the letter's first NIK and name count. `form` is what
    the citizen said, `seen` what an officer saw. Lengths are those of OpenSID's columns.
    """
    texts = {key: str(value) for key, value in call.input.items() if isinstance(value, (str, int))}
    sources = {} if call.basis is None else call.basis.sources
    return {
        "number": str(output["number"]),
        "title": str(output.get("title") or call.tool.name),
        "file_name": str(output.get("file_name") or output["number"])[:100],
        "nik": nik or _first(texts, "nik"),
        "nama": (name or _first(texts, "nama") or "-")[:100],
        "telepon": texts.get("telepon", "")[:50],
        "form": {key: value for key, value in texts.items() if sources.get(key) == "citizen"},
        "seen": [] if call.basis is None else list(call.basis.seen),
    }


def _first(texts: dict[str, str], name: str) -> str:
    """The value of the field of that name, else of the first that begins with it (`nik_pelapor`)."""
    return texts.get(name) or next((text for key, text in texts.items() if key.startswith(f"{name}_")), "")
