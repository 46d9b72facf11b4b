"""`agentd books check` on databases shaped like a hospital's and a film rental's (Pagila, Sakila)."""

from __future__ import annotations

import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

from servers.common.catalogue import catalogue_of
from servers.common.database import Database
from servers.sim_testgeluran.check import check
from tests.postgresql import postgresql_server
from tests.servers.sim_testgeluran.books import statements

ROWS = """
CREATE TABLE actor (actor_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, ssn INTEGER, insurance INTEGER,
  last_update TIMESTAMP);
CREATE TABLE role (role_id INTEGER PRIMARY KEY, actor_id INTEGER REFERENCES actor (actor_id), length INTEGER);
"""


async def checked(folder: Path) -> dict[str, Any]:
    with closing(sqlite3.connect(folder / "own.db")) as opened:
        opened.executescript(ROWS)
        people = [
            (n, f"First{n}", "Name", 100_000_000 + n, 30_000_000 + 7 * n, "2006-02-15 04:34:33") for n in range(9)
        ]
        opened.executemany("INSERT INTO actor VALUES (?, ?, ?, ?, ?, ?)", people)
        opened.executemany("INSERT INTO role VALUES (?, ?, ?)", [(n, n % 3, 60 + n) for n in range(9)])
        opened.commit()
    await check(Database(f"sqlite+aiosqlite:///{folder}/own.db"), {"BOOKS_FILE": str(folder / "books.toml")})
    return tomllib.loads((folder / "books.toml").read_text())


async def test_numbers_of_people_are_not_written_nor_the_hour_of_a_conversion_taken_for_a_date(tmp_path: Path) -> None:
    books = await checked(tmp_path)
    actor = books["tables"]["actor"]
    assert "date" not in actor
    assert actor["columns"]["insurance"] == {"kind": "identifier"}
    assert "ssn" not in actor["columns"]
    assert books["tables"]["role"]["columns"]["length"]["range"] == ["60", "68"]


async def test_people_are_proposed_by_their_whole_name(tmp_path: Path) -> None:
    books = await checked(tmp_path)
    sql = next(each["sql"] for each in books["questions"] if "actor dengan" in each["ask"])
    assert sql.startswith("SELECT actor.first_name, actor.last_name, ")


async def test_partitions_are_no_tables_of_their_own() -> None:
    with postgresql_server() as server:
        statements(
            server.url,
            "CREATE TABLE payment (id INT, paid DATE) PARTITION BY RANGE (paid)",
            "CREATE TABLE payment_2007 PARTITION OF payment FOR VALUES FROM ('2007-01-01') TO ('2008-01-01')",
            "CREATE TABLE visit (id INT)",
            "CREATE TABLE visit_2007 (CHECK (id > 0)) INHERITS (visit)",
        )
        database = Database(server.url)
        assert [*(await catalogue_of(database)).by_name] == ["payment", "visit"]
