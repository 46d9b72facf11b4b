"""The tables of sessions, runs, their steps and events. Only columns; records.py defines their contents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect, Engine

from agentd.runs.records import Json, PendingApproval, RunBrief, RunError, Stored


class RecordColumn(sa.TypeDecorator[Stored]):
    """A JSON column that stores records of one kind."""

    impl = sa.JSON
    cache_ok = True

    def __init__(self, kind: type[Stored]) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Stored | None, _dialect: Dialect) -> Json | None:
        return None if value is None else value.json()

    def process_result_value(self, value: Any, _dialect: Dialect) -> Stored | None:
        return None if value is None else self.kind.read(value)


def _filled(kind: sa.types.TypeEngine[Any], *names: str, **more: Any) -> Iterator[sa.Column[Any]]:
    """Columns of one kind that are never NULL."""
    yield from (sa.Column(name, kind, nullable=False, **more) for name in names)


SCHEMA = 2
"""Increases when the tables change in a way that an older agentd would not understand."""

tables = sa.MetaData()
schema = sa.Table("agentd_schema", tables, sa.Column("version", sa.Integer, primary_key=True, autoincrement=False))

sessions = sa.Table(
    "agentd_sessions",
    tables,
    sa.Column("session_id", sa.String(200), primary_key=True),
    sa.Column("owner", sa.String(200), nullable=False),
    sa.Column("title", sa.String(200)),
    *_filled(sa.String(40), "created_at", "updated_at"),
    sa.Column("forked_from", sa.String(200)),
    *_filled(sa.Integer(), "attempts", "turns", default=0),
    sa.Column("key_hash", sa.String(64)),  # of the visitor's key; NULL for staff's sessions and older ones
    sa.Index("agentd_sessions_of_owner", "owner", "updated_at", "session_id"),
    sa.Index("agentd_sessions_by_age", "updated_at", "session_id"),
)
turns = sa.Table(
    "agentd_turns",
    tables,
    sa.Column("session_id", sa.String(200), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("run_id", sa.String(200), nullable=False, index=True),
)
runs = sa.Table(
    "agentd_runs",
    tables,
    sa.Column("run_id", sa.String(200), primary_key=True),
    *_filled(sa.String(200), "session_id", "owner"),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("prompt", sa.Text, nullable=False),
    sa.Column("brief", RecordColumn(RunBrief), nullable=False),
    sa.Column("status", sa.String(20), nullable=False, index=True),
    sa.Column("segment", sa.Integer, nullable=False, default=0),
    sa.Column("created_at", sa.String(40), nullable=False),
    sa.Column("finished_at", sa.String(40)),
    *_filled(sa.Integer(), "attempt", "attempts", default=0),
    *(sa.Column(name, sa.JSON) for name in ("outcome", "record", "events")),
    sa.Column("error", RecordColumn(RunError)),
    sa.Column("approval", RecordColumn(PendingApproval)),
    sa.Column("node", sa.String(100)),
    sa.Index("agentd_runs_of_session", "session_id", "created_at"),
    sa.Index("agentd_runs_of_owner", "owner", "created_at"),
    sa.Index("agentd_runs_by_age", "created_at"),
)
steps = sa.Table(
    "agentd_steps",
    tables,
    sa.Column("run_id", sa.String(200), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("record", sa.JSON, nullable=False),
    sqlite_with_rowid=False,
)
"""The step results of unfinished segments, so that no step is repeated."""
events = sa.Table(
    "agentd_events",
    tables,
    sa.Column("run_id", sa.String(200), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("event", sa.JSON, nullable=False),
)
"""Events of unfinished runs, for the other nodes of a cluster. A finished run has them in its own row."""
recoveries = sa.Table(
    "agentd_recoveries",
    tables,
    sa.Column("run_id", sa.String(200), primary_key=True),
    *_filled(sa.Integer(), "segment", "steps", "times"),
)
"""How often a run was restarted at the same step after its daemon died."""
usage = sa.Table(
    "agentd_usage",
    tables,
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("provider", sa.String(100), primary_key=True),
    sa.Column("model", sa.String(200), primary_key=True),
    *_filled(sa.BigInteger(), "turns", "input_tokens", "output_tokens"),
)
"""Tokens by day. They belong to no session, so that they outlive sessions."""
nodes = sa.Table(
    "agentd_nodes",
    tables,
    sa.Column("node", sa.String(100), primary_key=True),
    sa.Column("seen_at", sa.String(40), nullable=False),
)


def written_schema(engine: Engine) -> int | None:
    """The schema version of this database; None if it lacks these tables."""
    if not sa.inspect(engine).has_table(schema.name):
        return None
    with engine.connect() as db:
        return db.execute(sa.select(sa.func.max(schema.c.version))).scalar()


def lacking(engine: Engine, wanted: sa.MetaData = tables) -> list[str]:
    """The wanted tables (`TABLE`) and columns (`TABLE.COLUMN`) that the database lacks."""
    there = sa.inspect(engine)
    names = set(there.get_table_names())
    absent = [name for name in wanted.tables if name not in names]
    for table in wanted.sorted_tables:
        if table.name in names:
            present = {column["name"] for column in there.get_columns(table.name)}
            absent += [f"{table.name}.{column.name}" for column in table.columns if column.name not in present]
    return absent


def bring_up(engine: Engine, wanted: sa.MetaData = tables) -> None:
    """Create the missing tables, and add missing columns to those of an older agentd; their data stays. No other node
    may do so at the same time."""
    absent = [name.partition(".") for name in lacking(engine, wanted)]
    wanted.create_all(engine, [wanted.tables[table] for table, _, column in absent if not column], checkfirst=False)
    with engine.begin() as db:
        for table, _, column in absent:
            if column:
                kind = wanted.tables[table].columns[column].type.compile(engine.dialect)
                db.execute(sa.text(f"ALTER TABLE {table} ADD COLUMN {column} {kind}"))
