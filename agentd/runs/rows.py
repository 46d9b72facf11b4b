"""How rows of the runs' database become records. It changes none."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from agentd.runs import statements as sql
from agentd.runs.records import Json, RunRecord, SessionRecord, run_of


def one(db: Connection, query: sa.Select[Any], **values: Any) -> Json | None:
    """The first row as a dict."""
    found = db.execute(query, values).mappings().first()
    return None if found is None else dict(found)


def every(db: Connection, query: sa.Select[Any], **values: Any) -> list[Json]:
    """Every row as a dict."""
    return [dict(row) for row in db.execute(query, values).mappings()]


def session_of(db: Connection, session_id: str) -> SessionRecord | None:
    """The session of this id."""
    found = one(db, sql.SESSION, id=session_id)
    return None if found is None else SessionRecord(**found)


def run_named(db: Connection, run_id: str) -> RunRecord | None:
    """The run of this id."""
    found = one(db, sql.RUN, id=run_id)
    return None if found is None else run_of(found)


def runs_of(db: Connection, query: sa.Select[Any], **values: Any) -> list[RunRecord]:
    """The query's rows as runs."""
    return [run_of(row) for row in every(db, query, **values)]
