"""`[books]` on real servers with what offices have: odd names and types, few rights, views, locks, a full server."""

from __future__ import annotations

import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import psycopg
import pymysql
import pytest
from mcp import Client
from sqlalchemy.dialects import mysql
from sqlalchemy.dialects import postgresql as postgres
from sqlalchemy.dialects.sqlite import dialect as sqlite

from servers.common.books_file import overlaid
from servers.common.catalogue import catalogue_of
from servers.common.database import Database, UnavailableError
from servers.common.database_errors import LockedError, TooLargeError
from servers.mysql.server import create_server
from servers.sim_testgeluran import profile
from servers.sim_testgeluran.check import check
from servers.sim_testgeluran.executor import Executor
from tests.mariadb import PASSWORD, MariaDB, mariadb
from tests.postgresql import PostgreSQL, postgresql_server

NAMES = ("select", "my table", "50%", "a%sb", "x{y}z", "it's", 'q"uote', "Größe", "日本", "semi;colon", "a--b", "1st")
"""Names of a table and of its column alike."""
TABLES = (
    "CREATE TABLE busy (id INT PRIMARY KEY, n INT)",
    "INSERT INTO busy VALUES (1, 20230115), (2, 20230220)",
    "CREATE TABLE few (id INT PRIMARY KEY, open_ INT, secret INT)",
    "CREATE VIEW of_busy AS SELECT n FROM busy",
)
MARIADB = (
    *TABLES,
    "CREATE TABLE gone (a INT)",
    "CREATE VIEW of_gone AS SELECT a FROM gone",
    "DROP TABLE gone",
    "CREATE VIEW slow AS SELECT 1 AS n, SLEEP(100) AS s",
    "CREATE TABLE odd (id INT PRIMARY KEY, yes BIT(1), spot POINT)",
    "INSERT INTO odd VALUES (1, b'1', POINT(1, 2)), (2, b'0', NULL)",
    f"CREATE USER clerk@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'",
    *(f"GRANT SELECT ON office.{name} TO clerk@'127.0.0.1'" for name in ("busy", "of_busy", "of_gone", "slow", "odd")),
    "GRANT SHOW VIEW ON office.of_gone TO clerk@'127.0.0.1'",
    "GRANT SELECT (id, open_) ON office.few TO clerk@'127.0.0.1'",
)
POSTGRESQL = (
    *TABLES,
    "CREATE VIEW slow AS SELECT n, PG_SLEEP(100)::text AS s FROM busy",
    "CREATE DOMAIN amount AS NUMERIC(12, 2)",
    "CREATE TABLE odd (id INT PRIMARY KEY, spot POINT, paid amount, until DATE, at TIMESTAMPTZ)",
    "INSERT INTO odd VALUES (1, '(1,2)', 12.5, 'infinity', '2023-01-15 09:30+00'), (2, NULL, 1, '0044-03-15 BC', NULL)",
    "CREATE TABLE mine (who TEXT, n INT)",
    "INSERT INTO mine VALUES ('reader', 1), ('other', 2)",
    "ALTER TABLE mine ENABLE ROW LEVEL SECURITY",
    "CREATE POLICY own ON mine USING (who = current_user)",
    'CREATE TABLE "Busy" ("Total" INT, total INT)',
    'INSERT INTO "Busy" VALUES (2, 1)',
    "CREATE ROLE reader LOGIN",
    "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
    "REVOKE ALL ON few FROM reader",
    "GRANT SELECT (id, open_) ON few TO reader",
)


def _named(dialect: Any) -> list[str]:
    names = map(dialect(paramstyle="named").identifier_preparer.quote_identifier, NAMES)
    return [made for n in names for made in (f"CREATE TABLE {n} ({n} INT)", f"INSERT INTO {n} VALUES (5)")]


@pytest.fixture(scope="module")
def maria() -> Iterator[MariaDB]:
    with mariadb("office") as server:
        server.execute(*_named(mysql.dialect), *MARIADB)
        yield server


@pytest.fixture(scope="module")
def postgresql() -> Iterator[PostgreSQL]:
    with postgresql_server() as server, psycopg.connect(server.url, autocommit=True) as root:
        for statement in (*_named(postgres.dialect), *POSTGRESQL):
            root.execute(statement.encode())
        yield server


@pytest.fixture(params=["maria", "postgresql", "sqlite"])
def office(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    """The database, as an account that may only read."""
    if request.param == "sqlite":
        with closing(sqlite3.connect(tmp_path / "office.db")) as file:
            file.executescript(";".join(_named(sqlite)))
        return Database(f"sqlite+aiosqlite:///{tmp_path}/office.db")
    server = request.getfixturevalue(request.param)
    url = server.url("reader") if request.param == "maria" else server.url.replace("postgres@", "reader@")
    return Database(url)


async def test_whatever_a_table_and_its_column_are_called_it_is_looked_at(office: Database) -> None:
    async with Client(create_server(office)) as client:
        for name in sorted({*NAMES} & {*(await catalogue_of(office)).by_name}):
            found = (await client.call_tool("sample_rows", {"table_name": name})).structured_content
            assert found is not None
            assert found["results"] == [{name: 5}], found
            plain = {"field_name": name, "alias": "v"}
            operation = {"operation_id": "o", "main_table": name, "select_columns": [plain], "result_key": "R"}
            assert (await Executor(office).run([operation]))["results"]["o"].get("data") == [{"v": 5}], name


def _clerk(server: Any) -> Database:
    """The database as an account with rights on some tables, and on some columns of one."""
    return Database(server.url("clerk") if isinstance(server, MariaDB) else server.url.replace("postgres@", "reader@"))


servers = pytest.mark.parametrize("server", ["maria", "postgresql"])


@servers
async def test_an_office_with_few_rights_odd_types_and_a_slow_view_is_described(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    """Views, tables with rights on columns and the rest stay in the glossary, whatever one of them does."""
    monkeypatch.setattr(profile, "_SECONDS", 2.0)
    file = tmp_path / "books.toml"
    database = _clerk(request.getfixturevalue(server))
    lines = await check(database, {"BOOKS_FILE": str(file)})
    tables = tomllib.loads(file.read_text())["tables"]
    assert {"busy", "of_busy", "few", "slow", "odd"} <= {*tables}
    assert "not readable, see `about` in the file: slow" in lines
    assert tables["busy"]["columns"]["n"] == {"about": "tanggal ditulis 20230131"}
    assert tables["odd"]["rows"] == 2
    few = (await catalogue_of(database)).by_name["few"]
    assert [column.name for column in few.columns] == ["id", "open_"]
    if server == "postgresql":
        assert "row-level security hides rows of it from this account: mine" in lines
        assert tables["odd"]["columns"]["paid"] == {"range": ["1", "12.5"]}
    else:
        assert "of_gone" not in tables
        assert tables["odd"]["columns"]["yes"]["values"] == {"0": "", "1": ""}


async def test_days_that_python_does_not_know_are_answered_as_the_server_writes_them(postgresql: PostgreSQL) -> None:
    rows = await _clerk(postgresql).fetch("SELECT until, at, INTERVAL '1 month 2 days' FROM odd ORDER BY id")
    span = "1 mon 2 days"  # not 768 hours
    assert rows.rows == [("infinity", "2023-01-15T09:30:00+00:00", span), ("0044-03-15 BC", None, span)]


async def test_names_that_differ_only_in_case_have_words_of_their_own(postgresql: PostgreSQL) -> None:
    found = await catalogue_of(_clerk(postgresql))
    operation = {"operation_id": "o", "main_table": "Busy", "select_columns": [{"field_name": "Total", "alias": "t"}]}
    done = await Executor(_clerk(postgresql)).run([operation])
    assert done["results"]["o"]["data"] == [{"t": 2}]
    shown = overlaid(found, {"tables": {"Busy": {"label": "ramai"}, "busy": {"label": "sibuk"}}})
    assert [shown.by_name[name].comment for name in ("Busy", "busy")] == ["ramai", "sibuk"]


@servers
async def test_a_lock_and_a_full_server_are_told_as_what_they_are(request: pytest.FixtureRequest, server: str) -> None:
    running, database = request.getfixturevalue(server), _clerk(request.getfixturevalue(server))
    with running.connect() if server == "maria" else psycopg.connect(running.url) as other:
        mode = "WRITE" if server == "maria" else "IN ACCESS EXCLUSIVE MODE"
        other.cursor().execute(f"LOCK TABLE{'S' if server == 'maria' else ''} busy {mode}")
        with pytest.raises(LockedError):
            await database.fetch("SELECT n FROM busy")
    with ExitStack() as taken:
        if server == "maria":
            running.execute("SET GLOBAL max_connections = 10")
        with suppress(pymysql.Error, psycopg.Error):
            while True:
                taken.enter_context(running.connect("clerk") if server == "maria" else psycopg.connect(_of(database)))
        with pytest.raises(UnavailableError, match="too many connections"):
            await database.fetch("SELECT n FROM busy")
    assert (await database.fetch("SELECT COUNT(*) FROM busy")).rows == [(2,)]


def _of(database: Database) -> str:
    return database.url.set(drivername="postgresql").render_as_string(hide_password=False)


async def test_a_locked_and_a_broken_file_are_told_as_what_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("servers.common.sqlite_session.CONNECT_SECONDS", 0.1)
    file = tmp_path / "a.db"
    database = Database(f"sqlite+aiosqlite:///{file}")
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("CREATE TABLE busy (n INT)")
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LockedError):
            await database.fetch("SELECT n FROM busy")
    file.write_text("no database " * 99)
    with pytest.raises(UnavailableError, match="file can't be opened"):
        await database.fetch("SELECT n FROM busy")


async def test_a_row_larger_than_a_result_is_told_and_not_taken_for_none(office: Database) -> None:
    """One row of 50 MB was a success without rows, and the answer was that there is no data."""
    wide = {
        "mysql": "REPEAT('x', 15000000)",
        "postgres": "REPEAT('x', 52428800)",
        "sqlite": "HEX(ZEROBLOB(1000000))",
    }
    with pytest.raises(TooLargeError):
        await office.fetch(f"SELECT {wide[office.kind]} AS a")
