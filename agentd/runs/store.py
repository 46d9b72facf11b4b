"""Stores runs and their steps in SQLite or PostgreSQL. The engine executes the runs.

Every method is one short transaction. Statements that each run needs are built once, not for each call.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from agentd.errors import NotFound
from agentd.messages import Event
from agentd.runs import statements as sql
from agentd.runs.records import Json, RunRecord, SessionRecord, StepRecord, columns
from agentd.runs.run_database import RunDatabase
from agentd.runs.session_rows import SessionRows
from agentd.runs.statements import first_row, run_named, runs_of, session_of
from agentd.runs.tables import events, recoveries, runs, sessions, steps, turns

LATEST = 8
"""How many of a session's latest turns are read with the session."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What is stored when a prompt arrives: its session, latest turns and waiting runs, and the run with its id."""

    session: SessionRecord | None = None
    known: RunRecord | None = None
    past: list[RunRecord] = field(default_factory=list)
    """The latest turns, oldest first."""
    waiting: list[RunRecord] = field(default_factory=list)
    """The runs that wait for an approval, newest first."""

    @property
    def latest(self) -> RunRecord | None:
        return self.past[-1] if self.past else None

    def before(self, number: int) -> list[RunRecord] | None:
        """All turns before turn `number`; None if there may be more or one has not ended."""
        turns = 0 if self.session is None else self.session.turns
        whole = number == turns + 1 and len(self.past) < LATEST and all(run.finished_at for run in self.past)
        return self.past if whole else None


class RunStore(RunDatabase):
    """Reads and writes runs as records; `sessions` does the same for sessions."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.sessions = SessionRows(self)
        self._ended = WeakValueDictionary[str, RunRecord]()

    async def run_ids(self) -> set[str]:
        return await self.reads.do(lambda db: set(db.execute(sa.select(runs.c.run_id)).scalars()))

    async def opening(self, session_id: str | None, run_id: str | None) -> Opening:
        def work(db: Connection) -> Opening:
            known = run_named(db, run_id) if run_id is not None else None
            session = session_of(db, session_id) if session_id is not None else None
            if session is None or not session.turns:
                return Opening(session, known)
            past = runs_of(db, sql.NEWEST, id=session_id, most=LATEST)
            may_wait = len(past) == LATEST or any(run.status == "needs_approval" for run in past)
            waiting = runs_of(db, sql.WAITING, id=session_id) if may_wait else []
            return Opening(session, known, past[::-1], waiting)

        return await self.reads.do(work)

    async def add_run(
        self, run: RunRecord, opened: SessionRecord | None = None, node: str | None = None
    ) -> tuple[RunRecord, int]:
        """Add a run to its session; returns its record and turn number, or the existing run of this id and 0.

        With `node` the run begins there at once, as by `begin`, unless another run of its session is unfinished. A
        missing session is created as `opened`. Raises NotFound if the session is somebody else's or was deleted.
        """
        add = sql.add_run(self.engine.dialect.name)

        def work(db: Connection) -> tuple[RunRecord, int]:
            row = first_row(db, sql.SESSION_AND_WORK, id=run.session_id)
            works = row.pop("works", False)
            known = SessionRecord(**row) if row else None
            number = known.turns + 1 if known is not None else 1
            taken = run
            if node is not None and not works:
                taken = replace(run, status="running", node=node, attempt=known.attempts if known is not None else 0)
            if not db.execute(add, columns(taken)).rowcount:
                existing = run_named(db, run.run_id)
                assert existing is not None, "a run whose id is taken is there"
                return existing, 0
            another = known is not None and opened is not None and opened.key_hash not in (None, known.key_hash)
            if another or (known is None and opened is None):
                raise NotFound("there is no such session")  # somebody else just created or deleted it
            if known is not None:
                db.execute(sql.NEXT_TURN, {"id": run.session_id, "number": number, "at": run.created_at})
            elif opened is not None:
                db.execute(sql.ADD_SESSION, columns(replace(opened, turns=number)))
            db.execute(sql.ADD_TURN, {"session_id": run.session_id, "number": number, "run_id": run.run_id})
            return taken, number

        return await self.writes.do(work)

    async def run(self, run_id: str, *, whole: bool = True) -> RunRecord | None:
        """The run; all who hold an ended one share it, as it may be large. Not `whole`: only what sql.HEAD reads."""

        def work(db: Connection) -> RunRecord | None:
            head, held = run_named(db, run_id, sql.HEAD), self._ended.get(run_id)
            if not whole or head is None:
                return head
            if held is not None and held.created_at == head.created_at:
                return held
            row = run_named(db, run_id)
            if row is not None and row.finished_at is not None:
                self._ended[run_id] = row
            return row

        return await self.reads.do(work)

    async def keys_of(self, run_id: str) -> list[str | None]:
        """The key hashes of all sessions that have this run as a turn (its own and forks)."""
        query = sa.select(sessions.c.key_hash).join(turns, turns.c.session_id == sessions.c.session_id)
        return await self.reads.do(lambda db: list(db.execute(query.where(turns.c.run_id == run_id)).scalars()))

    async def begin(self, run_id: str, node: str) -> tuple[RunRecord, list[StepRecord], int] | None:
        """Mark the run as running on this node; returns its record, its finished steps, and how often it was restarted
        since the last step. None if it is over.

        The first time, it also fixes the session's count of earlier model attempts.
        """
        this = runs.c.run_id == run_id
        with_session = sa.select(runs, sessions.c.attempts.label("attempts_before")).where(this)
        with_session = with_session.outerjoin(sessions, sessions.c.session_id == runs.c.session_id)
        finished = sa.select(steps.c.name, steps.c.record).where(steps.c.run_id == run_id).order_by(steps.c.number)

        def work(db: Connection) -> tuple[RunRecord, list[StepRecord], int] | None:
            row = first_row(db, with_session)
            before = row.pop("attempts_before", None) or 0
            found = RunRecord(**row) if row else None
            if found is None or found.status not in ("queued", "running"):
                return None
            fresh = found.status == "queued"
            attempt = before if fresh and found.segment == 0 else found.attempt
            run = replace(found, status="running", node=node, attempt=attempt)
            db.execute(runs.update().where(this).values(status=run.status, node=node, attempt=attempt))
            if fresh:
                return run, [], 0
            recorded = [StepRecord(*step) for step in db.execute(finished)]
            return run, recorded, _recovered(db, run_id, run.segment, len(recorded), 1)

        return await self.writes.do(work)

    async def stopped(self, run_ids: list[str]) -> None:
        """Note that the daemon was stopped, so that continuing these runs does not count as a recovery."""

        def work(db: Connection) -> None:
            count = sa.func.count(steps.c.number)
            at_work = (
                sa.select(runs.c.run_id, runs.c.segment, count.label("steps"))
                .outerjoin(steps, steps.c.run_id == runs.c.run_id)
                .where(runs.c.run_id.in_(run_ids), runs.c.status == "running")
                .group_by(runs.c.run_id, runs.c.segment)
            )
            for run_id, segment, done in db.execute(at_work).all():
                _recovered(db, run_id, segment, done, -1)

        if run_ids:
            await self.writes.do(work)

    async def add_step(self, run_id: str, node: str, number: int, name: str, record: Json) -> bool:
        """Store a step's result. False if this node no longer owns the run."""
        values = {"run_id": run_id, "number": number, "name": name, "record": record, "node": node}
        statement = sql.add_step(self.engine.dialect.name)
        return bool(await self.writes.do(lambda db: db.execute(statement, values).rowcount))

    async def finish(self, run: RunRecord, at: str) -> bool:
        """Write the result of a run (or of a segment up to an approval) and add its model attempts to the session.

        False if the run was deleted or another node owns it.
        """
        run_id = run.run_id
        mine = {"id": run_id, "by": run.node, "new_attempts": run.attempts}
        ended = mine | {f"new_{key}": value for key, value in columns(run).items() if key in sql.RESULT}

        def work(db: Connection) -> bool:
            db.execute(sql.COUNT, {**mine, "at": at})
            if not db.execute(sql.FINISH, ended).rowcount:
                return False
            db.execute(sql.FORGET_STEPS, {"id": run_id})
            if self.shared:
                db.execute(events.delete().where(events.c.run_id == run_id))
            return True

        return await self.writes.do(work)

    async def change(self, before: RunRecord, after: RunRecord) -> bool:
        """Write the columns that differ in `after`; False if the run's status or segment has changed since."""
        values = {name: value for name, value in columns(after).items() if value != getattr(before, name)}
        same = (runs.c[name] == getattr(before, name) for name in ("run_id", "status", "segment"))
        query = runs.update().where(*same).values(**values)
        return bool(await self.writes.do(lambda db: db.execute(query).rowcount))

    async def runs_where(
        self,
        *,
        owner: str | None = None,
        session_id: str | None = None,
        status: str | None = None,
        recovered: int = 0,
        limit: int = 50,
    ) -> list[RunRecord]:
        """Matching runs, newest first. `recovered`: only runs restarted at least so often without a finished step."""
        asked = {"owner": owner, "session_id": session_id, "status": status}
        query = sa.select(runs).filter_by(**{name: value for name, value in asked.items() if value is not None})
        query = query.order_by(runs.c.created_at.desc(), runs.c.run_id.desc()).limit(limit)
        if recovered:
            often = sa.select(recoveries.c.run_id).where(recoveries.c.times >= recovered)
            query = query.where(runs.c.run_id.in_(often))
        return await self.reads.do(lambda db: runs_of(db, query))

    async def open_runs(self) -> list[RunRecord]:
        """Runs that have not ended, oldest first."""
        query = sa.select(runs).where(runs.c.status.in_(("queued", "running"))).order_by(runs.c.created_at)
        return await self.reads.do(lambda db: runs_of(db, query))

    # ── several nodes ────────────────────────────────────────────────────────────────────────────────────────────────

    async def queued(self) -> int:
        query = sa.select(sa.func.count()).select_from(runs).where(runs.c.status == "queued")
        return await self.reads.do(lambda db: int(db.execute(query).scalar() or 0))

    async def add_events(self, run_id: str, added: list[Event]) -> None:
        """Store events of an unfinished run for the other nodes; existing ones stay."""

        def work(db: Connection) -> None:
            there = set(db.execute(sa.select(events.c.seq).where(events.c.run_id == run_id)).scalars())
            new = [event for event in added if event.seq not in there]
            rows = [{"run_id": run_id, "seq": event.seq, "event": event.model_dump(mode="json")} for event in new]
            if rows:
                db.execute(events.insert(), rows)

        await self.writes.do(work)

    async def events_after(self, run_id: str, after: int) -> list[Event]:
        """Events of a run on another node with a seq above `after`."""
        query = sa.select(events.c.event).where(events.c.run_id == run_id, events.c.seq > after).order_by(events.c.seq)
        shown = await self.reads.do(lambda db: list(db.execute(query).scalars()))
        return [Event.model_validate(each) for each in shown]

    async def cancelled_among(self, run_ids: list[str]) -> list[str]:
        query = sa.select(runs.c.run_id).where(runs.c.run_id.in_(run_ids), runs.c.status == "cancelled")
        return await self.reads.do(lambda db: list(db.execute(query).scalars()))


def _recovered(db: Connection, run_id: str, segment: int, done: int, more: int) -> int:
    """Add `more` to the recoveries of a run with `done` steps, from zero if it has progressed; returns the count."""
    counted = sa.select(recoveries.c.segment, recoveries.c.steps, recoveries.c.times)
    known = db.execute(counted.where(recoveries.c.run_id == run_id)).one_or_none()
    position = {"segment": segment, "steps": done}
    times = more + (known[2] if known is not None and tuple(known[:2]) == (segment, done) else 0)
    if known is None:
        db.execute(recoveries.insert(), {"run_id": run_id, **position, "times": times})
    else:
        db.execute(recoveries.update().where(recoveries.c.run_id == run_id).values(**position, times=times))
    return times
