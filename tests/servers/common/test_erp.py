"""The sample company says what the user's documents say about it, in SQLite, built by however many processes."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from servers.common.erp import build, sqlite_comments


@pytest.fixture(scope="module")
def erp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("erp") / "erp.db")


def ask(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_three_customers_owe_29_500_000(erp: Path) -> None:
    """seed 001 §3.2"""
    outstanding = "FROM arbook WHERE DocValueLocal - PaymentValueLocal > 0"
    query = f"SELECT COUNT(DISTINCT CustomerCode), SUM(DocValueLocal - PaymentValueLocal) {outstanding}"
    assert ask(erp, query) == [(3, 29_500_000)]
    assert ask(erp, f"SELECT DocNo, DueDate {outstanding} ORDER BY DocNo") == [
        ("INV-001", "2023-01-15"),
        ("INV-002", "2023-01-20"),
        ("INV-003", "2023-01-25"),
    ]
    assert ask(erp, f"SELECT AVG(julianday('2023-03-01') - julianday(DueDate)) {outstanding}") == [(40.0,)]


@pytest.mark.parametrize(
    ("table", "amount", "day"),
    [("sales_orders", "total_amount", "order_date"), ("salesorderh", "TotalNetto", "DocDate")],
)
def test_january_2023_has_456_sales_of_125_000_000_50(erp: Path, table: str, amount: str, day: str) -> None:
    """seed 000 §3.4"""
    query = f"SELECT SUM({amount}), COUNT(*) FROM {table} WHERE {day} >= '2023-01-01' AND {day} <= '2023-01-31'"
    assert ask(erp, query) == [(125_000_000.50, 456)]


def test_the_documents_agree_with_each_other(erp: Path) -> None:
    assert ask(erp, "PRAGMA foreign_key_check") == []
    assert ask(erp, "SELECT SUM(TotalNetto) FROM salesinvoiceh") == ask(erp, "SELECT SUM(Netto) FROM salesinvoiced")
    assert ask(erp, "SELECT SUM(PaymentValueLocal) FROM arbook") == ask(
        erp, "SELECT SUM(Payment) FROM customerpaymentd"
    )
    assert ask(erp, "SELECT SUM(Debit - Credit) FROM customerbalance") == [(29_500_000,)]
    assert ask(erp, "SELECT SUM(quantity * unit_price) FROM order_lines") == ask(
        erp, "SELECT SUM(total_amount) FROM sales_orders"
    )
    assert ask(erp, "SELECT COUNT(*) FROM stockbalance WHERE QtyEnd < 0") == [(0,)]


def test_every_table_and_column_has_a_comment_but_those_that_the_document_leaves_without(erp: Path) -> None:
    """seed 000 gives the columns of order_lines none."""
    bare = {}
    for name, sql in ask(erp, "SELECT name, sql FROM sqlite_master WHERE type = 'table'"):
        table, columns = sqlite_comments(str(sql))
        every = [str(column) for (column,) in ask(erp, f"SELECT name FROM pragma_table_info('{name}')")]
        if without := [column for column in every if column not in columns]:
            bare[name] = without
        assert table
    assert bare == {"order_lines": ["line_id", "order_id", "product_id", "quantity", "unit_price"]}


def test_processes_that_build_at_once_all_find_the_whole_database(tmp_path: Path) -> None:
    path = tmp_path / "state" / "erp.db"
    code = (
        "import sqlite3, sys; from servers.common.erp import build; path = build(sys.argv[1]);"
        "print(sqlite3.connect(path).execute('SELECT COUNT(*) FROM arbook').fetchone()[0])"
    )
    builders = [subprocess.Popen([sys.executable, "-c", code, path], stdout=subprocess.PIPE) for _ in range(4)]
    counts = {builder.communicate(timeout=300)[0] for builder in builders}
    assert counts == {b"1194\n"}
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["erp.db", "erp.db.lock"]


def test_somebody_elses_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "erp.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="holds another database"):
        build(path)
    assert path.read_bytes() == before
