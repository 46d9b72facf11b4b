"""A deleted session is gone to its last byte, also from under a reader; old ones go by themselves."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.daemon import HEAD, Daemon, RpcFailed, call, final, running
from tests.e2e.register import person
from tests.postgresql import postgresql
from tests.waiting import until

SAID, ASKED, MADE, NAMED = (f"tanaman-{word}-7319" for word in ("satu", "dua", "tiga", "lima"))
ANSWERED = "tanaman-empat-berdaun"  # without digits: an answer with a code that nobody named is withheld
PLANTED = (SAID, ASKED, MADE, ANSWERED, NAMED)
CONFIG = f"""
[[servers]]
name = "till"
command = "python3"
args = ["-m", "tests.e2e.till"]
workdir = "{Path(__file__).parents[2]}"
till_file = "/dev/null"

[[tools]]
name = "receipt"
server = "till"
approval = "never"
"""


def planted(daemon: Daemon, turns: int = 6) -> str:
    """A session whose every place holds a word that is nowhere else; its id."""
    session_id = str(daemon.call("Session.create", title=NAMED)["session_id"])
    for number in range(turns):
        outcome = daemon.call("Agent.run", prompt=f"{SAID} {number} " + "isi " * 900, session_id=session_id)
        assert outcome["status"] == "completed"
    return session_id


@contextmanager
def office(folder: Path, more: str = "") -> Iterator[Daemon]:
    turns = [call("receipt", words=f"{ASKED} {MADE}"), final(ANSWERED)] * 6
    with running(folder, *turns, config=HEAD + CONFIG + more) as daemon:
        yield daemon


def holding(folder: Path) -> set[str]:
    """Which planted words are where, in any file below."""
    found = set()
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError, IsADirectoryError):  # a file may be erased at this moment
            content = file.read_bytes()
            found |= {f"{word} in {file.name}" for word in PLANTED if word.encode() in content}
    return found


def test_no_byte_of_a_deleted_session_is_left_in_the_state_folder(tmp_path: Path) -> None:
    with office(tmp_path) as daemon:
        session_id = planted(daemon)
        kept = daemon.call("Agent.run", prompt="Halo")["session_id"]
        found = holding(daemon.state)
        assert {word.split()[0] for word in found} == set(PLANTED)
        assert f"{MADE} in receipt.txt" in found
        answer = daemon.call("Session.delete", session_id=session_id)
        assert (answer["deleted"], answer["runs"], answer["pending"]) == (True, 6, [])
        left = {word for word in holding(daemon.state) if SAID in word or NAMED in word}
        assert left == set()
        daemon.call("Session.delete", session_id=kept)
        assert holding(daemon.state) == set()


@pytest.mark.parametrize("killed", [False, True], ids=["it goes on", "it is killed and started"])
def test_what_a_reader_holds_is_named_and_goes_once_the_reader_has_gone(tmp_path: Path, killed: bool) -> None:
    with office(tmp_path) as daemon:
        session_id = planted(daemon, turns=2)
        with closing(sqlite3.connect(daemon.state / "agentd.db")) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM agentd_runs").fetchone()
            answer = daemon.call("Session.delete", session_id=session_id)
            assert (answer["deleted"], answer["pending"]) == (True, ["agentd.db"])
            with pytest.raises(RpcFailed):
                daemon.call("Session.get", session_id=session_id)
            assert holding(daemon.state)
            if killed:
                daemon.kill()
        if killed:
            daemon.start()
        until(lambda: not holding(daemon.state), "no planted word in any file")


def test_sessions_go_by_themselves_when_they_have_had_their_time(tmp_path: Path) -> None:
    with office(tmp_path, "[store]\nkeep_d = 0.00003\npurge_every_s = 1.0\n") as daemon:
        run_id = daemon.call("Agent.run", prompt="Halo", session_id="s1")["run_id"]

        def gone() -> bool:
            try:
                daemon.call("Agent.get", run_id=run_id)
            except RpcFailed as error:
                return error.type == "not_found"
            return False

        until(gone, "a deleted session")
        until(lambda: not holding(daemon.state), "no planted word in any file")


def test_no_query_finds_a_deleted_session_on_postgresql_and_its_files_are_gone(tmp_path: Path) -> None:
    with postgresql() as url, office(tmp_path, f'[store]\nurl = "{url}"\n') as daemon, psycopg.connect(url) as db:
        session_id = planted(daemon, turns=2)
        assert rows_with_planted(db)
        daemon.call("Session.delete", session_id=session_id)
        db.rollback()
        assert rows_with_planted(db) == set()
        assert holding(daemon.state) == set()


def test_a_visitors_session_on_postgresql_goes_by_itself_from_every_table(tmp_path: Path) -> None:
    with postgresql() as url:
        kept = f'[store]\nurl = "{url}"\nkeep_visitors_h = {5 / 3600}\npurge_every_s = 1.0\n'
        with office(tmp_path, kept) as daemon, psycopg.connect(url, autocommit=True) as db:
            person(daemon, "lobby", "kiosk").call("Agent.run", prompt="Halo")
            assert rows_with_planted(db)
            until(lambda: not rows_with_planted(db) and not holding(daemon.state), "no planted word anywhere")


def rows_with_planted(db: psycopg.Connection[Any]) -> set[str]:
    """Tables where a planted word is."""
    tables = db.execute("SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT LIKE 'pg%'").fetchall()
    query = sql.SQL("SELECT 1 FROM {} t WHERE t::text LIKE ANY(%s) LIMIT 1")
    like = [f"%{word}%" for word in PLANTED]
    return {
        name
        for schema, name in tables
        if db.execute(query.format(sql.Identifier(schema, name)), (like,)).fetchone() is not None
    }
