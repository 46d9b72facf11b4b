"""The statements that each run needs, built once, and the conversion of rows to records. store.py uses them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from agentd.runs.records import Json, RunRecord, SessionRecord
from agentd.runs.tables import runs, sessions, steps, turns

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

RESULT = ("status", "outcome", "error", "record", "approval", "finished_at", "events")

SESSION = sa.select(sessions).where(sessions.c.session_id == sa.bindparam("id"))
_UNDER_WAY = sa.or_(runs.c.status == "queued", runs.c.status == "running")
_WORKS = sa.exists().where(runs.c.session_id == sessions.c.session_id, _UNDER_WAY).label("works")
SESSION_AND_WORK = SESSION.add_columns(_WORKS)
ADD_SESSION = sessions.insert()
NEXT_TURN = (
    sessions.update()
    .where(sessions.c.session_id == sa.bindparam("id"))
    .values(turns=sa.bindparam("number"), updated_at=sa.bindparam("at"))
)
ADD_TURN = turns.insert()
TURNS = (
    sa.select(runs)
    .join(turns, turns.c.run_id == runs.c.run_id)
    .where(turns.c.session_id == sa.bindparam("id"))
    .order_by(turns.c.number.desc())
)
_SHORT = [column for column in runs.c if column.name not in ("events", "record")]
NEWEST = TURNS.with_only_columns(*_SHORT).limit(sa.bindparam("most", type_=sa.Integer))
"""A session's latest runs for its next turn, without events and resume records."""
RUN = sa.select(runs).where(runs.c.run_id == sa.bindparam("id"))
HEAD = RUN.with_only_columns(*runs.c[: list(runs.c.keys()).index("outcome")])
"""A run's first columns. SQLite reads through what is stored before a column, and a tool's answers may be large."""
WAITING = (
    sa.select(runs)
    .where(runs.c.session_id == sa.bindparam("id"), runs.c.status == "needs_approval")
    .order_by(runs.c.created_at.desc())
)
_MINE = (runs.c.run_id == sa.bindparam("id"), runs.c.node.is_not_distinct_from(sa.bindparam("by")))
COUNT = (
    sessions.update()
    .where(sessions.c.session_id == sa.select(runs.c.session_id).where(*_MINE).scalar_subquery())
    .values(
        attempts=sessions.c.attempts
        + sa.bindparam("new_attempts")
        - sa.select(runs.c.attempts).where(*_MINE).scalar_subquery(),
        updated_at=sa.bindparam("at"),
    )
)
"""Adds the run's new attempts to its session's. Execute before `FINISH`, which changes the run's own count."""
FINISH = runs.update().where(*_MINE).values({key: sa.bindparam(f"new_{key}") for key in (*RESULT, "attempts")})
THIS_STEP = sa.select(
    runs.c.run_id,
    sa.bindparam("number", type_=sa.Integer),
    sa.bindparam("name", type_=sa.String),
    sa.bindparam("record", type_=sa.JSON),
).where(runs.c.run_id == sa.bindparam("run_id"), runs.c.node == sa.bindparam("node"))
FORGET_STEPS = steps.delete().where(steps.c.run_id == sa.bindparam("id"))


def insert(dialect: str, table: sa.Table) -> sqlite.Insert | postgresql.Insert:
    """An insert that supports `on_conflict`. It imports only the dialect in use."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(table)


@cache
def add_run(dialect: str) -> sa.Insert:
    """Insert a run; an existing one stays unchanged."""
    return insert(dialect, runs).on_conflict_do_nothing(index_elements=["run_id"])


@cache
def add_step(dialect: str) -> sa.Insert:
    """Insert a step. A conflict means the same step, whose commit succeeded unnoticed and is retried."""
    added = insert(dialect, steps).from_select(["run_id", "number", "name", "record"], THIS_STEP)
    return added.on_conflict_do_update(index_elements=["run_id", "number"], set_={"name": sa.bindparam("name")})


def all_rows(db: Connection, query: sa.Select[Any], **values: Any) -> list[Json]:
    return [dict(row) for row in db.execute(query, values).mappings()]


def first_row(db: Connection, query: sa.Select[Any], **values: Any) -> Json:
    """The first row as a dict, empty if there is none."""
    return next(iter(all_rows(db, query, **values)), {})


def session_of(db: Connection, session_id: str) -> SessionRecord | None:
    return SessionRecord(**found) if (found := first_row(db, SESSION, id=session_id)) else None


def run_named(db: Connection, run_id: str, query: sa.Select[Any] = RUN) -> RunRecord | None:
    return RunRecord(**found) if (found := first_row(db, query, id=run_id)) else None


def runs_of(db: Connection, query: sa.Select[Any], **values: Any) -> list[RunRecord]:
    return [RunRecord(**row) for row in all_rows(db, query, **values)]
