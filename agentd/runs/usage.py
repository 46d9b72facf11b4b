"""Counts the models' tokens by day, provider and model. The counts outlive restarts and sessions.

It knows no price and no person. Turns are summed in memory and written together, at most once a second.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa
import structlog
from sqlalchemy.exc import SQLAlchemyError

from agentd.clock import day_in, iso
from agentd.errors import Busy
from agentd.messages import ModelReply
from agentd.ports import Clock
from agentd.runs.run_database import RunDatabase
from agentd.runs.statements import insert
from agentd.runs.tables import usage
from hardening.logs import Due
from hardening.tasks import beside

log = structlog.get_logger(__name__)
WRITTEN_EVERY_S = 1.0
COUNTED = ("turns", "input_tokens", "output_tokens")
KEY = ("day", "provider", "model")


@dataclass(frozen=True, slots=True)
class DayUsage:
    """One model's usage on one day in the office's time zone (`day` is ISO 8601)."""

    day: str
    provider: str
    model: str
    turns: int
    input_tokens: int
    output_tokens: int


class UsageLog:
    """The usage counts; all nodes of one database add to the same rows."""

    def __init__(self, database: RunDatabase, clock: Clock, zone: ZoneInfo) -> None:
        self._database, self._clock, self._zone = database, clock, zone
        self._fresh: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        self._added = asyncio.Event()
        self._due = Due()

    def add(self, reply: ModelReply) -> None:
        key = (day_in(self._zone, iso(self._clock.now())), reply.provider, reply.model)
        read, written = reply.usage.input_tokens, reply.usage.output_tokens
        self._fresh[key].update(turns=1, input_tokens=read, output_tokens=written)
        self._added.set()

    async def days(self, number: int) -> list[DayUsage]:
        """The usage of the last `number` days, newest first, including today."""
        await self.write()
        oldest = self._clock.now().astimezone(self._zone).date() - timedelta(days=number - 1)
        order = (usage.c.day.desc(), usage.c.provider, usage.c.model)
        wanted = sa.select(usage).where(usage.c.day >= oldest.isoformat()).order_by(*order)
        return await self._database.reads.do(lambda db: [DayUsage(**row) for row in db.execute(wanted).mappings()])

    async def write(self) -> None:
        """Add the counts in memory to the rows."""
        self._added.clear()
        fresh, self._fresh = self._fresh, defaultdict(Counter)
        rows = [{**dict(zip(KEY, key, strict=True)), **counts} for key, counts in fresh.items()]
        if not rows:
            return
        new = insert("postgresql" if self._database.shared else "sqlite", usage)
        added = {name: usage.c[name] + new.excluded[name] for name in COUNTED}
        adding = new.on_conflict_do_update(index_elements=KEY, set_=added)
        try:
            await self._database.writes.do(lambda db: db.execute(adding, rows))
        except BaseException:
            for key, counts in fresh.items():  # the next write includes them
                self._fresh[key].update(counts)
            self._added.set()
            raise

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Write the counts soon after they change within the context, and all of them at its end."""
        try:
            async with beside(usage=self._write_soon()):
                yield
        finally:
            await self._try_to_write()

    async def _write_soon(self) -> None:
        while True:
            await self._added.wait()
            await asyncio.sleep(WRITTEN_EVERY_S)
            await self._try_to_write()

    async def _try_to_write(self) -> None:
        try:
            await self.write()
        except Busy:  # the database has logged why
            pass
        except (OSError, SQLAlchemyError) as error:
            if self._due.now(type(error).__name__):
                log.warning("usage.put_off", error=type(error).__name__)
