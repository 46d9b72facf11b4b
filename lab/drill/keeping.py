"""Part of the drill: what remains of deleted or expired conversations on a shared PostgreSQL."""

from __future__ import annotations

import time
from pathlib import Path

import psycopg

from lab.drill.attacks import Attack
from tests.daemon import Daemon
from tests.e2e.register import person
from tests.e2e.test_deletion import holding, office, planted, rows_with_planted
from tests.postgresql import postgresql

PATIENCE_S = 120.0
SECONDS_KEPT = 5


def keeping(folder: Path) -> list[Attack]:
    """Delete a staff conversation, let a visitor's expire, and search every table and file for both."""
    with postgresql() as url:
        kept = f'[store]\nurl = "{url}"\nkeep_visitors_h = {SECONDS_KEPT / 3600}\npurge_every_s = 1.0\n'
        with office(folder, kept) as daemon, psycopg.connect(url, autocommit=True) as db:
            return [_deleted(daemon, db), _gone(daemon, db)]


def _left(daemon: Daemon, db: psycopg.Connection[tuple[object, ...]]) -> int:
    return len(rows_with_planted(db)) + len(holding(daemon.state))


def _deleted(daemon: Daemon, db: psycopg.Connection[tuple[object, ...]]) -> Attack:
    session_id = planted(daemon, turns=2)
    tables = len(rows_with_planted(db))
    daemon.call("Session.delete", session_id=session_id)
    return Attack(
        "a deleted session's words looked for in PostgreSQL and every file", tables, "gone", _left(daemon, db)
    )


def _gone(daemon: Daemon, db: psycopg.Connection[tuple[object, ...]]) -> Attack:
    visitor = person(daemon, "lobby", "kiosk")
    visitor.call("Agent.run", prompt="Halo")
    began, tables = time.monotonic(), len(rows_with_planted(db))
    while _left(daemon, db) and time.monotonic() - began < PATIENCE_S:
        time.sleep(0.2)
    heard = f"gone by itself {time.monotonic() - began:.0f} s after its last use (kept for {SECONDS_KEPT} s)"
    return Attack("the same of a visitor's session that nobody uses", tables, heard, _left(daemon, db))
