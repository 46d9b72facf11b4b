"""The tables of sessions and runs, on SQLite or PostgreSQL. It knows rows; what a run does is the engine's business.

Every method is one short transaction on a thread of its own, so that a locked database never holds the event loop up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from agentd.runs.troubles import borne, passing

T = TypeVar("T")
Row = dict[str, Any]
RACES = 5
"""How often a transaction that lost a race for an id is tried again."""

SCHEMA = 1
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

events = sa.Table(
    "agentd_events",
    _tables,
    sa.Column("run_id", sa.String(200), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("event", sa.JSON, nullable=False),
)
"""Events of runs under way, for the other nodes of a cluster; at its end a run keeps them itself."""
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


def empty_journal(engine: Engine) -> None:
    """Fold SQLite's journal into its file and cut it, so that no deleted word stays there. Nothing elsewhere."""
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


class RunStore:
    """Rows of sessions and runs. Times are ISO 8601 in UTC; JSON columns hold what the engine puts there."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._threads = ThreadPoolExecutor(max_workers=4, thread_name_prefix="store")
        try:
            _tables.create_all(engine)
            self._check_schema()
        except sa.exc.SQLAlchemyError as error:
            if (trouble := passing(error)) is None:
                raise
            raise OSError(f"the database {engine.url.render_as_string()} {trouble}") from None

    def _check_schema(self) -> None:
        """Raises OSError when a newer agentd has written these tables: this one would not understand its rows."""
        with self._engine.begin() as db:
            written = db.execute(sa.select(sa.func.max(schema.c.version))).scalar()
            if written is None:
                db.execute(schema.insert(), [{"version": SCHEMA}])
            elif written > SCHEMA:
                place = self._engine.url.render_as_string()
                raise OSError(
                    f"the database {place} was written by a newer agentd (schema {written}, this one knows {SCHEMA}); "
                    "install that one, or name another state"
                )

    def close(self) -> None:
        """Let what is under way end, and let go of the database."""
        self._threads.shutdown(wait=True)
        self._engine.dispose()

    async def _do(self, work: Callable[[Connection], T]) -> T:
        def transaction() -> T:
            for _ in range(RACES):
                try:
                    with self._engine.begin() as connection:
                        return work(connection)
                except sa.exc.IntegrityError:
                    continue  # another caller took the same id or turn first: look again
            with self._engine.begin() as connection:
                return work(connection)

        return await borne(lambda: asyncio.get_running_loop().run_in_executor(self._threads, transaction))

    # ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def add_session(self, row: Row) -> None:
        """A new session."""
        await self._do(lambda db: db.execute(sessions.insert(), [{**_NO_SESSION, **row}]))

    async def session(self, session_id: str) -> Row | None:
        """The session's row."""
        return await self._do(lambda db: _one(db, sa.select(sessions).where(sessions.c.session_id == session_id)))

    async def sessions_of(self, owner: str | None, limit: int, before: tuple[str, str] | None) -> list[Row]:
        """Newest first; `owner` None means everybody's; `before` is the last one seen (updated_at, session_id)."""
        query = sa.select(sessions).order_by(sessions.c.updated_at.desc(), sessions.c.session_id.desc()).limit(limit)
        if owner is not None:
            query = query.where(sessions.c.owner == owner)
        if before is not None:
            query = query.where(sa.tuple_(sessions.c.updated_at, sessions.c.session_id) < sa.tuple_(*before))
        return await self._do(lambda db: _all(db, query))

    async def turns_of(self, session_id: str, limit: int | None = None) -> list[Row]:
        """The runs of a session's turns, oldest first; with `limit` only that many of the newest."""
        query = (
            sa.select(runs)
            .join(turns, turns.c.run_id == runs.c.run_id)
            .where(turns.c.session_id == session_id)
            .order_by(turns.c.number.desc())
        )
        if limit is not None:
            query = query.limit(limit)
        return list(reversed(await self._do(lambda db: _all(db, query))))

    async def fork(self, row: Row, source: str) -> None:
        """A new session with the turns of another."""

        def work(db: Connection) -> None:
            parent = _one(db, sa.select(sessions).where(sessions.c.session_id == source))
            assert parent is not None
            past = {"attempts": parent["attempts"], "turns": parent["turns"], "forked_from": source}
            db.execute(sessions.insert(), [{**_NO_SESSION, **row, **past}])
            copied = sa.select(sa.literal(row["session_id"]), turns.c.number, turns.c.run_id)
            db.execute(
                turns.insert().from_select(
                    ["session_id", "number", "run_id"], copied.where(turns.c.session_id == source)
                )
            )

        await self._do(work)

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
            db.execute(runs.delete().where(runs.c.run_id.in_(gone)))
            return gone

        return await self._do(work)

    async def empty_journal(self) -> None:
        """Overwrite what was deleted in the file's journal too (SQLite)."""
        await asyncio.get_running_loop().run_in_executor(self._threads, empty_journal, self._engine)

    # ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def add_run(self, row: Row, session: Row) -> Row | int:
        """Take a run on in its session (made when it is not there): its turn's number, or the run that has this id."""

        def work(db: Connection) -> Row | int:
            if existing := _one(db, sa.select(runs).where(runs.c.run_id == row["run_id"])):
                return existing
            there = _one(db, sa.select(sessions).where(sessions.c.session_id == row["session_id"]))
            if there is None:
                db.execute(sessions.insert(), [{**_NO_SESSION, **session}])
            number = (there or {}).get("turns", 0) + 1
            db.execute(runs.insert(), [{**_NO_RUN, **row}])
            db.execute(turns.insert(), [{"session_id": row["session_id"], "number": number, "run_id": row["run_id"]}])
            db.execute(
                sessions.update()
                .where(sessions.c.session_id == row["session_id"])
                .values(turns=number, updated_at=row["created_at"])
            )
            return int(number)

        return await self._do(work)

    async def run(self, run_id: str) -> Row | None:
        """The run's row."""
        return await self._do(lambda db: _one(db, sa.select(runs).where(runs.c.run_id == run_id)))

    async def begin(self, run_id: str, node: str) -> Row | None:
        """Mark the run as running and fix the count of model attempts that its session had before it."""

        def work(db: Connection) -> Row | None:
            row = _one(db, sa.select(runs).where(runs.c.run_id == run_id))
            if row is None or row["status"] not in ("queued", "running"):
                return row
            values: Row = {"status": "running", "node": node}
            if row["status"] == "queued" and row["segment"] == 0:
                counted = sa.select(sessions.c.attempts).where(sessions.c.session_id == row["session_id"])
                values["attempt"] = db.execute(counted).scalar() or 0
            db.execute(runs.update().where(runs.c.run_id == run_id).values(**values))
            return {**row, **values}

        return await self._do(work)

    async def finish(self, run_id: str, values: Row, attempts: int, at: str) -> None:
        """Write what a run (or its part up to an approval) came to, and count its model attempts in the session."""

        def work(db: Connection) -> None:
            row = _one(db, sa.select(runs.c.session_id, runs.c.attempts).where(runs.c.run_id == run_id))
            if row is None:
                return
            db.execute(runs.update().where(runs.c.run_id == run_id).values(attempts=attempts, **values))
            db.execute(events.delete().where(events.c.run_id == run_id))
            db.execute(
                sessions.update()
                .where(sessions.c.session_id == row["session_id"])
                .values(attempts=sessions.c.attempts + attempts - row["attempts"], updated_at=at)
            )

        await self._do(work)

    async def change(self, run_id: str, expected: str, values: Row) -> bool:
        """Change a run that has the expected status; False when it has another by now."""
        query = runs.update().where(runs.c.run_id == run_id, runs.c.status == expected).values(**values)
        return bool(await self._do(lambda db: db.execute(query).rowcount))

    async def waiting_in(self, session_id: str) -> list[Row]:
        """Runs of the session that wait for an approval, newest first."""
        query = (
            sa.select(runs)
            .where(runs.c.session_id == session_id, runs.c.status == "needs_approval")
            .order_by(runs.c.created_at.desc())
        )
        return await self._do(lambda db: _all(db, query))

    async def runs_where(
        self, *, owner: str | None = None, session_id: str | None = None, status: str | None = None, limit: int = 50
    ) -> list[Row]:
        """Newest first, cut to what is asked."""
        query = sa.select(runs).order_by(runs.c.created_at.desc(), runs.c.run_id.desc()).limit(limit)
        if owner is not None:
            query = query.where(runs.c.owner == owner)
        if session_id is not None:
            query = query.where(runs.c.session_id == session_id)
        if status is not None:
            query = query.where(runs.c.status == status)
        return await self._do(lambda db: _all(db, query))

    async def open_runs(self) -> list[Row]:
        """Runs that have not ended, oldest first."""
        query = sa.select(runs).where(runs.c.status.in_(("queued", "running"))).order_by(runs.c.created_at)
        return await self._do(lambda db: _all(db, query))

    # ── several nodes ────────────────────────────────────────────────────────────────────────────────────────────────

    async def queued(self) -> int:
        """How many runs wait for a node."""
        query = sa.select(sa.func.count()).select_from(runs).where(runs.c.status == "queued")
        return await self._do(lambda db: int(db.execute(query).scalar() or 0))

    async def add_events(self, run_id: str, added: list[Row]) -> None:
        """Show events of a run under way to the other nodes; ones that are there already stay."""

        def work(db: Connection) -> None:
            there = set(db.execute(sa.select(events.c.seq).where(events.c.run_id == run_id)).scalars())
            rows = [{"run_id": run_id, "seq": row["seq"], "event": row} for row in added if row["seq"] not in there]
            if rows:
                db.execute(events.insert(), rows)

        await self._do(work)

    async def events_after(self, run_id: str, after: int) -> list[Row]:
        """Events of a run that another node works on."""
        query = sa.select(events.c.event).where(events.c.run_id == run_id, events.c.seq > after).order_by(events.c.seq)
        return [row["event"] for row in await self._do(lambda db: _all(db, query))]

    async def renew(self, node: str, at: datetime) -> None:
        """The node is alive."""

        def work(db: Connection) -> None:
            known = nodes.update().where(nodes.c.node == node).values(seen_at=at.isoformat())
            if not db.execute(known).rowcount:
                db.execute(nodes.insert(), [{"node": node, "seen_at": at.isoformat()}])

        await self._do(work)

    async def expired(self, before: datetime) -> list[str]:
        """Nodes whose lease has ended."""
        query = sa.select(nodes.c.node).where(nodes.c.seen_at < before.isoformat())
        return [row["node"] for row in await self._do(lambda db: _all(db, query))]

    async def bury(self, node: str) -> None:
        """The node's runs were taken over."""
        await self._do(lambda db: db.execute(nodes.delete().where(nodes.c.node == node)))

    async def cancelled_among(self, run_ids: list[str]) -> list[str]:
        """Which of these runs somebody has cancelled."""
        query = sa.select(runs.c.run_id).where(runs.c.run_id.in_(run_ids), runs.c.status == "cancelled")
        return [row["run_id"] for row in await self._do(lambda db: _all(db, query))]


_NO_SESSION: Row = {"title": None, "forked_from": None, "attempts": 0, "turns": 0}
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


def _one(db: Connection, query: sa.Select[Any]) -> Row | None:
    found = db.execute(query).mappings().first()
    return None if found is None else dict(found)


def _all(db: Connection, query: sa.Select[Any]) -> list[Row]:
    return [dict(row) for row in db.execute(query).mappings()]
