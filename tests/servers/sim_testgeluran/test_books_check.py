"""`agentd books check`: what it finds in a database of other hands, what it writes, and that people's words stay."""

from __future__ import annotations

import re
import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lab.eval.books import build
from servers.common import books_file
from servers.common.catalogue import Catalogue, Column, Table, reflect
from servers.common.database import Database
from servers.common.guessed_keys import guessed
from servers.graphiti.answers import schema_info
from servers.graphiti.embedding import Embedder
from servers.graphiti.schema_search import SchemaSearch
from servers.graphiti.schema_source import DatabaseSource
from servers.sim_testgeluran.check import _totals, check
from tests.servers.graphiti.conftest import no_graph


def database(file: Path) -> Database:
    return Database(f"sqlite+aiosqlite:///{file}")


def without_keys(name: str, folder: Path) -> Path:
    """The database with its foreign keys taken away, as older ones are."""
    whole = build(name, folder / "whole.db")
    bare = folder / "bare.db"
    with closing(sqlite3.connect(whole)) as source, closing(sqlite3.connect(bare)) as target:
        for table, sql in source.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL"
        ):
            if table == "sqlite_sequence":
                continue
            sql = re.sub(
                r",\s*(?:CONSTRAINT [^,]*?)?FOREIGN KEY\s*\([^)]*\)\s*REFERENCES\s*\S+\s*\([^)]*\)[^,)]*", "", sql
            )
            target.execute(sql)
            rows = source.execute(f'SELECT * FROM "{table}"').fetchall()
            target.executemany(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(rows[0]))})', rows)
        target.commit()
    return bare


@pytest.mark.parametrize("name", ["chinook", "northwind"])
async def test_a_database_of_other_hands_is_described_with_ten_questions(tmp_path: Path, name: str) -> None:
    file = build(name, tmp_path / "own.db")
    lines = await check(database(file), {"BOOKS_FILE": str(tmp_path / "books.toml")})
    books = tomllib.loads((tmp_path / "books.toml").read_text())
    assert len(books["questions"]) == 10
    assert sum(each["sql"].startswith("SELECT COUNT(*)") for each in books["questions"]) == 2
    assert len([line for line in lines if line.startswith("- ")]) == 10
    with closing(sqlite3.connect(file)) as opened:
        for question in books["questions"]:
            assert opened.execute(question["sql"]).fetchone() is not None
    assert str(tmp_path / "books.toml") in lines[-1]


async def test_things_of_one_name_are_proposed_as_the_things_that_they_are(tmp_path: Path) -> None:
    file = tmp_path / "own.db"
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT)")
        opened.execute("CREATE TABLE play (id INTEGER PRIMARY KEY, song_id INTEGER REFERENCES song (id))")
        opened.executemany("INSERT INTO song VALUES (?, ?)", [(1, "Home"), (2, "Home"), (3, "Rain")])
        opened.executemany("INSERT INTO play (song_id) VALUES (?)", [(1,), (1,), (2,), (3,), (3,), (3,)])
        opened.commit()
    await check(database(file), {"BOOKS_FILE": str(tmp_path / "books.toml")})
    questions = tomllib.loads((tmp_path / "books.toml").read_text())["questions"]
    ranking = next(each["sql"] for each in questions if each["ask"] == "5 song dengan play terbanyak?")
    with closing(sqlite3.connect(file)) as opened:
        assert opened.execute(ranking).fetchall() == [("Rain", 3), ("Home", 2), ("Home", 1)]


async def test_no_question_is_proposed_that_would_add_two_currencies(tmp_path: Path) -> None:
    file = tmp_path / "own.db"
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("CREATE TABLE faktur (id INTEGER PRIMARY KEY, mata_uang TEXT, nilai DECIMAL(12,2))")
        opened.executemany("INSERT INTO faktur VALUES (?, ?, ?)", [(1, "IDR", 5), (2, "USD", 6), (3, "USD", 7)])
        opened.commit()
    await check(database(file), {"BOOKS_FILE": str(tmp_path / "books.toml")})
    questions = tomllib.loads((tmp_path / "books.toml").read_text())["questions"]
    assert [each["sql"] for each in questions] == ["SELECT COUNT(*) AS ROW_COUNT FROM faktur"]


async def test_joins_that_nobody_declared_are_guessed_and_marked(tmp_path: Path) -> None:
    bare = without_keys("chinook", tmp_path)
    catalogue = await database(bare).inspect(reflect)
    assert not any(table.foreign_keys for table in catalogue.tables)
    await check(database(bare), {"BOOKS_FILE": str(tmp_path / "books.toml")})
    joins = tomllib.loads((tmp_path / "books.toml").read_text())["joins"]
    assert {"from": "Invoice.CustomerId", "to": "Customer.CustomerId", "guessed": True} in joins
    assert {"from": "InvoiceLine.TrackId", "to": "Track.TrackId", "guessed": True} in joins
    assert all(join["guessed"] for join in joins)
    assert ("Customer", "CustomerId", "Invoice", "InvoiceId") not in guessed(catalogue)


async def test_a_database_that_shows_views_alone_is_described_and_searched(tmp_path: Path) -> None:
    file = tmp_path / "views.db"
    with closing(sqlite3.connect(file)) as opened:
        opened.execute(
            "CREATE VIEW faktur AS SELECT 1 AS nomor, '2023-01-05' AS tanggal, 150000.5 AS nilai "
            "UNION ALL SELECT 2, '2023-01-09', 20"
        )
    await check(database(file), {"BOOKS_FILE": str(tmp_path / "books.toml")})
    columns = tomllib.loads((tmp_path / "books.toml").read_text())["tables"]["faktur"]["columns"]
    assert columns["tanggal"]["kind"] == "temporal"  # a text for all that the database says
    source = DatabaseSource(database(file), tmp_path / "books.toml")
    found = await SchemaSearch(source, Embedder(), no_graph).find("nilai faktur", ["faktur"])
    assert found is not None
    assert schema_info(found)["temporal_columns"] == {"faktur": ["tanggal"]}


@pytest.mark.parametrize(
    ("name", "asked", "table"),
    [
        ("chinook", "Revenue from Germany vs France?", "Invoice"),
        ("northwind", "omzet bulan lalu", "Orders"),
        ("northwind", "produknya paling sedikit", "Products"),
        ("northwind", "kategori apa", "Categories"),
    ],
)
async def test_what_a_database_calls_otherwise_is_found(tmp_path: Path, name: str, asked: str, table: str) -> None:
    """Neither has a table of sales: these are its invoices, or its orders (issue 19 "Search by meaning")."""
    source = DatabaseSource(database(build(name, tmp_path / "own.db")), tmp_path / "books.toml")
    found = await SchemaSearch(source, Embedder(), no_graph).find("EXECUTE_QUERY", asked.split())
    assert found is not None
    assert table in {each.name for each in found.tables}


@pytest.mark.parametrize("kind", ["DATE", "INTEGER"])
async def test_no_birthday_and_no_number_of_the_oldest_is_written(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "staff.db"
    with closing(sqlite3.connect(file)) as opened:
        opened.execute(f"CREATE TABLE staff (id INTEGER PRIMARY KEY, birth_date {kind}, hired DATE)")
        opened.executemany(
            "INSERT INTO staff VALUES (?, ?, ?)", [(1, 19470919, "2002-08-14"), (2, 19730829, "2004-03-04")]
        )
        opened.commit()
    await check(database(file), {"BOOKS_FILE": str(tmp_path / "books.toml")})
    columns = tomllib.loads((tmp_path / "books.toml").read_text())["tables"]["staff"]["columns"]
    assert columns.get("birth_date") is None
    assert columns["hired"]["range"] == ["2002-08-14", "2004-03-04"]


@pytest.mark.parametrize("kind", ["INTEGER", "TINYINT"])
async def test_a_whole_number_that_says_yes_or_no_is_no_quantity(tmp_path: Path, kind: str) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as opened:
        opened.execute(f"CREATE TABLE customers (id INTEGER PRIMARY KEY, active {kind}, pieces {kind})")
        opened.executemany("INSERT INTO customers (active, pieces) VALUES (?, ?)", [(0, 0), (1, 1), (1, 7), (0, 2)])
        opened.commit()
    await check(database(tmp_path / "shop.db"), {"BOOKS_FILE": str(tmp_path / "books.toml")})
    columns = tomllib.loads((tmp_path / "books.toml").read_text())["tables"]["customers"]["columns"]
    assert columns["active"] == {"kind": "descriptive", "values": {"0": "", "1": ""}}
    assert columns["pieces"].get("kind") is None


async def test_names_and_addresses_of_people_are_not_written(tmp_path: Path) -> None:
    file = build("chinook", tmp_path / "own.db")
    await check(database(file), {"BOOKS_FILE": str(tmp_path / "books.toml")})
    text = (tmp_path / "books.toml").read_text()
    with closing(sqlite3.connect(file)) as opened:
        people = [
            *opened.execute("SELECT LastName, Email, PostalCode, Fax FROM Customer"),
            *opened.execute("SELECT LastName, Email, Phone, Fax FROM Employee"),
        ]
        for each in people:
            assert not [value for value in each if value and len(value) > 4 and value in text]


@pytest.mark.parametrize(
    ("name", "counting"),
    [("chinook", {"Invoice": "InvoiceDate"}), ("northwind", {"Orders": "OrderDate", "Employees": "HireDate"})],
)
async def test_the_date_that_counts_goes_on_from_row_to_row_and_is_no_birth(
    tmp_path: Path, name: str, counting: dict[str, str]
) -> None:
    await check(database(build(name, tmp_path / "own.db")), {"BOOKS_FILE": str(tmp_path / "books.toml")})
    tables = tomllib.loads((tmp_path / "books.toml").read_text())["tables"]
    assert {table: said["date"] for table, said in tables.items() if "date" in said} == counting
    source = DatabaseSource(database(tmp_path / "own.db"), tmp_path / "books.toml")
    found = await SchemaSearch(source, Embedder(), no_graph).find("x", list(counting))
    told = {each["table_name"]: each for each in schema_info(found)["relevant_tables"]}
    assert {table: told[table]["date"] for table in counting} == counting


async def test_a_later_check_counts_the_rows_again(tmp_path: Path) -> None:
    file, books = build("chinook", tmp_path / "own.db"), tmp_path / "books.toml"
    await check(database(file), {"BOOKS_FILE": str(books)})
    before = tomllib.loads(books.read_text())["tables"]["Genre"]["rows"]
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("INSERT INTO Genre VALUES (9999, 'Keroncong')")
        opened.commit()
    await check(database(file), {"BOOKS_FILE": str(books)})
    assert tomllib.loads(books.read_text())["tables"]["Genre"]["rows"] == before + 1


async def test_words_of_people_survive_the_next_check(tmp_path: Path) -> None:
    file, books = build("chinook", tmp_path / "own.db"), tmp_path / "books.toml"
    await check(database(file), {"BOOKS_FILE": str(books)})
    edited = books.read_text().replace('[tables.Invoice]\nlabel = ""', '[tables.Invoice]\nlabel = "nota penjualan"')
    assert edited != books.read_text()
    books.write_text(edited)
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("CREATE TABLE Branch (BranchId INTEGER PRIMARY KEY, Name TEXT)")
    lines = await check(database(file), {"BOOKS_FILE": str(books)})
    written = tomllib.loads(books.read_text())
    assert written["tables"]["Invoice"]["label"] == "nota penjualan"
    assert "Branch" in written["tables"]
    assert any("changed" in line for line in lines)


async def test_a_label_is_proposed_and_used_once_a_person_keeps_it(tmp_path: Path) -> None:
    file, books = tmp_path / "own.db", tmp_path / "books.toml"
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("CREATE TABLE Appointments (AppointmentId INTEGER PRIMARY KEY, Notes TEXT)")
    lines = await check(database(file), {"BOOKS_FILE": str(books)})
    assert any("Appointments = janji temu" in line for line in lines)
    catalogue = Catalogue((Table("Appointments", ()),))
    proposed = books_file.overlaid(catalogue, tomllib.loads(books.read_text()))
    books.write_text(books.read_text().replace('label = ""', 'label = "janji temu"'))
    await check(database(file), {"BOOKS_FILE": str(books)})
    kept = books_file.overlaid(catalogue, tomllib.loads(books.read_text()))
    assert [each.tables[0].comment for each in (proposed, kept)] == [None, "janji temu"]


async def test_the_glossarys_words_find_the_table_and_go_to_the_planner(tmp_path: Path) -> None:
    file, books = build("chinook", tmp_path / "own.db"), tmp_path / "books.toml"
    books.write_text(
        '[tables.Invoice]\nlabel = "nota kasir"\n[tables.Invoice.columns.BillingCountry]\n'
        'values = { USA = "Amerika", Canada = "" }\n'
    )
    search = SchemaSearch(DatabaseSource(database(file), books), Embedder(), no_graph)
    found = await search.find("x", ["nota kasir"])
    assert found is not None
    tables: dict[str, Any] = {table["table_name"]: table for table in schema_info(found)["relevant_tables"]}
    columns = {column["name"]: column for column in tables["Invoice"]["columns"]}
    assert columns["BillingCountry"]["sample_values"] == ["USA", "Canada"]
    assert columns["BillingCountry"]["description"] == "USA = Amerika"
    assert columns["InvoiceId"]["is_primary_key"]


async def test_a_changed_database_is_read_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING")
    file = build("chinook", tmp_path / "own.db")
    source = DatabaseSource(database(file), None)
    first = await source.read()
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("CREATE TABLE Branch (BranchId INTEGER PRIMARY KEY, Name TEXT)")
    second = await source.read()
    assert first.digest != second.digest
    assert "Branch" in {table.name for table in second.tables}
    [said] = [each for each in caplog.records if "have changed" in each.message]
    assert said.levelname == "ERROR"  # the daemon's log takes no less from a server


async def test_only_the_listed_tables_are_described(tmp_path: Path) -> None:
    file = build("chinook", tmp_path / "own.db")
    listed = Database(f"sqlite+aiosqlite:///{file}", tables=["Invoice", "customer"])
    schema = await DatabaseSource(listed, None).read()
    assert {table.name for table in schema.tables} == {"Invoice", "Customer"}
    assert {key.referred_table for table in schema.tables for key in table.foreign_keys} == {"Customer"}


def test_a_glossary_that_is_no_toml_says_so(tmp_path: Path) -> None:
    file = tmp_path / "books.toml"
    file.write_text("[tables")
    with pytest.raises(books_file.BooksFileError, match=r"books\.toml"):
        books_file.read(file)


@pytest.mark.parametrize(
    ("column", "asked"),
    [
        ("total", "Berapa total dari semua penjualan?"),
        ("TotalHarga", "Berapa total harga dari semua penjualan?"),
        ("harga", "Berapa rata-rata harga dari semua penjualan?"),
    ],
)
def test_a_column_of_totals_is_asked_for_by_the_word_once(column: str, asked: str) -> None:
    table = Table("penjualan", (Column(column, "INTEGER"),))
    assert [ask for ask, _ in _totals([table], str)] == [asked]


def test_no_mean_of_prices_is_proposed_where_each_row_is_of_several_pieces() -> None:
    columns = tuple(Column(name, "INTEGER") for name in ("UnitPrice", "Quantity"))
    assert list(_totals([Table("lines", columns)], str)) == []
    assert list(_totals([Table("lines", columns[:1])], str))


def test_words_of_people_about_a_table_that_is_called_as_a_count_are_kept() -> None:
    found = {"tables": {"rows": {"label": "", "rows": 3, "columns": {"range": {"range": ["1", "9"]}}}}}
    former = {"tables": {"rows": {"label": "Baris", "rows": 2, "columns": {"range": {"about": "km"}}}}}
    said = books_file.merged(found, former)["tables"]["rows"]
    assert said == {"label": "Baris", "rows": 3, "columns": {"range": {"range": ["1", "9"], "about": "km"}}}
