"""Erases sessions that nobody has used for their age, and finishes deletions that had to wait.

It decides when and what; how a session is erased is in sessions.py. Of several nodes one does it at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from sqlalchemy.exc import SQLAlchemyError

from agentd.clock import SLACK, iso
from agentd.errors import AgentdError
from agentd.ports import Clock
from agentd.runs.records import RunBrief, SessionRecord
from agentd.runs.segment import rests
from agentd.runs.sessions import SessionService
from agentd.runs.store import RunStore
from agentd.tasks import beside

FIRST_S = 60.0
"""How long after its start a daemon looks first: then it has other things to do."""
AGAIN_S = 2.0
"""How soon a deletion that could not be finished is tried again."""

STEADY = timedelta(hours=1)
"""How long the clock must have run on by itself, since the start, before anything is erased as old."""
STEADY_AGAIN = timedelta(hours=24)
"""The same once it was set while the daemon ran, or stood far from the last use of any session at the start."""
LEAP = timedelta(days=90)
"""A pause of all use, of that length and three times the longest age, after which the date may be wrong."""

log = structlog.get_logger("agentd.retention")


Used = tuple[SessionRecord, RunBrief | None]
"""A session with what its latest run was asked with."""


@dataclass(frozen=True, slots=True)
class Ages:
    """How long a session is kept after its last use."""

    visitors: timedelta = timedelta(hours=24)
    """One of a kiosk or a chat."""
    others: timedelta = timedelta(days=30)


class Steady:
    """Whether the clock can be trusted: a date that leaps days ahead makes everything look old.

    It is trusted once it has run on, second by second as the machine counts them, for its time (at most the shortest
    age): a leap that is taken back within it erases nothing.
    """

    def __init__(self, clock: Clock, latest: Sequence[SessionRecord], ages: Ages) -> None:
        """`latest`: the session that was used last, if there is any."""
        self._clock, self._shortest = clock, min(ages.visitors, ages.others)
        self._seen, self._since = self._ahead(), clock.monotonic()
        now = clock.now()
        near = all(iso(now - self._shortest) <= one.updated_at <= iso(now + SLACK) for one in latest)
        self._needed = min(STEADY if near else STEADY_AGAIN, self._shortest)

    def holds(self) -> bool:
        """Look at it; whether it has run on for long enough."""
        before, self._seen = self._seen, self._ahead()
        if abs(self._seen - before) > SLACK:
            self._since, self._needed = self._clock.monotonic(), min(STEADY_AGAIN, self._shortest)
            log.warning("retention.clock_was_set", next="nothing is erased as old until it has run on")
        return self._clock.monotonic() - self._since >= self._needed.total_seconds()

    def _ahead(self) -> timedelta:
        """What the date has run ahead of the seconds; it stays the same while nobody sets the clock."""
        return self._clock.now() - datetime.fromtimestamp(self._clock.monotonic(), UTC)


def is_over(session: SessionRecord, latest: RunBrief | None, now: datetime, ages: Ages) -> bool:
    """Whether a session has expired; `latest` is the brief of its latest run."""
    caller = None if latest is None else latest.caller
    age = ages.visitors if caller is not None and caller.is_visitor else ages.others
    return session.updated_at < iso(now - age)


def since_a_leap(old: Sequence[Used], now: datetime, ages: Ages) -> list[Used]:
    """Of what is old, the oldest first, that after the last pause so long that the date may be wrong since.

    What lies before it an officer erases, who knows whether the office was closed: `agentd purge`.
    """
    followed, longest = now, max(LEAP, 3 * max(ages.visitors, ages.others))
    for at, (session, _) in reversed(tuple(enumerate(old))):
        used = datetime.fromisoformat(session.updated_at)
        if followed - used > longest:
            log.warning(
                "retention.leap",
                sessions=at + 1,
                next="nobody used anything for long, or the date is wrong: look at it, then `agentd purge` erases them",
            )
            return list(old[at + 1 :])
        followed = used
    return list(old)


@asynccontextmanager
async def retention(
    store: RunStore, sessions: SessionService, clock: Clock, ages: Ages, every_s: float
) -> AsyncIterator[None]:
    """Within it, old sessions go, each `every_s`; what an earlier process could not finish is finished first."""
    sessions.unfinished.set()
    async with beside(purge=_purge_again(store, sessions, clock, ages, every_s), deletions=_finish_again(sessions)):
        yield


async def _purge_again(store: RunStore, sessions: SessionService, clock: Clock, ages: Ages, every_s: float) -> None:
    steady: Steady | None = None
    await asyncio.sleep(min(every_s, FIRST_S))
    while True:
        with _put_off():
            steady = steady or Steady(clock, await store.sessions.of(None, 1, None), ages)
            if steady.holds():
                await purge(store, sessions, clock, ages)
                await sessions.sweep(clock.now() - ages.others)
        await asyncio.sleep(every_s)


async def _finish_again(sessions: SessionService) -> None:
    while True:
        await sessions.unfinished.wait()
        with _put_off():
            await sessions.finish()
        await asyncio.sleep(AGAIN_S)


@contextmanager
def _put_off() -> Iterator[None]:
    """Within it, an error of the disk or the database is logged, and the work tried again later."""
    try:
        yield
    except (AgentdError, OSError, SQLAlchemyError) as error:
        log.warning("retention.put_off", error=type(error).__name__)


async def purge(store: RunStore, sessions: SessionService, clock: Clock, ages: Ages) -> int:
    """Erase every expired session; how many there were; none while another node does it."""
    erased = 0
    async with store.alone() as alone:
        if not alone:
            return 0
        now = clock.now()
        await store.sessions.none_after(iso(now + SLACK), iso(now))
        old = await store.sessions.unused_since(iso(now - min(ages.visitors, ages.others)))
        for session, latest in since_a_leap(old, now, ages):
            if not is_over(session, latest, now, ages):
                continue
            runs = await store.runs_where(session_id=session.session_id, limit=1000)
            if any(not rests(run) or run.awaits_staff(iso(now)) for run in runs):
                continue  # it is under way, or staff may still decide it
            if session.updated_at >= iso(now - ages.others) and await sessions.apps.owes(session.session_id):
                continue
            await sessions.purge(session.session_id)
            erased += 1
    if erased:
        sessions.unfinished.set()
        log.info("retention.purged", sessions=erased)
    return erased
