"""The tables of sessions, runs and their steps, on SQLite or PostgreSQL. What a run does is the engine's business.

Every method is one short transaction. Statements that each run needs are made once, not for each call.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from agentd.errors import NotFound
from agentd.messages import Event
from agentd.runs import statements as sql
from agentd.runs.databases import empty_journal
from agentd.runs.records import (
    Json,
    RunBrief,
    RunChanges,
    RunRecord,
    SessionRecord,
    StepRecord,
    changed,
    columns,
    run_of,
)
from agentd.runs.retries import passing
from agentd.runs.tables import SCHEMA, add_columns, events, recoveries, runs, schema, sessions, steps, tables, turns
from agentd.runs.transactions import Transactions

_ALONE = 0x61676E74
"""The number of PostgreSQL's advisory lock behind `RunStore.alone`."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What a prompt finds: its session with its latest turn and the runs that wait there, the run that has its id."""

    session: SessionRecord | None = None
    known: RunRecord | None = None
    latest: RunRecord | None = None
    waiting: list[RunRecord] = field(default_factory=list)
    """For an approval, newest first."""


class RunStore:
    """Sessions and runs, as records."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._shared = engine.dialect.name != "sqlite"
        if self._shared:
            self._writes = self._reads = Transactions(engine, "store", threads=4)
        else:  # SQLite has one writer at a time anyway, and readers that need not wait for it
            self._writes = Transactions(engine, "store", threads=1, together=64)
            self._reads = Transactions(engine, "store-reads", threads=2)
        try:
            tables.create_all(engine)
            self._check_schema()
            add_columns(engine)
        except sa.exc.SQLAlchemyError as error:
            if (trouble := passing(error)) is None:
                raise
            raise OSError(f"the database {engine.url.render_as_string()} {trouble}") from None

    def _check_schema(self) -> None:
        """Raises OSError when a newer agentd has written these tables: this one would not understand its rows."""
        with self._engine.begin() as db:
            written = db.execute(sa.select(sa.func.max(schema.c.version))).scalar()
            if written is None or written < SCHEMA:
                db.execute(schema.insert(), [{"version": SCHEMA}])
            elif written > SCHEMA:
                place = self._engine.url.render_as_string()
                raise OSError(
                    f"the database {place} was written by a newer agentd (schema {written}, this one knows {SCHEMA}); "
                    "install that one, or name another state"
                )

    @property
    def writes(self) -> Transactions:
        """Where this database is written: for other tables in it."""
        return self._writes

    def add_tables(self, more: sa.MetaData) -> None:
        """Make an app's own tables in this database; `writes` reads and writes them."""
        more.create_all(self._engine)

    def close(self) -> None:
        """Let what is under way end, and let go of the database."""
        self._writes.close()
        self._reads.close()
        self._engine.dispose()

    # ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def add_session(self, session: SessionRecord) -> None:
        """A new session."""
        await self._writes.do(lambda db: db.execute(sql.ADD_SESSION, columns(session)))

    async def session(self, session_id: str) -> SessionRecord | None:
        """The session."""
        return await self._reads.do(lambda db: _session(db, session_id))

    async def sessions_of(self, owner: str | None, limit: int, before: tuple[str, str] | None) -> list[SessionRecord]:
        """Newest first; `owner` None means everybody's; `before` is the last one seen (updated_at, session_id)."""
        query = sa.select(sessions).order_by(sessions.c.updated_at.desc(), sessions.c.session_id.desc()).limit(limit)
        if owner is not None:
            query = query.where(sessions.c.owner == owner)
        if before is not None:
            query = query.where(sa.tuple_(sessions.c.updated_at, sessions.c.session_id) < sa.tuple_(*before))
        return [SessionRecord(**row) for row in await self._reads.do(lambda db: _all(db, query))]

    async def turns_of(self, session_id: str, limit: int | None = None) -> list[RunRecord]:
        """The runs of a session's turns, oldest first; with `limit` only that many of the newest."""
        query = sql.TURNS if limit is None else sql.TURNS.limit(limit)
        return list(reversed(await self._reads.do(lambda db: _runs(db, query, id=session_id))))

    async def fork(self, session: SessionRecord, source: str) -> None:
        """A new session with the turns of another."""

        def work(db: Connection) -> None:
            parent = _session(db, source)
            assert parent is not None
            forked = replace(session, attempts=parent.attempts, turns=parent.turns, forked_from=source)
            db.execute(sql.ADD_SESSION, columns(forked))
            copied = sa.select(sa.literal(session.session_id), turns.c.number, turns.c.run_id)
            db.execute(
                turns.insert().from_select(
                    ["session_id", "number", "run_id"], copied.where(turns.c.session_id == source)
                )
            )

        await self._writes.do(work)

    async def delete_session(self, session_id: str) -> dict[str, int]:
        """Remove the session, its turns and the runs that no fork shares: {removed run's id: its last segment}."""

        def work(db: Connection) -> dict[str, int]:
            seen = sa.select(turns.c.run_id).where(turns.c.session_id == session_id)
            mine = sa.or_(runs.c.session_id == session_id, runs.c.run_id.in_(seen))
            found = {
                row.run_id: row.segment for row in db.execute(sa.select(runs.c.run_id, runs.c.segment).where(mine))
            }
            db.execute(turns.delete().where(turns.c.session_id == session_id))
            db.execute(sessions.delete().where(sessions.c.session_id == session_id))
            kept = {row[0] for row in db.execute(sa.select(turns.c.run_id).where(turns.c.run_id.in_(found)))}
            gone = {run_id: segment for run_id, segment in found.items() if run_id not in kept}
            for table in (runs, steps, events, recoveries):
                db.execute(table.delete().where(table.c.run_id.in_(gone)))
            return gone

        return await self._writes.do(work)

    async def detach(self, run: RunRecord, at: str) -> None:
        """Move a run that waits for an officer into a session of its own, as the call alone: no word of the session
        that led to it stays."""
        assert run.approval is not None, "only a run that waits is moved"
        pending = {**(run.record or {})["pending"], "arguments": run.approval.arguments}
        call = {"tool": run.approval.tool, "server": None, "input": run.approval.arguments}
        moved = SessionRecord(f"request-{run.run_id}", run.owner, at, at, turns=1)
        values: Json = {
            "session_id": moved.session_id,
            "kind": "call",
            "prompt": json.dumps(call, ensure_ascii=False),
            "brief": replace(run.brief, options={}, prompt_tools=None).json(),
            "record": {"pending": pending, "said": [], "steps": []},
            "outcome": {"response": run.approval.summary, "steps": [], "approval": run.approval.shown()},
            "events": [],
        }

        def work(db: Connection) -> None:
            db.execute(turns.delete().where(turns.c.run_id == run.run_id))
            db.execute(runs.update().where(runs.c.run_id == run.run_id).values(**values))
            db.execute(sql.ADD_SESSION, columns(moved))
            db.execute(sql.ADD_TURN, {"session_id": moved.session_id, "number": 1, "run_id": run.run_id})

        await self._writes.do(work)

    async def empty_journal(self) -> str | None:
        """Overwrite what was deleted in the file's journal too (SQLite). The file's name where that must wait."""
        return await asyncio.to_thread(empty_journal, self._engine)

    async def unused_since(self, before: str) -> list[tuple[SessionRecord, RunBrief | None]]:
        """Sessions last used before that time, the oldest first, each with what its latest run was asked with."""
        query = (
            sa.select(sessions, runs.c.brief)
            .outerjoin(turns, sa.and_(turns.c.session_id == sessions.c.session_id, turns.c.number == sessions.c.turns))
            .outerjoin(runs, runs.c.run_id == turns.c.run_id)
            .where(sessions.c.updated_at < before)
            .order_by(sessions.c.updated_at)
        )
        rows = await self._reads.do(lambda db: _all(db, query))
        briefs = [row.pop("brief") for row in rows]
        return [(SessionRecord(**row), brief and RunBrief.read(brief)) for row, brief in zip(rows, briefs, strict=True)]

    async def run_ids(self) -> set[str]:
        """Of every run there is."""
        return await self._reads.do(lambda db: set(db.execute(sa.select(runs.c.run_id)).scalars()))

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[bool]:
        """Whether no other node is within this at the same time; always so on SQLite, which has one."""
        if not self._shared:
            yield True
            return
        connection = await asyncio.to_thread(self._engine.connect)
        try:
            locked = sa.select(sa.func.pg_try_advisory_lock(_ALONE))
            alone = bool(await asyncio.to_thread(lambda: connection.execute(locked).scalar()))
            await asyncio.to_thread(connection.commit)  # the lock is the connection's: no transaction is kept open
            yield alone
        finally:
            await asyncio.to_thread(connection.invalidate)  # closed, not handed on: that ends the lock, whatever came
            connection.close()

    # ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def opening(self, session_id: str | None, run_id: str | None) -> Opening:
        """What is known already where a prompt with these ids comes in."""

        def work(db: Connection) -> Opening:
            known = _run(db, run_id) if run_id is not None else None
            session = _session(db, session_id) if session_id is not None else None
            if session is None:
                return Opening(known=known)
            latest = next(iter(_runs(db, sql.TURNS.limit(1), id=session_id)), None)
            return Opening(session, known, latest, _runs(db, sql.WAITING, id=session_id))

        return await self._reads.do(work)

    async def add_run(self, run: RunRecord, opened: SessionRecord | None = None) -> RunRecord | int:
        """Take a run on in its session: its turn's number, or the run that has this id.

        Where the session is not there it begins as `opened`. Raises NotFound when it is another's, or gone.
        """

        def work(db: Connection) -> RunRecord | int:
            if existing := _run(db, run.run_id):
                return existing
            there = _session(db, run.session_id)
            key_hash = opened and opened.key_hash
            if (there is None and opened is None) or (there and key_hash and key_hash != there.key_hash):
                raise NotFound("there is no such session")  # somebody else began it, or deleted it, a moment ago
            number = 1 if there is None else there.turns + 1
            if there is not None:
                db.execute(sql.NEXT_TURN, {"id": run.session_id, "number": number, "at": run.created_at})
            elif opened is not None:
                db.execute(sql.ADD_SESSION, columns(replace(opened, turns=number)))
            db.execute(sql.ADD_RUN, columns(run))
            db.execute(sql.ADD_TURN, {"session_id": run.session_id, "number": number, "run_id": run.run_id})
            return number

        return await self._writes.do(work)

    async def run(self, run_id: str) -> RunRecord | None:
        """The run."""
        return await self._reads.do(lambda db: _run(db, run_id))

    async def keys_of(self, run_id: str) -> list[str | None]:
        """Hashes of the keys of every session that has this run as a turn (its own, and those forked from it)."""

        def work(db: Connection) -> list[str | None]:
            return list(db.execute(sql.KEYS, {"id": run_id}).scalars())

        return await self._reads.do(work)

    async def begin(self, run_id: str, node: str) -> tuple[RunRecord, list[StepRecord], int] | None:
        """Mark the run as this node's and running: its record, those of its finished steps, and how
        often it was begun again since the last of them.

        The first time it fixes the count of model attempts that the session had before. None when it is over.
        """

        def work(db: Connection) -> tuple[RunRecord, list[StepRecord], int] | None:
            row = _one(db, sql.RUN_AND_ATTEMPTS, id=run_id)
            if row is None or row["status"] not in ("queued", "running"):
                return None
            before = row.pop("attempts_before") or 0
            fresh = row["status"] == "queued"
            attempt = before if fresh and row["segment"] == 0 else row["attempt"]
            values = {"status": "running", "node": node, "attempt": attempt}
            db.execute(sql.BEGIN, {"id": run_id, **{f"new_{key}": value for key, value in values.items()}})
            run = run_of({**row, **values})
            if fresh:
                return run, [], 0
            recorded = [StepRecord(**step) for step in _all(db, sql.STEPS, id=run_id)]
            return run, recorded, _recovered(db, run_id, run.segment, len(recorded), 1)

        return await self._writes.do(work)

    async def stopped(self, run_ids: list[str]) -> None:
        """These runs go on at the next start because the daemon was stopped: that counts against none of them."""

        def work(db: Connection) -> None:
            count = sa.func.count(steps.c.number)
            at_work = (
                sa.select(runs.c.run_id, runs.c.segment, count.label("steps"))
                .outerjoin(steps, steps.c.run_id == runs.c.run_id)
                .where(runs.c.run_id.in_(run_ids), runs.c.status == "running")
                .group_by(runs.c.run_id, runs.c.segment)
            )
            for row in _all(db, at_work):
                _recovered(db, row["run_id"], row["segment"], row["steps"], -1)

        if run_ids:
            await self._writes.do(work)

    async def add_step(self, run_id: str, node: str, number: int, name: str, record: Json) -> bool:
        """Keep what a step came to. False when the run is not this node's any more."""
        values = {"run_id": run_id, "number": number, "name": name, "record": record, "node": node}
        statement = sql.ADD_STEP[self._engine.dialect.name]
        return bool(await self._writes.do(lambda db: db.execute(statement, values).rowcount))

    async def finish(self, run: RunRecord, at: str) -> bool:
        """Write what a run (or its part up to an approval) came to, and count its model attempts in the session.

        False when the run is gone, or another node's by now.
        """
        run_id = run.run_id
        ended = {"id": run_id, "by": run.node, "new_attempts": run.attempts}
        ended |= {f"new_{key}": value for key, value in columns(run).items() if key in sql.RESULT}

        def work(db: Connection) -> bool:
            counted = db.execute(sql.ATTEMPTS, {"id": run_id}).scalar()
            if not db.execute(sql.FINISH, ended).rowcount:
                return False
            db.execute(sql.FORGET_STEPS, {"id": run_id})
            if self._shared:
                db.execute(sql.FORGET_EVENTS, {"id": run_id})
            db.execute(sql.COUNT, {"id": run.session_id, "more": run.attempts - (counted or 0), "at": at})
            return True

        return await self._writes.do(work)

    async def change(self, run_id: str, expected: str, changes: RunChanges, segment: int | None = None) -> bool:
        """Change a run that has the expected status (and segment); False when it has another by now."""
        query = runs.update().where(runs.c.run_id == run_id, runs.c.status == expected).values(**changed(changes))
        if segment is not None:
            query = query.where(runs.c.segment == segment)
        return bool(await self._writes.do(lambda db: db.execute(query).rowcount))

    async def runs_where(
        self,
        *,
        owner: str | None = None,
        session_id: str | None = None,
        status: str | None = None,
        recovered: int = 0,
        limit: int = 50,
    ) -> list[RunRecord]:
        """Newest first, cut to what is asked; `recovered`: begun again that often without a finished step."""
        query = sa.select(runs).order_by(runs.c.created_at.desc(), runs.c.run_id.desc()).limit(limit)
        if owner is not None:
            query = query.where(runs.c.owner == owner)
        if session_id is not None:
            query = query.where(runs.c.session_id == session_id)
        if status is not None:
            query = query.where(runs.c.status == status)
        if recovered:
            often = sa.select(recoveries.c.run_id).where(recoveries.c.times >= recovered)
            query = query.where(runs.c.run_id.in_(often))
        return await self._reads.do(lambda db: _runs(db, query))

    async def open_runs(self) -> list[RunRecord]:
        """Runs that have not ended, oldest first."""
        query = sa.select(runs).where(runs.c.status.in_(("queued", "running"))).order_by(runs.c.created_at)
        return await self._reads.do(lambda db: _runs(db, query))

    # ── several nodes ────────────────────────────────────────────────────────────────────────────────────────────────

    async def queued(self) -> int:
        """How many runs wait for a node."""
        query = sa.select(sa.func.count()).select_from(runs).where(runs.c.status == "queued")
        return await self._reads.do(lambda db: int(db.execute(query).scalar() or 0))

    async def add_events(self, run_id: str, added: list[Event]) -> None:
        """Show events of a run under way to the other nodes; ones that are there already stay."""

        def work(db: Connection) -> None:
            there = set(db.execute(sa.select(events.c.seq).where(events.c.run_id == run_id)).scalars())
            new = [event for event in added if event.seq not in there]
            rows = [{"run_id": run_id, "seq": event.seq, "event": event.model_dump(mode="json")} for event in new]
            if rows:
                db.execute(events.insert(), rows)

        await self._writes.do(work)

    async def events_after(self, run_id: str, after: int) -> list[Event]:
        """Events of a run that another node works on."""
        query = sa.select(events.c.event).where(events.c.run_id == run_id, events.c.seq > after).order_by(events.c.seq)
        return [Event.model_validate(row["event"]) for row in await self._reads.do(lambda db: _all(db, query))]

    async def cancelled_among(self, run_ids: list[str]) -> list[str]:
        """Which of these runs somebody has cancelled."""
        query = sa.select(runs.c.run_id).where(runs.c.run_id.in_(run_ids), runs.c.status == "cancelled")
        return [row["run_id"] for row in await self._reads.do(lambda db: _all(db, query))]


def _recovered(db: Connection, run_id: str, segment: int, done: int, more: int) -> int:
    """Count recoveries of a run that has `done` steps, from zero where it has come further since the last."""
    known = _one(db, sa.select(recoveries).where(recoveries.c.run_id == run_id))
    place = {"segment": segment, "steps": done}
    same = known is not None and place.items() <= known.items()
    times = more + (known["times"] if known is not None and same else 0)
    if known is None:
        db.execute(recoveries.insert(), {"run_id": run_id, **place, "times": times})
    else:
        db.execute(recoveries.update().where(recoveries.c.run_id == run_id).values(**place, times=times))
    return times


def _one(db: Connection, query: sa.Select[Any], **values: Any) -> Json | None:
    found = db.execute(query, values).mappings().first()
    return None if found is None else dict(found)


def _all(db: Connection, query: sa.Select[Any], **values: Any) -> list[Json]:
    return [dict(row) for row in db.execute(query, values).mappings()]


def _session(db: Connection, session_id: str) -> SessionRecord | None:
    found = _one(db, sql.SESSION, id=session_id)
    return None if found is None else SessionRecord(**found)


def _run(db: Connection, run_id: str) -> RunRecord | None:
    found = _one(db, sql.RUN, id=run_id)
    return None if found is None else run_of(found)


def _runs(db: Connection, query: sa.Select[Any], **values: Any) -> list[RunRecord]:
    return [run_of(row) for row in _all(db, query, **values)]
