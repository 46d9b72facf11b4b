"""The rows of sessions and their turns; each method is one short transaction. The rules are in sessions.py."""

from __future__ import annotations

import json
from dataclasses import replace

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from agentd.runs import statements as sql
from agentd.runs.records import Json, RunBrief, RunRecord, SessionRecord, columns
from agentd.runs.run_database import RunDatabase
from agentd.runs.statements import all_rows, runs_of, session_of
from agentd.runs.tables import events, recoveries, runs, sessions, steps, turns


class SessionRows:
    """Reads and writes sessions as records."""

    def __init__(self, database: RunDatabase) -> None:
        self._database = database

    async def add(self, session: SessionRecord) -> None:
        await self._database.writes.do(lambda db: db.execute(sql.ADD_SESSION, columns(session)))

    async def get(self, session_id: str) -> SessionRecord | None:
        return await self._database.reads.do(lambda db: session_of(db, session_id))

    async def of(self, owner: str | None, limit: int, before: tuple[str, str] | None) -> list[SessionRecord]:
        """Sessions, newest first. `owner` None means everybody's; `before` is the last one seen (updated_at, id)."""
        query = sa.select(sessions).order_by(sessions.c.updated_at.desc(), sessions.c.session_id.desc()).limit(limit)
        if owner is not None:
            query = query.where(sessions.c.owner == owner)
        if before is not None:
            query = query.where(sa.tuple_(sessions.c.updated_at, sessions.c.session_id) < sa.tuple_(*before))
        return [SessionRecord(**row) for row in await self._database.reads.do(lambda db: all_rows(db, query))]

    async def turns(self, session_id: str, limit: int | None = None) -> list[RunRecord]:
        """A session's runs, oldest first. With `limit` only the newest, without events and resume records."""
        query = sql.TURNS if limit is None else sql.NEWEST
        bound = {} if limit is None else {"most": limit}
        return (await self._database.reads.do(lambda db: runs_of(db, query, id=session_id, **bound)))[::-1]

    async def fork(self, session: SessionRecord, source: str) -> None:
        """Add `session` with the turns of the session `source`."""

        def work(db: Connection) -> None:
            parent = session_of(db, source)
            assert parent is not None
            forked = replace(session, attempts=parent.attempts, turns=parent.turns, forked_from=source)
            db.execute(sql.ADD_SESSION, columns(forked))
            copied = sa.select(sa.literal(session.session_id), turns.c.number, turns.c.run_id)
            copied = copied.where(turns.c.session_id == source)
            db.execute(turns.insert().from_select(["session_id", "number", "run_id"], copied))

        await self._database.writes.do(work)

    async def delete(self, session_id: str) -> dict[str, int]:
        """Remove the session, its turns and the runs that no fork shares; returns {removed run's id: last segment}."""

        def work(db: Connection) -> dict[str, int]:
            seen = sa.select(turns.c.run_id).where(turns.c.session_id == session_id)
            mine = sa.or_(runs.c.session_id == session_id, runs.c.run_id.in_(seen))
            segments = sa.select(runs.c.run_id, runs.c.segment).where(mine)
            found = {row.run_id: row.segment for row in db.execute(segments)}
            db.execute(turns.delete().where(turns.c.session_id == session_id))
            db.execute(sessions.delete().where(sessions.c.session_id == session_id))
            kept = {row[0] for row in db.execute(sa.select(turns.c.run_id).where(turns.c.run_id.in_(found)))}
            gone = {run_id: segment for run_id, segment in found.items() if run_id not in kept}
            for table in (runs, steps, events, recoveries):
                db.execute(table.delete().where(table.c.run_id.in_(gone)))
            return gone

        return await self._database.writes.do(work)

    async def detach(self, run: RunRecord, at: str) -> None:
        """Move a run that waits for an officer into a session of its own. Only the call stays, none of the session's
        text that led to it."""
        assert run.approval is not None, "only a run that waits is moved"
        pending = {**(run.record or {})["pending"], "arguments": run.approval.arguments}
        call = {"tool": run.approval.tool, "server": None, "input": run.approval.arguments}
        moved = SessionRecord(f"request-{run.run_id}", run.owner, at, at, turns=1)
        values: Json = {
            "session_id": moved.session_id,
            "kind": "call",
            "prompt": json.dumps(call, ensure_ascii=False),
            "brief": replace(run.brief, options={}, prompt_tools=None),
            "record": {"pending": pending, "said": [], "steps": []},
            "outcome": {"response": run.approval.summary, "steps": [], "approval": run.approval.shown()},
            "events": [],
        }

        def work(db: Connection) -> None:
            db.execute(turns.delete().where(turns.c.run_id == run.run_id))
            db.execute(runs.update().where(runs.c.run_id == run.run_id).values(**values))
            db.execute(sql.ADD_SESSION, columns(moved))
            db.execute(sql.ADD_TURN, {"session_id": moved.session_id, "number": 1, "run_id": run.run_id})

        await self._database.writes.do(work)

    async def none_after(self, limit: str, now: str) -> None:
        """Set the last use of sessions that seem used after `limit` (the clock was set back) to `now`."""
        query = sessions.update().where(sessions.c.updated_at > limit).values(updated_at=now)
        await self._database.writes.do(lambda db: db.execute(query).rowcount)

    async def unused_since(self, before: str) -> list[tuple[SessionRecord, RunBrief | None]]:
        """Sessions last used before that time, oldest first, each with the brief of its latest run."""
        query = (
            sa.select(sessions, runs.c.brief)
            .outerjoin(turns, sa.and_(turns.c.session_id == sessions.c.session_id, turns.c.number == sessions.c.turns))
            .outerjoin(runs, runs.c.run_id == turns.c.run_id)
            .where(sessions.c.updated_at < before)
            .order_by(sessions.c.updated_at)
        )
        rows = await self._database.reads.do(lambda db: all_rows(db, query))
        briefs = [row.pop("brief") for row in rows]
        return [(SessionRecord(**row), brief) for row, brief in zip(rows, briefs, strict=True)]
