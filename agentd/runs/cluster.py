"""Several daemons on one PostgreSQL: a shared queue, leases, take-over of a dead node's runs, cancels across nodes.

It decides who works on a run; what the work is stays the engine's. One node alone needs none of this.

Leases go by the clock of the shared PostgreSQL alone: a node's own decides nothing here. A run belongs to the execution
whose mark stands in its row. Taking runs over takes the mark away first, under the lock of the dead node's lease; an
execution asks for its lease and its mark in one transaction before a call with effects. So either the lease was renewed
and nothing is taken over, or the mark is gone and the call is not made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
import structlog
from sqlalchemy.engine import Connection
from sqlalchemy.engine import Engine as Database

from agentd.clock import SKEW_REPORTED_S
from agentd.ports import Clock
from agentd.runs.statements import insert
from agentd.runs.store import RunStore
from agentd.runs.tables import nodes, runs

WATCH_S = 0.1
"""How often a node looks whether another has cancelled one of its runs."""

TakeOver = Callable[[str], Awaitable[int]]
"""Takes over the runs of a node that is gone, by its name; answers how many."""

log = structlog.get_logger("agentd.cluster")


@dataclass(eq=False)
class Cluster:
    """One node's part in it. Enter it after DBOS was launched; leaving hands its runs over at once."""

    store: RunStore
    node: str
    clock: Clock
    lease_s: float = field(kw_only=True)
    node_concurrency: int = field(kw_only=True)
    global_concurrency: int | None = field(kw_only=True)
    clock_skew_s: float = field(default=0.0, init=False)
    """How far this node's clock is ahead of the database's, as last measured."""
    _tasks: list[asyncio.Task[None]] = field(default_factory=list, init=False)

    async def start(self, cancelled: Callable[[str], None], mine: Callable[[], list[str]], take_over: TakeOver) -> None:
        """Join: take the lease, watch the others."""
        self._cancelled, self._mine, self._take_over = cancelled, mine, take_over
        await self._renew()
        self._tasks = [
            asyncio.create_task(self._again(self.lease_s / 3, self._keep_lease), name="lease"),
            asyncio.create_task(self._again(WATCH_S, self._watch_cancels), name="cancels"),
        ]

    async def stop(self) -> None:
        """Keep no lease any more, and watch nobody."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def hand_over(self) -> None:
        """Leave the cluster after DBOS stopped taking runs here: end the lease now, so that others need not wait."""
        over = nodes.update().where(nodes.c.node == self.node).values(seen_at="1970-01-01T00:00:00.000000+00:00")
        await self.store.writes.do(lambda db: db.execute(over))

    async def holds(self, run_id: str, mark: str) -> bool:
        """Whether this execution surely keeps the run for most of a lease from now: only then may it make a call."""
        mine = sa.select(runs.c.run_id).where(runs.c.run_id == run_id, runs.c.node == mark)

        def is_mine(db: Connection) -> bool:
            _renewed(db, self.node)  # so that nobody takes the run over for a lease
            return db.execute(mine).first() is not None

        while True:
            asked = _uptime()
            if not await self.store.writes.do(is_mine):
                return False
            if _uptime() - asked < self.lease_s / 2:
                return True  # else this process, or its database, stood still meanwhile: the answer is too old

    async def _again(self, pause_s: float, act: Callable[[], Awaitable[None]]) -> None:
        """Act again and again, also after the database could not be reached."""
        while True:
            try:
                await act()
            except Exception as error:
                log.warning("cluster.database", error=type(error).__name__)
            await asyncio.sleep(pause_s)

    async def _keep_lease(self) -> None:
        await self._renew()
        over = nodes.c.seen_at < _now(self.lease_s)
        ended = sa.select(nodes.c.node).where(nodes.c.node != self.node, over).with_for_update()

        def taken_from(db: Connection) -> list[str]:
            """Other nodes whose lease has ended; their executions have lost their runs."""
            dead = list(db.execute(ended).scalars())
            for name in dead:
                its = sa.or_(runs.c.node == name, runs.c.node.startswith(f"{name[-80:]}#", autoescape=True))
                db.execute(runs.update().where(its, runs.c.status == "running").values(node=None))
            return dead

        for dead in await self.store.writes.do(taken_from):
            taken = await self._take_over(dead)
            log.info("cluster.taken_over", node=dead, runs=taken)
            await self._forget(dead)

    async def _forget(self, node: str) -> None:
        """Its runs were taken over; a node that has come back meanwhile stays known."""
        over = nodes.delete().where(nodes.c.node == node, nodes.c.seen_at < _now(self.lease_s))
        await self.store.writes.do(lambda db: db.execute(over))

    async def _renew(self) -> None:
        """Renew the lease, and see how far the clocks are apart."""
        before = self.clock.now()
        there = await self.store.writes.do(lambda db: _renewed(db, self.node))
        here = before + (self.clock.now() - before) / 2
        was, self.clock_skew_s = self.clock_skew_s, round((here - there).total_seconds(), 3)
        if abs(self.clock_skew_s) > SKEW_REPORTED_S >= abs(was):
            to_do = "set this machine's clock (NTP); leases go by the database's, letters and times by this one"
            log.warning("cluster.clock_skew", node=self.node, ahead_s=self.clock_skew_s, to_do=to_do)

    async def _watch_cancels(self) -> None:
        if ids := self._mine():
            for run_id in await self.store.cancelled_among(ids):
                self._cancelled(run_id)


def mark_of(node: str) -> str:
    """A mark for one execution on this node; the next one there has another."""
    return f"{node[-80:]}#{uuid4().hex[:12]}"


def _now(minus_s: float = 0.0) -> Any:
    """The database's time, as the table of nodes has it."""
    past = sa.func.make_interval(0, 0, 0, 0, 0, 0, minus_s)
    return sa.func.to_char(sa.func.timezone("UTC", sa.func.now() - past), 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')


def _renewed(db: Connection, node: str) -> datetime:
    """The node is alive; answers the database's time."""
    seen = insert("postgresql", nodes).values(node=node, seen_at=_now())
    renewed = seen.on_conflict_do_update(index_elements=["node"], set_={"seen_at": seen.excluded.seen_at})
    return datetime.fromisoformat(db.execute(renewed.returning(nodes.c.seen_at)).scalar_one())


def _uptime() -> float:
    """Seconds since the machine's start, those in which this process or the machine stood still included."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(frozen=True, slots=True)
class Node:
    """This process among those that may share the runs."""

    database: Database
    """DBOS's, for its own records."""
    name: str = "local"
    cluster: Cluster | None = None
    """Its part in several nodes' work; None: it is alone."""


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """How much work at once."""

    concurrency: int = 256
    queue_limit: int = 1000
    deadline_s: float = 300.0
    approval_ttl_s: float = 900.0
    max_recoveries: int = 2
    """A run begun again that often without a finished step is parked: it may be what ends the daemon."""


DEFAULT_LIMITS = EngineLimits()
