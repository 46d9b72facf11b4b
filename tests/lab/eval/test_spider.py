"""Spider as it is fetched: rows by a seed that keep their keys, and queries of models that differ and run."""

from __future__ import annotations

import sqlite3
from random import Random

from lab.eval.books.spider import filled, judged

SCHEMA = {
    "table_names_original": ["calls", "ships"],
    "column_names_original": [[-1, "*"], [0, "ship_id"], [0, "port"], [1, "id"], [1, "name"], [1, "tons"]],
    "column_types": ["text", "number", "text", "number", "text", "number"],
    "primary_keys": [3],
    "foreign_keys": [[1, 3]],
}
SCRIPT = filled(SCHEMA, {"port": ["Kupang"], "tons": ["250"]}, Random("ships 0"))


def test_a_filling_has_the_values_that_are_asked_for_and_no_row_without_its_parent() -> None:
    assert filled(SCHEMA, {"port": ["Kupang"], "tons": ["250"]}, Random("ships 0")) == SCRIPT
    with sqlite3.connect(":memory:") as database:
        database.executescript(SCRIPT)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        assert database.execute("SELECT COUNT(*), COUNT(DISTINCT id) FROM ships").fetchone() == (40, 40)
        assert database.execute("SELECT COUNT(*) > 9 FROM calls WHERE port = 'Kupang'").fetchone() == (1,)


def test_queries_that_find_something_run_and_differ_are_kept() -> None:
    golds = {"How many ships?": "SELECT COUNT(*) FROM ships", "Which sank?": "SELECT id FROM ships WHERE tons < 0"}
    queries = ("select count(*) from  ships;", "SELECT COUNT(*) FROM ships", "SELECT COUNT(*) FROM calls", "SELECT")
    written = {ask: dict(zip("abcd", queries, strict=True)) for ask in golds}
    kept = [(each["ask"], each["mistake"], same) for each, same in judged(SCRIPT, golds, written)]
    assert kept == [("How many ships?", "a", True), ("How many ships?", "c", False)]
