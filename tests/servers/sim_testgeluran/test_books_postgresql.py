"""`[books]` on PostgreSQL alone: its sessions, its types, its schemas, and a server that is down."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import pytest

from lab.eval.books import load
from servers.common.catalogue import catalogue_of
from servers.common.database import Database, StatementError, TimeLimitError, UnavailableError
from servers.sim_testgeluran.executor import Executor
from tests.postgresql import PostgreSQL, postgresql_server
from tests.servers.sim_testgeluran.books import asked, load_odd, named, statements

WRITING = ('INSERT INTO "Genre" VALUES (99)', 'DELETE FROM "Invoice"', "CREATE TABLE x (i INT)")


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgreSQL]:
    """With the databases `chinook` and `odd`."""
    with postgresql_server() as server:
        statements(server.url, "CREATE DATABASE chinook", "CREATE DATABASE odd")
        load("chinook", named(server.url, "chinook"))
        load_odd("postgres", named(server.url, "odd"))
        yield server


@pytest.fixture
def chinook(postgres: PostgreSQL) -> Database:
    return Database(named(postgres.url, "chinook"))


async def test_a_postgresql_session_writes_nothing_whatever_gets_through(chinook: Database) -> None:
    """Without the guard, as the owner of the tables."""
    before = await chinook.fetch('SELECT COUNT(*) FROM "Invoice"')
    for statement in WRITING:
        with pytest.raises(StatementError):
            await chinook.fetch(statement)
    with pytest.raises(StatementError, match="multiple commands"):
        await chinook.fetch('SELECT 1; DELETE FROM "Invoice"')
    with pytest.raises(StatementError):
        await chinook.fetch('EXPLAIN SELECT 1; DELETE FROM "Invoice"')
    assert (await chinook.fetch('SELECT COUNT(*) FROM "Invoice"')).rows == before.rows


async def test_a_late_query_is_stopped_on_postgresql(chinook: Database) -> None:
    with pytest.raises(TimeLimitError):
        await chinook.fetch("SELECT pg_sleep(600)", timeout_seconds=0.2)
    await _none_runs(chinook)


async def test_a_cancelled_question_leaves_no_query_on_postgresql(chinook: Database) -> None:
    task = asyncio.create_task(chinook.fetch("SELECT pg_sleep(601)", timeout_seconds=500))
    await _runs(chinook, 1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await _none_runs(chinook)


async def _none_runs(database: Database) -> None:
    await _runs(database, 0)


async def _runs(database: Database, count: int) -> None:
    query = "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    async with asyncio.timeout(300):  # a poll: the server announces nothing
        while (await database.fetch(query)).rows[0][0] != count:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_every_postgresql_type_comes_out_in_its_stated_form(chinook: Database) -> None:
    rows = await chinook.fetch(
        "SELECT 12345678901234567890.0123456789 AS money, 125000000.50 AS half, DATE '2023-01-15' AS day, "
        "TIMESTAMP '2023-01-15 09:30:00' AS moment, INTERVAL '-27 hours -15 minutes' AS span, '\\x00ff'::bytea AS raw, "
        "true AS yes, NULL AS nothing, 'naïve 😀' AS words, 1e300::double precision AS large"
    )
    assert rows.records() == [
        {
            "money": "12345678901234567890.0123456789",
            "half": 125000000.5,
            "day": "2023-01-15",
            "moment": "2023-01-15T09:30:00",
            "span": "-27:15:00",
            "raw": "AP8=",
            "yes": True,
            "nothing": None,
            "words": "naïve 😀",
            "large": 1e300,
        }
    ]
    json.dumps(rows.records())


async def test_only_the_named_schemas_are_read_and_the_first_hides_the_next(postgres: PostgreSQL) -> None:
    address = named(postgres.url, "odd")
    statements(
        address,
        "CREATE SCHEMA toko",
        "CREATE TABLE toko.barang (kode INT PRIMARY KEY)",
        'CREATE TABLE toko."Order" (lain INT)',
        "CREATE SCHEMA rahasia",
        "CREATE TABLE rahasia.gaji (nilai INT)",
    )
    database = Database(address, schemas=["toko", "public"])
    catalogue = await catalogue_of(database)
    assert {"barang", "Order", "Faktur Januari"} <= set(catalogue.by_name)
    assert "gaji" not in catalogue.by_name
    assert [each.name for each in catalogue.by_name["Order"].columns] == ["lain"]
    answers = await asked(
        database, 'SELECT lain FROM "Order"', "SELECT kode FROM toko.barang", "SELECT nilai FROM rahasia.gaji"
    )
    assert [answer["status"] for answer in answers] == ["success", "success", "error"]
    assert "rahasia is another one" in answers[2]["error_message"]


async def test_a_postgresql_that_is_down_is_a_told_error_and_comes_back(
    postgres: PostgreSQL, chinook: Database
) -> None:
    postgres.stop()
    try:
        with pytest.raises(UnavailableError, match="refused"):
            await chinook.fetch("SELECT 1")
        answer = await Executor(chinook).run([{"operation_id": "o"}])
        assert answer["success"] is True  # the operation itself is wrong: nobody was asked
        down = await Executor(chinook).run(
            [{"operation_id": "o", "main_table": "Invoice", "select_columns": [{"field_name": "Total"}]}]
        )
        assert down == {"success": False, "error": "Gagal terhubung ke database PostgreSQL: Connection refused."}
    finally:
        postgres.start()
    assert (await chinook.fetch("SELECT 1")).rows == [(1,)]
