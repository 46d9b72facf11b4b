"""The database's own layer, without the guard, on a real MariaDB and SQLite: nothing is written, nothing runs on."""

from __future__ import annotations

import asyncio
import tracemalloc
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import column, func, select, table

from servers.common.catalogue import catalogue_of
from servers.common.database import Database, DatabaseError, StatementError, TimeLimitError, unique_names
from servers.common.values import json_value
from tests.mariadb import PASSWORD, MariaDB
from tests.postgresql import postgresql
from tests.servers.mysql.test_guard import cases

DRIVERS = ["mysql+aiomysql", "mysql+asyncmy"]


ENDLESS = {
    "mysql": "SELECT COUNT(*) FROM seq_1_to_1000000000 a JOIN seq_1_to_1000 b",
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
}


@pytest.fixture(params=[*DRIVERS, "sqlite"])
def database(request: pytest.FixtureRequest, maria: MariaDB, sqlite_erp: Path) -> Database:
    if request.param == "sqlite":
        return Database(f"sqlite+aiosqlite:///{sqlite_erp}")
    return Database(maria.url("reader", driver=request.param))


async def _running(maria: MariaDB, fragment: str, expected: int) -> None:
    """Wait until as many statements holding `fragment` run on the server."""
    async with asyncio.timeout(300):
        while True:
            if await asyncio.to_thread(maria.running, fragment) == expected:
                return
            await asyncio.sleep(0.01)  # a poll: the server announces nothing


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_every_type_comes_out_in_its_stated_form(maria: MariaDB) -> None:
    rows = await Database(maria.url("reader")).fetch("SELECT * FROM every_type ORDER BY id")
    first, second = rows.records()
    assert first == {
        "id": 1,
        "big": "18446744073709551615",
        "money": 125000000.5,
        "ratio": 0.1,
        "day": "2023-01-15",
        "moment": "2023-01-15T09:30:00.000001",
        "span": "-27:15:00",
        "bytes": "AP8=",
        "flags": 5,
        "doc": '{"a": 1.50}',
        "sort": "b",
        "t": "naïve 😀",
    }
    assert second["money"] == "12345678901234567890.0123456789"
    assert second["big"] == 42
    assert [second[name] for name in ("day", "moment", "bytes", "t")] == [None] * 4


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Decimal("29500000.0000"), 29500000),
        (Decimal("0.10"), 0.1),
        (Decimal("123456789012345"), 123456789012345),
        (Decimal("1234567890123456"), "1234567890123456"),
        (Decimal("4.4621333333333333"), 4.46213333333333),
        (Decimal("123456789012.3456"), "123456789012.3456"),
        (Decimal("1E+3"), 1000),
        (10**15, 10**15),
        (2**53 + 1, "9007199254740993"),
        (-(10**15) - 1, "-1000000000000001"),
        (10**30, "1" + "0" * 30),
        (float("inf"), "Infinity"),
        (float("nan"), "NaN"),
    ],
)
def test_a_number_is_a_number_only_when_fifteen_digits_hold_it(value: object, expected: object) -> None:
    assert json_value(value) == expected
    assert type(json_value(value)) is type(expected)


async def test_money_in_sqlite_adds_up_without_noise(sqlite_erp: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{sqlite_erp}")
    rows = await database.fetch("SELECT SUM(x) AS s FROM (SELECT 0.1 AS x UNION ALL SELECT 0.2)")
    assert rows.rows == [(0.3,)]


def test_columns_of_one_name_do_not_hide_each_other() -> None:
    assert unique_names(["id", "name", "id", "id_2", "id"]) == ["id", "name", "id_3", "id_2", "id_4"]


async def test_a_table_of_which_some_columns_alone_may_be_read_hides_no_other(maria: MariaDB) -> None:
    """MariaDB denies SHOW CREATE TABLE of it, and the whole catalogue was lost."""
    maria.execute(
        f"CREATE OR REPLACE USER part@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'",
        "GRANT SELECT ON erp.arbook TO part@'127.0.0.1'",
        "GRANT SELECT (order_id) ON erp.sales_orders TO part@'127.0.0.1'",
    )
    tables = (await catalogue_of(Database(maria.url("part")))).by_name
    assert {name: len(table.columns) > 1 for name, table in tables.items()} == {"arbook": True, "sales_orders": False}


async def test_text_reaches_the_server_as_written(database: Database) -> None:
    """No parameter is seen in a % or a colon."""
    rows = await database.fetch("SELECT '100%s :name %% ?' AS t")
    assert rows.rows == [("100%s :name %% ?",)]


async def test_a_construct_runs_like_text(database: Database) -> None:
    orders = table("sales_orders", column("order_date"))
    rows = await database.fetch(select(func.count().label("n")).select_from(orders))
    assert rows.columns == ["n"]
    assert rows.rows[0][0] > 456


# ── limits ───────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_rows_beyond_the_limit_are_cut_and_it_is_said(database: Database) -> None:
    rows = await database.fetch("SELECT order_id FROM sales_orders", max_rows=10)
    assert len(rows.rows) == 10
    assert "first 10 rows" in str(rows.cut)
    exact = await database.fetch("SELECT order_id FROM sales_orders LIMIT 10", max_rows=10)
    assert len(exact.rows) == 10
    assert exact.cut is None


async def test_a_million_rows_are_not_read_for_a_thousand(maria: MariaDB) -> None:
    rows = await Database(maria.url("reader")).fetch("SELECT a.seq, b.seq FROM seq_1_to_1000000 a, seq_1_to_1000 b")
    assert len(rows.rows) == 1000
    assert rows.columns == ["seq", "seq_2"]
    await _running(maria, "seq_1_to_1000000", 0)


async def test_wide_rows_are_cut_by_size(database: Database) -> None:
    wide = "REPEAT('x', 900000)" if database.kind == "mysql" else "replace(printf('%.900000c', 'x'), 'y', 'z')"
    rows = await database.fetch(f"SELECT {wide} AS w FROM sales_orders", max_rows=100)
    assert 1 <= len(rows.rows) <= 4
    assert "MiB" in str(rows.cut)


NUMBERS = {
    "mysql": "SELECT seq AS i FROM seq_1_to_221",
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 221) SELECT i FROM n",
    "postgres": "SELECT i FROM generate_series(1, 221) AS i",
}


async def _peak_mib(database: Database) -> float:
    """What Python holds at most for a result of 21 narrow rows, and behind them 200 of a million characters."""
    long = "printf('%.1000000c', 'x')" if database.kind == "sqlite" else "REPEAT('x', 1000000)"
    statement = f"SELECT i, CASE WHEN i > 21 THEN {long} ELSE 'x' END AS w FROM ({NUMBERS[database.kind]}) AS t"
    tracemalloc.start()
    try:
        rows = await database.fetch(statement)
        peak = tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()
    assert 21 <= len(rows.rows) <= 25
    assert "MiB" in str(rows.cut)
    return peak


async def test_rows_that_grow_wide_all_at_once_are_never_in_memory_together(database: Database) -> None:
    assert await _peak_mib(database) < 40


async def test_rows_of_postgresql_that_grow_wide_are_not_either() -> None:
    with postgresql() as url:
        assert await _peak_mib(Database(url)) < 40


async def test_a_late_query_is_stopped_on_the_server(database: Database, maria: MariaDB) -> None:
    with pytest.raises(TimeLimitError, match=r"stopped after 0\.3 seconds"):
        await database.fetch(ENDLESS[database.kind], timeout_seconds=0.3)
    await _running(maria, "seq_1_to_1000000000", 0)


async def test_a_query_that_lifts_its_own_limit_is_killed(maria: MariaDB) -> None:
    statement = "SET STATEMENT max_statement_time=0 FOR SELECT SLEEP(600)"
    with pytest.raises(TimeLimitError):
        await Database(maria.url("reader")).fetch(statement, timeout_seconds=0.2)
    await _running(maria, "SLEEP(600)", 0)


@pytest.mark.parametrize("driver", DRIVERS)
async def test_cancelling_kills_the_query_on_the_server(maria: MariaDB, driver: str) -> None:
    database = Database(maria.url("reader", driver=driver))
    task = asyncio.create_task(database.fetch(ENDLESS["mysql"]))
    await _running(maria, "seq_1_to_1000000000", 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await _running(maria, "seq_1_to_1000000000", 0)
    assert (await database.fetch("SELECT 1")).rows == [(1,)]


async def test_cancelling_interrupts_sqlite(sqlite_erp: Path) -> None:
    database = Database(f"sqlite+aiosqlite:///{sqlite_erp}", sessions=1)
    task = asyncio.create_task(database.fetch(ENDLESS["sqlite"], timeout_seconds=600))
    await asyncio.wait({task}, timeout=0.2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await database.fetch("SELECT 1")).rows == [(1,)]  # the only slot is free again


# ── hostile statements, the database alone ───────────────────────────────────────────────────────────────────────────


def _written_files() -> list[Path]:
    """What the hostile statements that write files would have left."""
    return sorted(Path("/tmp").glob("hostile-sql-*"))


def _maria_state(maria: MariaDB) -> object:
    return [
        maria.execute("CHECKSUM TABLE erp.sales_orders, erp.arbook, erp.mastercountry"),
        maria.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema NOT IN ('information_schema')"
        ),
        maria.execute("SELECT User, Host, Priv FROM mysql.global_priv"),
        maria.execute("SELECT @@general_log, @@global.sql_mode, IS_USED_LOCK('kasir')"),
        _written_files(),
    ]


async def _try_all(database: Database) -> int:
    """Run every hostile statement unguarded; how many the database refused."""
    refused = 0
    for _, _, sql in (case for case in cases("hostile") if case[0] == database.kind):
        try:
            await database.fetch(sql, max_rows=5, timeout_seconds=0.2)
        except DatabaseError:
            refused += 1
    return refused


async def test_without_the_guard_a_reader_of_mariadb_changes_nothing(maria: MariaDB) -> None:
    before = _maria_state(maria)
    assert await _try_all(Database(maria.url("reader"))) > 90
    assert _maria_state(maria) == before
    await _running(maria, "", 0)


WRITES = ["DELETE FROM sales_orders", "DROP TABLE sales_orders", "CREATE TABLE oops (a INT)", "TRUNCATE sales_orders"]


WRITES += [
    "SELECT 1; DELETE FROM sales_orders",
    "BEGIN NOT ATOMIC DELETE FROM sales_orders; END",
    "GRANT ALL ON *.* TO x@y",
]


@pytest.mark.parametrize("statement", WRITES)
async def test_even_root_only_reads_in_these_sessions(maria: MariaDB, statement: str) -> None:
    with pytest.raises(StatementError):
        await Database(maria.url("root")).fetch(statement)
    assert maria.execute("SELECT COUNT(*) > 456 FROM erp.sales_orders") == [(1,)]


async def test_what_one_statement_sets_is_gone_for_the_next(maria: MariaDB) -> None:
    database = Database(maria.url("root"))
    with pytest.raises(StatementError, match="no result set"):
        await database.fetch("SET SESSION tx_read_only = 0")
    with pytest.raises(StatementError, match="READ ONLY"):
        await database.fetch("DELETE FROM sales_orders")


def test_without_the_guard_sqlite_changes_nothing(sqlite_erp: Path) -> None:
    before = sqlite_erp.read_bytes()
    database = Database(f"sqlite+aiosqlite:///{sqlite_erp}")
    assert asyncio.run(_try_all(database)) > 60
    assert sqlite_erp.read_bytes() == before
    assert _written_files() == []
