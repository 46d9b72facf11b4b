"""Erases sessions that were not used within their retention time, and finishes deletions that had to wait.

It decides when and what; sessions.py erases. Only one node at a time does this.
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
from agentd.errors import AgentdError, Busy
from agentd.ports import Clock
from agentd.runs.records import RunBrief, SessionRecord
from agentd.runs.segment import rests
from agentd.runs.sessions import SessionService
from hardening.tasks import beside

FIRST_S = 60.0
"""Seconds from the daemon's start to the first check, so that it does not slow down the start."""
AGAIN_S = 2.0
"""Seconds until an unfinished deletion is tried again."""

STEADY = timedelta(hours=1)
"""How long the clock must have run unchanged since the start before anything is erased as old."""
STEADY_AGAIN = timedelta(hours=24)
"""The same if the clock was set while the daemon ran, or was far from the last use of any session at the start."""
LEAP = timedelta(days=90)
"""If nobody used any session for longer than this and three times the longest age, the date may be wrong."""

log = structlog.get_logger("agentd.retention")


Used = tuple[SessionRecord, RunBrief | None]
"""A session with the brief of its latest run."""


@dataclass(frozen=True, slots=True)
class Ages:
    """How long sessions are kept after their last use."""

    visitors: timedelta = timedelta(hours=24)
    """For sessions of a kiosk or a chat."""
    others: timedelta = timedelta(days=30)


class Steady:
    """Judges whether the clock can be trusted, since a date that jumps days ahead makes every session look old.

    It is trusted once it has kept pace with the monotonic clock for the required time (at most the shortest age), so
    that a jump that is corrected within this time erases nothing.
    """

    def __init__(self, clock: Clock, latest: Sequence[SessionRecord], ages: Ages) -> None:
        """`latest` holds the session that was used last, or nothing."""
        self._clock, self._shortest = clock, min(ages.visitors, ages.others)
        self._seen, self._since = self._ahead(), clock.monotonic()
        now = clock.now()
        near = all(iso(now - self._shortest) <= one.updated_at <= iso(now + SLACK) for one in latest)
        self._needed = min(STEADY if near else STEADY_AGAIN, self._shortest)

    def holds(self) -> bool:
        """Check the clock; whether it has run unchanged for long enough."""
        before, self._seen = self._seen, self._ahead()
        if abs(self._seen - before) > SLACK:
            self._since, self._needed = self._clock.monotonic(), min(STEADY_AGAIN, self._shortest)
            log.warning("retention.clock_was_set", next="nothing is erased as old until it has run on")
        return self._clock.monotonic() - self._since >= self._needed.total_seconds()

    def _ahead(self) -> timedelta:
        """The difference between the date and the monotonic clock; constant while nobody sets the clock."""
        return self._clock.now() - datetime.fromtimestamp(self._clock.monotonic(), UTC)


def is_over(session: SessionRecord, latest: RunBrief | None, now: datetime, ages: Ages) -> bool:
    """Whether a session has expired; `latest` is the brief of its latest run."""
    caller = None if latest is None else latest.caller
    age = ages.visitors if caller is not None and caller.is_visitor else ages.others
    return session.updated_at < iso(now - age)


def since_a_leap(old: Sequence[Used], now: datetime, ages: Ages) -> list[Used]:
    """The old sessions (oldest first) used after the last pause that is so long that the date may be wrong since.

    An officer, who knows whether the office was closed, erases those before the pause with `agentd purge`.
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
async def retention(sessions: SessionService, ages: Ages, every_s: float) -> AsyncIterator[None]:
    """Erase old sessions every `every_s` within the context; first finish the deletions of an earlier process."""
    sessions.unfinished.set()
    async with beside(purge=_purge_again(sessions, ages, every_s), deletions=_finish_again(sessions)):
        yield


async def _purge_again(sessions: SessionService, ages: Ages, every_s: float) -> None:
    clock = sessions.clock
    steady: Steady | None = None
    await asyncio.sleep(min(every_s, FIRST_S))
    while True:
        with _put_off():
            steady = steady or Steady(clock, await sessions.store.sessions.of(None, 1, None), ages)
            if steady.holds():
                await purge(sessions, ages)
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
    """Log errors of the disk or the database within the context, so that the work is tried again later."""
    try:
        yield
    except (AgentdError, OSError, SQLAlchemyError) as error:
        if not isinstance(error, Busy):  # the database has logged why
            log.warning("retention.put_off", error=type(error).__name__)


async def purge(sessions: SessionService, ages: Ages) -> int:
    """Erase every expired session and return how many; 0 while another node does it."""
    erased, store = 0, sessions.store
    async with store.alone() as alone:
        if not alone:
            return 0
        now = sessions.clock.now()
        await store.sessions.none_after(iso(now + SLACK), iso(now))
        old = await store.sessions.unused_since(iso(now - min(ages.visitors, ages.others)))
        for session, latest in since_a_leap(old, now, ages):
            if not is_over(session, latest, now, ages):
                continue
            runs = await store.runs_where(session_id=session.session_id, limit=1000)
            if any(not rests(run) or run.awaits_staff(iso(now)) for run in runs):
                continue  # a run has not ended, or staff may still decide it
            if session.updated_at >= iso(now - ages.others) and await sessions.owes(session.session_id):
                continue
            await sessions.purge(session.session_id)
            erased += 1
    if erased:
        sessions.unfinished.set()
        log.info("retention.purged", sessions=erased)
    return erased
