"""`[books]` on PostgreSQL and MariaDB: real servers, databases of other hands and odd ones."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.eval.books import build, load
from servers.common.database import Database
from servers.graphiti.answers import schema_info
from servers.graphiti.embedding import Embedder
from servers.graphiti.schema_search import SchemaSearch
from servers.graphiti.schema_source import DatabaseSource
from servers.sim_testgeluran import profile
from servers.sim_testgeluran.check import check
from servers.sim_testgeluran.executor import Executor
from tests.mariadb import mariadb
from tests.postgresql import postgresql_server
from tests.servers.graphiti.conftest import no_graph
from tests.servers.sim_testgeluran.books import asked, load_odd, named, statements


@pytest.fixture(scope="module")
def urls() -> Iterator[dict[str, str]]:
    """Chinook and the odd tables, in a database each of either server: {kind.name: address}."""
    with mariadb("chinook") as maria, postgresql_server() as postgres:
        maria.execute("CREATE DATABASE odd CHARACTER SET utf8mb4", "GRANT SELECT ON odd.* TO reader@'127.0.0.1'")
        statements(postgres.url, "CREATE DATABASE chinook", "CREATE DATABASE odd", "CREATE DATABASE many")
        addresses = {
            "mysql.chinook": maria.url(driver="mysql+pymysql"),
            "mysql.odd": maria.url(driver="mysql+pymysql").replace("/chinook", "/odd"),
            **{f"postgres.{name}": named(postgres.url, name) for name in ("chinook", "odd", "many")},
        }
        for kind in ("mysql", "postgres"):
            load("chinook", addresses[f"{kind}.chinook"])
            load_odd(kind, addresses[f"{kind}.odd"])
        yield {name: url.replace("mysql+pymysql", "mysql+aiomysql") for name, url in addresses.items()}


kinds = pytest.mark.parametrize("kind", ["mysql", "postgres"])


# ── check ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@kinds
async def test_a_database_of_other_hands_is_described_on_a_server(urls: Any, tmp_path: Path, kind: str) -> None:
    database, file = Database(urls[f"{kind}.chinook"]), tmp_path / "books.toml"
    lines = await check(database, {"BOOKS_FILE": str(file)})
    assert "9 tables; joins: 9 declared" in lines[0]
    books = tomllib.loads(file.read_text())
    assert len(books["questions"]) == 10
    for answer in await asked(database, *(question["sql"] for question in books["questions"])):
        assert answer["status"] == "success", answer
    assert "Adams" not in file.read_text()


@kinds
async def test_views_odd_names_texts_for_dates_and_two_currencies_are_described(
    urls: Any, tmp_path: Path, kind: str
) -> None:
    file = tmp_path / "books.toml"
    await check(Database(urls[f"{kind}.odd"]), {"BOOKS_FILE": str(file)})
    tables = tomllib.loads(file.read_text())["tables"]
    assert {"Order", "Faktur Januari"} <= set(tables)
    columns = tables["Order"]["columns"]
    assert columns["Tanggal"]["kind"] == "temporal"
    assert "tidak dapat dibandingkan" in columns["Tgl"]["about"]
    assert columns["Mata Uang"]["values"] == {"IDR": "", "USD": ""}
    source = DatabaseSource(Database(urls[f"{kind}.odd"]), file)
    found = await SchemaSearch(source, Embedder(), no_graph).find("nilai faktur", ["faktur"])
    assert found is not None
    info = schema_info(found)
    assert info["dialect"] == kind
    assert "Tanggal" in info["temporal_columns"]["Faktur Januari"]


async def test_five_hundred_tables_are_looked_at_within_bounds(
    urls: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All are listed, as many as the bound allows are looked into, and a question gets few of them."""
    monkeypatch.setattr(profile, "TABLES", 20)
    statements(
        urls["postgres.many"],
        "DO $$ BEGIN FOR i IN 1..500 LOOP EXECUTE 'CREATE TABLE t' || i || ' (id INT PRIMARY KEY)'; END LOOP; END $$",
        "CREATE TABLE piutang (id INT PRIMARY KEY, nilai NUMERIC)",
    )
    database, file = Database(urls["postgres.many"]), tmp_path / "books.toml"
    await check(database, {"BOOKS_FILE": str(file)})
    tables = tomllib.loads(file.read_text())["tables"]
    assert len(tables) == 501
    assert sum("rows" in table for table in tables.values()) == 20
    source = DatabaseSource(database, file)
    found = await SchemaSearch(source, Embedder(), no_graph).find("piutang", ["piutang"])
    assert found is not None
    assert found.tables[0].name == "piutang"
    assert len(found.tables) < 12


# ── questions ────────────────────────────────────────────────────────────────────────────────────────────────────────


@kinds
async def test_an_operation_gives_the_same_on_every_database(urls: Any, kind: str, tmp_path: Path) -> None:
    operation = {
        "operation_id": "o",
        "main_table": "Invoice",
        "select_columns": [
            {"field_name": "DATE_FORMAT(InvoiceDate, '%Y-%m')", "alias": "month", "is_expression": True},
            {"field_name": "Total", "aggregation": "SUM", "alias": "total"},
            {"field_name": "SUM(Total) / COUNT(*)", "alias": "mean", "is_expression": True},
            {"field_name": "MAX(DATEDIFF('2022-01-01', InvoiceDate))", "alias": "days", "is_expression": True},
        ],
        "joins": [
            {
                "target_table": "Customer",
                "on_conditions": [
                    {"left_table_field": "Invoice.CustomerId", "right_table_field": "Customer.CustomerId"}
                ],
            }
        ],
        "filters": {
            "logical_operator": "AND",
            "conditions": [
                {"field_or_expression": "InvoiceDate", "operator": "BETWEEN", "value": ["2021-01-01", "2021-12-31"]},
                {"field_or_expression": "Customer.Email", "operator": "LIKE", "value": "%@%"},
                {"field_or_expression": "Total", "operator": ">", "value": "0.5"},
                {"field_or_expression": "YEAR(InvoiceDate)", "operator": "=", "value": 2021, "is_expression": True},
            ],
        },
        "order_by_clauses": [{"field_or_expression": "month", "direction": "ASC"}],
        "result_key": "R",
        "expected_result_format": "list_of_dicts",
    }
    reference = Database(f"sqlite+aiosqlite:///{build('chinook', tmp_path / 'c.db')}")
    wanted = (await Executor(reference).run([operation]))["results"]["o"]
    got = (await Executor(Database(urls[f"{kind}.chinook"])).run([operation]))["results"]["o"]
    assert got["status"] == "success", got
    assert len(got["data"]) == len(wanted["data"]) > 1
    for row, other in zip(got["data"], wanted["data"], strict=True):
        assert row["month"] == other["month"]
        assert [float(row[key]) for key in ("total", "mean", "days")] == pytest.approx(
            [float(other[key]) for key in ("total", "mean", "days")], abs=1e-4
        )


@kinds
async def test_a_ranking_never_begins_with_what_is_missing(urls: Any, kind: str) -> None:
    operation = {
        "operation_id": "o",
        "main_table": "Order",
        "select_columns": [{"field_name": "`Nomor Faktur`", "alias": "no"}, {"field_name": "Nilai", "alias": "n"}],
        "order_by_clauses": [{"field_or_expression": "n", "direction": "DESC"}],
        "filters": {
            "logical_operator": "AND",
            "conditions": [{"field_or_expression": "Lunas", "operator": "IN", "value": [True, False]}],
        },
    }
    result = (await Executor(Database(urls[f"{kind}.odd"])).run([operation]))["results"]["o"]
    assert [row["no"] for row in result["data"]] == ["A", "B", "C"]


@kinds
async def test_a_table_that_changes_under_a_question_is_a_told_error(urls: Any, kind: str) -> None:
    quote = "`" if kind == "mysql" else '"'
    database = Database(urls[f"{kind}.odd"])
    operation = {"operation_id": "o", "main_table": "fleeting", "select_columns": [{"field_name": "a"}]}
    address = urls[f"{kind}.odd"].replace("aiomysql", "pymysql")
    statements(address, "CREATE TABLE fleeting (a INT, b INT)")
    executor = Executor(database)
    assert (await executor.run([operation]))["results"]["o"]["status"] == "success"
    statements(address, "ALTER TABLE fleeting DROP COLUMN a")
    answer = (await executor.run([operation]))["results"]["o"]
    assert answer["status"] == "error"
    assert "a" in answer["error"]
    (direct,) = await asked(database, f"SELECT {quote}a{quote} FROM fleeting")
    assert direct["status"] == "error"
    statements(address, "DROP TABLE fleeting")


async def test_texts_of_two_collations_are_told_apart_and_joined_under_one(urls: Any) -> None:
    """MariaDB compares no columns of two collations: the planner reads why, and what it then writes is answered."""
    statements(
        urls["mysql.odd"].replace("aiomysql", "pymysql"),
        "CREATE TABLE lama (kode VARCHAR(9) COLLATE utf8mb4_general_ci)",
        "CREATE TABLE baru (kode VARCHAR(9) COLLATE utf8mb4_unicode_ci)",
        "INSERT INTO lama VALUES ('A1')",
        "INSERT INTO baru VALUES ('a1')",
    )
    query = "SELECT COUNT(*) AS n FROM lama JOIN baru ON lama.kode = baru.kode"
    refused, joined = await asked(Database(urls["mysql.odd"]), query, f"{query} COLLATE utf8mb4_general_ci")
    assert "Illegal mix of collations" in refused["error_message"]
    assert joined["results"] == [{"n": 1}]
