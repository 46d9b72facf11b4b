"""Several daemons on one PostgreSQL: a shared queue, leases, take-over of a dead node's runs, cancels across nodes.

It decides who works on a run; what the work is stays the engine's. One node alone needs none of this.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import structlog
from sqlalchemy.engine import Engine as Database

from agentd.clock import SKEW_REPORTED_S
from agentd.ports import Clock
from agentd.runs.leases import Leases
from agentd.runs.store import RunStore

WATCH_S = 0.1
"""How often a node looks whether another has cancelled one of its runs."""

TakeOver = Callable[[str], Awaitable[int]]
"""Takes over the runs of a node that is gone, by its name; answers how many."""

log = structlog.get_logger("agentd.cluster")


class Cluster:
    """One node's part in it. Enter it after DBOS was launched; leaving hands its runs over at once."""

    def __init__(
        self,
        store: RunStore,
        node: str,
        clock: Clock,
        *,
        lease_s: float,
        node_concurrency: int,
        global_concurrency: int | None,
    ) -> None:
        self._store = store
        self._node = node
        self._clock = clock
        self._lease_s = lease_s
        self.node_concurrency, self.global_concurrency = node_concurrency, global_concurrency
        self._tasks: list[asyncio.Task[None]] = []
        self._leases = Leases(store.writes)
        self.clock_skew_s = 0.0
        """How far this node's clock is ahead of the database's, as last measured."""

    async def start(self, cancelled: Callable[[str], None], mine: Callable[[], list[str]], take_over: TakeOver) -> None:
        """Join: take the lease, watch the others."""
        self._take_over = take_over
        await self._renew()
        self._tasks = [
            asyncio.create_task(self._again(self._lease_s / 3, self._keep_lease), name="lease"),
            asyncio.create_task(self._again(WATCH_S, lambda: self._watch_cancels(cancelled, mine)), name="cancels"),
        ]

    async def stop(self) -> None:
        """Keep no lease any more, and watch nobody."""
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task

    async def hand_over(self) -> None:
        """Leave, once DBOS takes no run here any more: the lease ends now, so that the others need not wait for it."""
        await self._leases.end(self._node)

    async def holds(self, run_id: str, mark: str) -> bool:
        """Whether the run is surely this execution's for most of a lease from now: only then may a call act for it."""
        while True:
            asked = _uptime()
            if not await self._leases.fence(self._node, run_id, mark):
                return False
            if _uptime() - asked < self._lease_s / 2:
                return True  # else this process, or its database, stood still meanwhile: the answer is too old

    async def _again(self, pause_s: float, act: Callable[[], Awaitable[None]]) -> None:
        """Act for ever; a database that is away is tried again."""
        while True:
            try:
                await act()
            except Exception as error:
                log.warning("cluster.database", error=type(error).__name__)
            await asyncio.sleep(pause_s)

    async def _keep_lease(self) -> None:
        await self._renew()
        for dead in await self._leases.expired(self._node, self._lease_s):
            taken = await self._take_over(dead)
            log.info("cluster.taken_over", node=dead, runs=taken)
            await self._leases.forget(dead, self._lease_s)

    async def _renew(self) -> None:
        """Renew the lease, and see how far the clocks are apart."""
        before = self._clock.now()
        there = await self._leases.renew(self._node)
        here = before + (self._clock.now() - before) / 2
        was, self.clock_skew_s = self.clock_skew_s, round((here - there).total_seconds(), 3)
        if abs(self.clock_skew_s) > SKEW_REPORTED_S >= abs(was):
            to_do = "set this machine's clock (NTP); leases go by the database's, letters and times by this one"
            log.warning("cluster.clock_skew", node=self._node, ahead_s=self.clock_skew_s, to_do=to_do)

    async def _watch_cancels(self, cancelled: Callable[[str], None], mine: Callable[[], list[str]]) -> None:
        if ids := mine():
            for run_id in await self._store.cancelled_among(ids):
                cancelled(run_id)


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
