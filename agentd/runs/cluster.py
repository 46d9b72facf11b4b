"""Several daemons on one PostgreSQL: a shared queue, leases, takeover of a dead node's runs, cancels across nodes.

It decides which node works on a run; the engine does the work. A single node needs none of this.

Leases use only the clock of the shared PostgreSQL. A run belongs to the execution whose mark is in its row. A takeover
first removes the mark, while it locks the dead node's lease. Before a call with effects, an execution renews its lease
and checks its mark in one transaction. So either the lease is renewed and nothing is taken over, or the mark is gone
and the call is not made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
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
from hardening.tasks import beside

WATCH_S = 0.1
"""Seconds between a node's checks whether another node has cancelled one of its runs."""

TakeOver = Callable[[str], Awaitable[int]]
"""Takes over the runs of the dead node of this name; returns how many."""

log = structlog.get_logger("agentd.cluster")


@dataclass(eq=False)
class Cluster:
    """One node of the cluster. Start it after DBOS was launched; `hand_over` releases its runs at once."""

    store: RunStore
    node: str
    clock: Clock
    lease_s: float = field(kw_only=True)
    node_concurrency: int = field(kw_only=True)
    global_concurrency: int | None = field(kw_only=True)
    clock_skew_s: float = field(default=0.0, init=False)
    """The last measured seconds by which this node's clock is ahead of the database's."""
    _watches: AsyncExitStack = field(default_factory=AsyncExitStack, init=False)

    async def start(self, cancelled: Callable[[str], None], mine: Callable[[], list[str]], take_over: TakeOver) -> None:
        """Join the cluster: take the lease and watch the other nodes."""
        self._cancelled, self._mine, self._take_over = cancelled, mine, take_over
        await self._renew()
        lease, cancels = self._again(self.lease_s / 3, self._keep_lease), self._again(WATCH_S, self._watch_cancels)
        await self._watches.enter_async_context(beside(lease=lease, cancels=cancels))

    async def stop(self) -> None:
        """Stop renewing the lease and watching the other nodes."""
        await self._watches.aclose()

    async def hand_over(self) -> None:
        """End the lease now, after DBOS stopped taking runs here, so that other nodes need not wait."""
        over = nodes.update().where(nodes.c.node == self.node).values(seen_at="1970-01-01T00:00:00.000000+00:00")
        await self.store.writes.do(lambda db: db.execute(over))

    async def holds(self, run_id: str, mark: str) -> bool:
        """Whether this execution surely keeps the run for half a lease from now, as a call with effects requires."""
        mine = sa.select(runs.c.run_id).where(runs.c.run_id == run_id, runs.c.node == mark)

        def is_mine(db: Connection) -> bool:
            _renewed(db, self.node)  # so that nobody takes the run over for a lease
            return db.execute(mine).first() is not None

        while True:
            asked = _uptime()
            if not await self.store.writes.do(is_mine):
                return False
            if _uptime() - asked < self.lease_s / 2:
                return True  # else the process or its database was suspended: the answer is too old

    async def _again(self, pause_s: float, act: Callable[[], Awaitable[None]]) -> None:
        """Call `act` every `pause_s` seconds, also after database errors."""
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
            """Take the runs away from all other nodes whose lease has ended; returns their names."""
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
        """Delete the node whose runs were taken over, unless it has renewed its lease since."""
        over = nodes.delete().where(nodes.c.node == node, nodes.c.seen_at < _now(self.lease_s))
        await self.store.writes.do(lambda db: db.execute(over))

    async def _renew(self) -> None:
        """Renew the lease and measure the clock skew."""
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
    """Create a unique mark for one execution on this node."""
    return f"{node[-80:]}#{uuid4().hex[:12]}"


def _now(minus_s: float = 0.0) -> Any:
    """SQL for the database's time less `minus_s` seconds, in the format of the table of nodes."""
    past = sa.func.make_interval(0, 0, 0, 0, 0, 0, minus_s)
    return sa.func.to_char(sa.func.timezone("UTC", sa.func.now() - past), 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')


def _renewed(db: Connection, node: str) -> datetime:
    """Renew the node's lease; returns the database's time."""
    seen = insert("postgresql", nodes).values(node=node, seen_at=_now())
    renewed = seen.on_conflict_do_update(index_elements=["node"], set_={"seen_at": seen.excluded.seen_at})
    return datetime.fromisoformat(db.execute(renewed.returning(nodes.c.seen_at)).scalar_one())


def _uptime() -> float:
    """Seconds since boot, including those in which this process or the machine was suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(frozen=True, slots=True)
class Node:
    """This process as a node, alone or in a cluster."""

    database: Database
    """The database of DBOS's own records."""
    name: str = "local"
    cluster: Cluster | None = None
    """Its membership in a cluster; None if it is alone."""


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """The engine's limits on concurrency, queue, time and recoveries."""

    concurrency: int = 256
    queue_limit: int = 1000
    deadline_s: float = 300.0
    approval_ttl_s: float = 900.0
    max_recoveries: int = 2
    """A run restarted this often without a finished step is parked: it may be what kills the daemon."""
