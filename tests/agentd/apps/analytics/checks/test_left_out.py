"""Rows that a figure leaves out because their value is empty are counted and said. Issue 19 "Any model"."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentd.apps.analytics.checks import left_out
from agentd.apps.analytics.schema import Schema
from tests.agentd.apps.analytics.office import SCHEMA, Office, plan
from tests.agentd.apps.analytics.scripts import SALES

TABLES: list[dict[str, Any]] = [
    {"table_name": "o", "columns": [{"name": "id"}, {"name": "c"}, {"name": "f", "is_nullable": True}]},
    {"table_name": "p", "columns": [{"name": "c"}, {"name": "g", "is_nullable": True}]},
]


def found(query: str) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """What the query gives, and what is said that it leaves out."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.row_factory = sqlite3.Row
        database.executescript(
            "CREATE TABLE o (id, c, f); INSERT INTO o VALUES (1,'a',2),(2,'a',NULL),(3,'b',4),(4,'b',NULL),"
            "(5,'b',NULL);"
            "CREATE TABLE p (c, g); INSERT INTO p VALUES ('a', NULL)"
        )
        text, names = left_out.watched(query, Schema.read(TABLES, dialect="sqlite"))
        return left_out.taken([dict(row) for row in database.execute(text)], names)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT AVG(f) AS m FROM o", {"AVG f": 3}),
        ("SELECT COUNT(f) AS n FROM o WHERE c = 'a'", {"COUNT f": 1}),
        ("SELECT o.c, SUM(o.f) AS t FROM o GROUP BY o.c ORDER BY t DESC", {"SUM f": 3}),
        ("SELECT c, COUNT(f) AS n FROM o WHERE id < 5 GROUP BY c ORDER BY n, c LIMIT 1", {"COUNT f": 2}),
        ('WITH x AS (SELECT 1 FROM o) SELECT COUNT("f") AS n FROM o', {"COUNT f": 3}),
        ("SELECT AVG(o.f) AS m FROM o JOIN p ON o.c = p.c", {"AVG f": 1}),
        ("SELECT AVG(f) AS m FROM o WHERE f IS NOT NULL", {}),
        ("SELECT COUNT(*) AS n FROM o", {}),
        ("SELECT COUNT(id) AS n FROM o", {}),
        ("SELECT COUNT(DISTINCT f) AS n FROM o", {}),
        ("SELECT SUM(CASE WHEN f > 3 THEN f END) AS n FROM o", {}),
        ("SELECT o.c, COUNT(p.g) AS n FROM o LEFT JOIN p ON o.c = p.c GROUP BY o.c", {}),
        ("SELECT AVG(f) AS n FROM o UNION SELECT AVG(f) FROM o", {}),
    ],
)
def test_the_rows_left_out_are_counted_and_the_result_stays(query: str, said: dict[str, int]) -> None:
    rows, counted = found(query)
    assert counted == said
    with closing(sqlite3.connect(":memory:")) as plain:
        plain.executescript("CREATE TABLE o (id, c, f); CREATE TABLE p (c, g)")
        assert not rows or list(rows[0]) == [each[0] for each in plain.execute(query).description]


@pytest.mark.parametrize(("dialect", "quoted"), [("mysql", "`f`"), ("postgres", '"f"')])
def test_names_stay_quoted_as_the_database_needs_them(dialect: str, quoted: str) -> None:
    text, _ = left_out.watched(f"SELECT AVG({quoted}) AS m FROM o", Schema.read(TABLES, dialect=dialect))
    assert text == f"SELECT AVG({quoted}) AS m, COUNT(*) - COUNT({quoted}) AS left_out_1 FROM o"


def test_a_sum_over_all_rows_is_no_sure_mean() -> None:
    for query, doubts in {"SELECT SUM(f) / COUNT(*) AS m FROM o": 1, "SELECT SUM(f) / COUNT(f) AS m FROM o": 1}.items():
        _, names = left_out.watched(query, Schema.read(TABLES))
        assert left_out.doubtful(left_out.taken([dict.fromkeys(names, 1)], names)[1]) == doubts
    _, names = left_out.watched("SELECT SUM(f) AS m FROM o", Schema.read(TABLES))
    assert left_out.doubtful(left_out.taken([dict.fromkeys(names, 1)], names)[1]) == 0


def test_an_operation_counts_them_too() -> None:
    operation = {"main_table": "o", "select_columns": [{"field_name": "o.f", "aggregation": "AVG", "alias": "m"}]}
    made, names = left_out.watched_operation(operation, Schema.read(TABLES))
    assert made["select_columns"][-1]["field_name"] == "COUNT(*) - COUNT(o.f)"
    assert left_out.taken([{"m": 3.0, "left_out_1": 2}], names) == ([{"m": 3.0}], {"AVG f": 2})
    outer = {**operation, "main_table": "p", "joins": [{"target_table": "o", "type": "LEFT"}]}
    assert left_out.watched_operation(outer, Schema.read(TABLES)) == (outer, {})


async def test_a_count_of_what_may_be_empty_says_so_and_is_no_sure_answer(erp: Path) -> None:
    [table] = SCHEMA["relevant_tables"]  # type: ignore[misc]
    columns = [*table["columns"], {"name": "ChequeNo", "type": "TEXT", "is_nullable": True}]  # type: ignore[index]
    schema = {**SCHEMA, "relevant_tables": [{**table, "table_name": "arbook", "columns": columns}]}  # type: ignore[dict-item]
    with closing(sqlite3.connect(erp)) as database:
        names = [row[1] for row in database.execute("PRAGMA table_info(arbook)")]
    column = names[-1]
    columns[-1]["name"] = column
    with closing(sqlite3.connect(erp)) as database:
        database.execute(f"UPDATE arbook SET {column} = NULL WHERE rowid = (SELECT MIN(rowid) FROM arbook)")
        database.commit()
    made = plan(("N", f"SELECT COUNT({column}) AS n FROM arbook"), template="Ada {N}.")
    office = Office(erp, SALES, made, get_relevant_schema_info=lambda _: schema)
    answer = await office.ask("Berapa faktur piutang?")
    assert answer["quality_score"] == 80
    assert f"1 baris tidak berisi {column} dan tidak ikut dihitung." in answer["warnings_for_display"]
