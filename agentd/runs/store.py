"""The tables of sessions, runs and their steps, on SQLite or PostgreSQL. What a run does is the engine's business.

Every method is one short transaction. Statements that each run needs are made once, not for each call.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, Engine

from agentd.errors import NotFound
from agentd.runs.retries import passing
from agentd.runs.transactions import Transactions

Row = dict[str, Any]

SCHEMA = 2
"""Grows when the tables change in a way that an older agentd would not understand."""

_tables = sa.MetaData()
schema = sa.Table("agentd_schema", _tables, sa.Column("version", sa.Integer, primary_key=True, autoincrement=False))

sessions = sa.Table(
    "agentd_sessions",
    _tables,
    sa.Column("session_id", sa.String(200), primary_key=True),
    sa.Column("owner", sa.String(200), nullable=False),
    sa.Column("title", sa.String(200)),
    sa.Column("created_at", sa.String(40), nullable=False),
    sa.Column("updated_at", sa.String(40), nullable=False),
    sa.Column("forked_from", sa.String(200)),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("turns", sa.Integer, nullable=False, default=0),
    sa.Column("key_hash", sa.String(64)),  # of the visitor's secret; none: staff's, or older than these keys
    sa.Index("agentd_sessions_of_owner", "owner", "updated_at", "session_id"),
    sa.Index("agentd_sessions_by_age", "updated_at", "session_id"),
)
turns = sa.Table(
    "agentd_turns",
    _tables,
    sa.Column("session_id", sa.String(200), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("run_id", sa.String(200), nullable=False, index=True),
)
runs = sa.Table(
    "agentd_runs",
    _tables,
    sa.Column("run_id", sa.String(200), primary_key=True),
    sa.Column("session_id", sa.String(200), nullable=False),
    sa.Column("owner", sa.String(200), nullable=False),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("prompt", sa.Text, nullable=False),
    sa.Column("brief", sa.JSON, nullable=False),
    sa.Column("status", sa.String(20), nullable=False, index=True),
    sa.Column("segment", sa.Integer, nullable=False, default=0),
    sa.Column("created_at", sa.String(40), nullable=False),
    sa.Column("finished_at", sa.String(40)),
    sa.Column("attempt", sa.Integer, nullable=False, default=0),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("outcome", sa.JSON),
    sa.Column("error", sa.JSON),
    sa.Column("record", sa.JSON),
    sa.Column("approval", sa.JSON),
    sa.Column("events", sa.JSON),
    sa.Column("node", sa.String(100)),
    sa.Index("agentd_runs_of_session", "session_id", "created_at"),
    sa.Index("agentd_runs_of_owner", "owner", "created_at"),
    sa.Index("agentd_runs_by_age", "created_at"),
)
steps = sa.Table(
    "agentd_steps",
    _tables,
    sa.Column("run_id", sa.String(200), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("record", sa.JSON, nullable=False),
    sqlite_with_rowid=False,
)
"""What the steps of runs under way came to, so that none is repeated; a segment that has ended needs them no more."""
events = sa.Table(
    "agentd_events",
    _tables,
    sa.Column("run_id", sa.String(200), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("event", sa.JSON, nullable=False),
)
"""Events of runs under way, for the other nodes of a cluster; at its end a run keeps them itself."""
recoveries = sa.Table(
    "agentd_recoveries",
    _tables,
    sa.Column("run_id", sa.String(200), primary_key=True),
    sa.Column("segment", sa.Integer, nullable=False),
    sa.Column("steps", sa.Integer, nullable=False),
    sa.Column("times", sa.Integer, nullable=False),
)
"""How often a run was begun again at the same step, after its daemon had ended without a stop."""
nodes = sa.Table(
    "agentd_nodes",
    _tables,
    sa.Column("node", sa.String(100), primary_key=True),
    sa.Column("seen_at", sa.String(40), nullable=False),
)


def postgresql_engine(url: str) -> Engine:
    """An engine for a shared PostgreSQL, `postgresql://…` with the driver that agentd ships."""
    return sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"), pool_size=8, pool_pre_ping=True)


def sqlite_engine(file: Path) -> Engine:
    """An engine for one SQLite file: WAL, short waits for a writer, deleted words overwritten on the disk."""
    file.parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(f"sqlite:///{file}", pool_size=8)

    @sa.event.listens_for(engine, "connect")
    def pragmas(connection: Any, _record: Any) -> None:
        connection.isolation_level = "IMMEDIATE"
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "busy_timeout=5000",
            "foreign_keys=ON",
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def empty_journal(engine: Engine) -> str | None:
    """Fold SQLite's journal into its file and cut it, so that no deleted word stays there. Nothing elsewhere.

    The name of the file where that must wait: another program reads it as it was before.
    """
    if engine.dialect.name != "sqlite":
        return None
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout=500")
        try:
            busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar()
        finally:
            connection.exec_driver_sql("PRAGMA busy_timeout=5000")
    return Path(str(engine.url.database)).name if busy else None


_ALONE = 0x61676E74
"""The number of PostgreSQL's advisory lock behind `RunStore.alone`."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What a prompt finds: its session with its latest turn and the runs that wait there, the run that has its id."""

    session: Row | None = None
    known: Row | None = None
    latest: Row | None = None
    waiting: list[Row] = field(default_factory=list)
    """For an approval, newest first."""


class RunStore:
    """Rows of sessions and runs. Times are ISO 8601 in UTC; JSON columns hold what the engine puts there."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._shared = engine.dialect.name != "sqlite"
        if self._shared:
            self._writes = self._reads = Transactions(engine, "store", threads=4)
        else:  # SQLite has one writer at a time anyway, and readers that need not wait for it
            self._writes = Transactions(engine, "store", threads=1, together=64)
            self._reads = Transactions(engine, "store-reads", threads=2)
        try:
            _tables.create_all(engine)
            self._check_schema()
            _add_columns(engine)
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

    def close(self) -> None:
        """Let what is under way end, and let go of the database."""
        self._writes.close()
        self._reads.close()
        self._engine.dispose()

    # ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def add_session(self, row: Row) -> None:
        """A new session."""
        await self._writes.do(lambda db: db.execute(sessions.insert(), [{**_NO_SESSION, **row}]))

    async def session(self, session_id: str) -> Row | None:
        """The session's row."""
        return await self._reads.do(lambda db: _one(db, _SESSION, id=session_id))

    async def sessions_of(self, owner: str | None, limit: int, before: tuple[str, str] | None) -> list[Row]:
        """Newest first; `owner` None means everybody's; `before` is the last one seen (updated_at, session_id)."""
        query = sa.select(sessions).order_by(sessions.c.updated_at.desc(), sessions.c.session_id.desc()).limit(limit)
        if owner is not None:
            query = query.where(sessions.c.owner == owner)
        if before is not None:
            query = query.where(sa.tuple_(sessions.c.updated_at, sessions.c.session_id) < sa.tuple_(*before))
        return await self._reads.do(lambda db: _all(db, query))

    async def turns_of(self, session_id: str, limit: int | None = None) -> list[Row]:
        """The runs of a session's turns, oldest first; with `limit` only that many of the newest."""
        query = _TURNS if limit is None else _TURNS.limit(limit)
        return list(reversed(await self._reads.do(lambda db: _all(db, query, id=session_id))))

    async def fork(self, row: Row, source: str) -> None:
        """A new session with the turns of another."""

        def work(db: Connection) -> None:
            parent = _one(db, _SESSION, id=source)
            assert parent is not None
            past = {"attempts": parent["attempts"], "turns": parent["turns"], "forked_from": source}
            db.execute(sessions.insert(), [{**_NO_SESSION, **row, **past}])
            copied = sa.select(sa.literal(row["session_id"]), turns.c.number, turns.c.run_id)
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

    async def empty_journal(self) -> str | None:
        """Overwrite what was deleted in the file's journal too (SQLite). The file's name where that must wait."""
        return await asyncio.to_thread(empty_journal, self._engine)

    async def unused_since(self, before: str) -> list[tuple[Row, Row | None]]:
        """Sessions last used before that time, the oldest first, each with its latest run (`brief` alone)."""
        query = (
            sa.select(sessions.c.session_id, sessions.c.updated_at, runs.c.brief)
            .outerjoin(turns, sa.and_(turns.c.session_id == sessions.c.session_id, turns.c.number == sessions.c.turns))
            .outerjoin(runs, runs.c.run_id == turns.c.run_id)
            .where(sessions.c.updated_at < before)
            .order_by(sessions.c.updated_at)
        )
        rows = await self._reads.do(lambda db: _all(db, query))
        return [(row, row if row["brief"] is not None else None) for row in rows]

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
            known = _one(db, _RUN, id=run_id) if run_id is not None else None
            session = _one(db, _SESSION, id=session_id) if session_id is not None else None
            if session is None:
                return Opening(known=known)
            latest = _one(db, _TURNS.limit(1), id=session_id)
            return Opening(session, known, latest, _all(db, _WAITING, id=session_id))

        return await self._reads.do(work)

    async def add_run(self, row: Row, session: Row) -> Row | int:
        """Take a run on in its session (made when it is not there): its turn's number, or the run that has this id."""

        def work(db: Connection) -> Row | int:
            if existing := _one(db, _RUN, id=row["run_id"]):
                return existing
            there = _one(db, _SESSION, id=row["session_id"])
            if there is not None and (session.get("key_hash") or there["key_hash"]) != there["key_hash"]:
                raise NotFound("there is no such session")  # somebody else began it a moment ago
            number = 1 if there is None else there["turns"] + 1
            if there is None:
                db.execute(_ADD_SESSION, {**_NO_SESSION, **session, "turns": number})
            else:
                db.execute(_NEXT_TURN, {"id": row["session_id"], "number": number, "at": row["created_at"]})
            db.execute(_ADD_RUN, {**_NO_RUN, **row})
            db.execute(_ADD_TURN, {"session_id": row["session_id"], "number": number, "run_id": row["run_id"]})
            return int(number)

        return await self._writes.do(work)

    async def run(self, run_id: str) -> Row | None:
        """The run's row."""
        return await self._reads.do(lambda db: _one(db, _RUN, id=run_id))

    async def keys_of(self, run_id: str) -> list[str | None]:
        """Hashes of the keys of every session that has this run as a turn (its own, and those forked from it)."""

        def work(db: Connection) -> list[str | None]:
            return list(db.execute(_KEYS, {"id": run_id}).scalars())

        return await self._reads.do(work)

    async def begin(self, run_id: str, node: str) -> tuple[Row, list[Row], int] | None:
        """Mark the run as this node's and running: its row, the records {name, record} of its finished steps, and how
        often it was begun again since the last of them.

        The first time it fixes the count of model attempts that the session had before. None when it is over.
        """

        def work(db: Connection) -> tuple[Row, list[Row], int] | None:
            row = _one(db, _RUN_AND_ATTEMPTS, id=run_id)
            if row is None or row["status"] not in ("queued", "running"):
                return None
            before = row.pop("attempts_before") or 0
            fresh = row["status"] == "queued"
            attempt = before if fresh and row["segment"] == 0 else row["attempt"]
            values = {"status": "running", "node": node, "attempt": attempt}
            db.execute(_BEGIN, {"id": run_id, **{f"new_{key}": value for key, value in values.items()}})
            row |= values
            if fresh:
                return row, [], 0
            recorded = _all(db, _STEPS, id=run_id)
            return row, recorded, _recovered(db, run_id, row["segment"], len(recorded), 1)

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

    async def add_step(self, run_id: str, node: str, number: int, name: str, record: Row) -> bool:
        """Keep what a step came to. False when the run is not this node's any more."""
        values = {"run_id": run_id, "number": number, "name": name, "record": record, "node": node}
        statement = _ADD_STEP[self._engine.dialect.name]
        return bool(await self._writes.do(lambda db: db.execute(statement, values).rowcount))

    async def finish(self, row: Row, values: Row, attempts: int, at: str) -> bool:
        """Write what a run (or its part up to an approval) came to, and count its model attempts in the session.

        `row` is the run as it was begun; False when it is gone, or another node's by now.
        """
        run_id = row["run_id"]
        ended = {"id": run_id, "by": row["node"], "new_attempts": attempts}
        ended |= {f"new_{key}": values[key] for key in _RESULT}

        def work(db: Connection) -> bool:
            counted = db.execute(_ATTEMPTS, {"id": run_id}).scalar()
            if not db.execute(_FINISH, ended).rowcount:
                return False
            db.execute(_FORGET_STEPS, {"id": run_id})
            if self._shared:
                db.execute(_FORGET_EVENTS, {"id": run_id})
            db.execute(_COUNT, {"id": row["session_id"], "more": attempts - (counted or 0), "at": at})
            return True

        return await self._writes.do(work)

    async def change(self, run_id: str, expected: str, values: Row, segment: int | None = None) -> bool:
        """Change a run that has the expected status (and segment); False when it has another by now."""
        query = runs.update().where(runs.c.run_id == run_id, runs.c.status == expected).values(**values)
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
    ) -> list[Row]:
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
        return await self._reads.do(lambda db: _all(db, query))

    async def open_runs(self) -> list[Row]:
        """Runs that have not ended, oldest first."""
        query = sa.select(runs).where(runs.c.status.in_(("queued", "running"))).order_by(runs.c.created_at)
        return await self._reads.do(lambda db: _all(db, query))

    # ── several nodes ────────────────────────────────────────────────────────────────────────────────────────────────

    async def queued(self) -> int:
        """How many runs wait for a node."""
        query = sa.select(sa.func.count()).select_from(runs).where(runs.c.status == "queued")
        return await self._reads.do(lambda db: int(db.execute(query).scalar() or 0))

    async def add_events(self, run_id: str, added: list[Row]) -> None:
        """Show events of a run under way to the other nodes; ones that are there already stay."""

        def work(db: Connection) -> None:
            there = set(db.execute(sa.select(events.c.seq).where(events.c.run_id == run_id)).scalars())
            rows = [{"run_id": run_id, "seq": row["seq"], "event": row} for row in added if row["seq"] not in there]
            if rows:
                db.execute(events.insert(), rows)

        await self._writes.do(work)

    async def events_after(self, run_id: str, after: int) -> list[Row]:
        """Events of a run that another node works on."""
        query = sa.select(events.c.event).where(events.c.run_id == run_id, events.c.seq > after).order_by(events.c.seq)
        return [row["event"] for row in await self._reads.do(lambda db: _all(db, query))]

    async def cancelled_among(self, run_ids: list[str]) -> list[str]:
        """Which of these runs somebody has cancelled."""
        query = sa.select(runs.c.run_id).where(runs.c.run_id.in_(run_ids), runs.c.status == "cancelled")
        return [row["run_id"] for row in await self._reads.do(lambda db: _all(db, query))]


_NO_SESSION: Row = {"title": None, "forked_from": None, "attempts": 0, "turns": 0, "key_hash": None}
_NO_RUN: Row = {
    "segment": 0,
    "attempt": 0,
    "attempts": 0,
    "finished_at": None,
    "outcome": None,
    "error": None,
    "record": None,
    "approval": None,
    "events": None,
    "node": None,
}


_RESULT = ("status", "outcome", "error", "record", "approval", "finished_at", "events")

_SESSION = sa.select(sessions).where(sessions.c.session_id == sa.bindparam("id"))
_ADD_SESSION = sessions.insert()
_NEXT_TURN = (
    sessions.update()
    .where(sessions.c.session_id == sa.bindparam("id"))
    .values(turns=sa.bindparam("number"), updated_at=sa.bindparam("at"))
)
_COUNT = (
    sessions.update()
    .where(sessions.c.session_id == sa.bindparam("id"))
    .values(attempts=sessions.c.attempts + sa.bindparam("more"), updated_at=sa.bindparam("at"))
)
_ADD_TURN = turns.insert()
_KEYS = (
    sa.select(sessions.c.key_hash)
    .join(turns, turns.c.session_id == sessions.c.session_id)
    .where(turns.c.run_id == sa.bindparam("id"))
)
_TURNS = (
    sa.select(runs)
    .join(turns, turns.c.run_id == runs.c.run_id)
    .where(turns.c.session_id == sa.bindparam("id"))
    .order_by(turns.c.number.desc())
)
_RUN = sa.select(runs).where(runs.c.run_id == sa.bindparam("id"))
_ATTEMPTS = sa.select(runs.c.attempts).where(runs.c.run_id == sa.bindparam("id"))
_RUN_AND_ATTEMPTS = (
    sa.select(runs, sessions.c.attempts.label("attempts_before"))
    .outerjoin(sessions, sessions.c.session_id == runs.c.session_id)
    .where(runs.c.run_id == sa.bindparam("id"))
)
_WAITING = (
    sa.select(runs)
    .where(runs.c.session_id == sa.bindparam("id"), runs.c.status == "needs_approval")
    .order_by(runs.c.created_at.desc())
)
_ADD_RUN = runs.insert()
_BEGIN = (
    runs.update()
    .where(runs.c.run_id == sa.bindparam("id"))
    .values({key: sa.bindparam(f"new_{key}") for key in ("status", "node", "attempt")})
)
_FINISH = (
    runs.update()
    .where(runs.c.run_id == sa.bindparam("id"), runs.c.node.is_not_distinct_from(sa.bindparam("by")))
    .values({key: sa.bindparam(f"new_{key}") for key in (*_RESULT, "attempts")})
)
_STEPS = sa.select(steps.c.name, steps.c.record).where(steps.c.run_id == sa.bindparam("id")).order_by(steps.c.number)
_THIS_STEP = sa.select(
    runs.c.run_id,
    sa.bindparam("number", type_=sa.Integer),
    sa.bindparam("name", type_=sa.String),
    sa.bindparam("record", type_=sa.JSON),
).where(runs.c.run_id == sa.bindparam("run_id"), runs.c.node == sa.bindparam("node"))
_ADD_STEP = {
    dialect: kind.insert(steps)
    .from_select(["run_id", "number", "name", "record"], _THIS_STEP)
    .on_conflict_do_update(index_elements=["run_id", "number"], set_={"name": sa.bindparam("name")})
    for dialect, kind in (("sqlite", sqlite), ("postgresql", postgresql))
}
"""By dialect. A conflict is this very step, whose commit was not heard of and is tried again."""
_FORGET_STEPS = steps.delete().where(steps.c.run_id == sa.bindparam("id"))
_FORGET_EVENTS = events.delete().where(events.c.run_id == sa.bindparam("id"))


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


def _add_columns(engine: Engine) -> None:
    """Tables that an older agentd made get the columns that came since; what is in them stays."""
    with engine.begin() as db:
        there = sa.inspect(db)
        for table in _tables.sorted_tables:
            known = {column["name"] for column in there.get_columns(table.name)}
            for column in table.columns:
                if column.name not in known:
                    unless = "" if engine.dialect.name == "sqlite" else "IF NOT EXISTS "  # another node's start
                    kind = column.type.compile(engine.dialect)
                    db.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {unless}{column.name} {kind}"))


def _one(db: Connection, query: sa.Select[Any], **values: Any) -> Row | None:
    found = db.execute(query, values).mappings().first()
    return None if found is None else dict(found)


def _all(db: Connection, query: sa.Select[Any], **values: Any) -> list[Row]:
    return [dict(row) for row in db.execute(query, values).mappings()]
