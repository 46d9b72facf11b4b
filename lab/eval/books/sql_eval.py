"""Fetches the public set sql-eval: eleven databases by other hands, with questions and gold SQL. Asks nothing.

    python -m lab.eval.books.sql_eval [--data DIR] [--source TEMPLATE]

The databases are from defog-ai/defog-data, the questions from defog-ai/sql-eval, both Apache-2.0. They become files
like those of Chinook: NAME.sql for SQLite, with PostgreSQL's dates counted from one fixed day, and NAME.toml.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from calendar import month_name
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import sqlglot
from sqlglot import exp

from lab.eval.books import SQL_EVAL, fetched_by_command
from lab.eval.clones import SOURCE, shown

DATABASES = "defog-ai/defog-data"
QUESTIONS = "defog-ai/sql-eval"
_FILES = ("data/questions_gen_sqlite.csv", "data/instruct_basic_sqlite.csv")
_NOW = "2024-05-15 09:00:00"
_TODAY = "2024-05-15T02:00:00+00:00"
"""The same instant as the clock of the questions."""
_UNITS = {"week": (7, "days"), "min": (1, "minutes")}
"""Units that SQLite does not know, as ones that it knows."""
_STARTS = {"month": ("start of month",), "week": ("start of day", "weekday 0", "-6 days")}


def fetch(data: Path, source: str = SOURCE) -> None:
    """Write each database's script and its questions to `data`. `source` may name local clones: {owner}, {name}."""
    data.mkdir(parents=True, exist_ok=True)
    files = (shown(data, source, QUESTIONS, file).decode() for file in _FILES)
    rows = [row for text in files for row in csv.DictReader(io.StringIO(text))]
    for name in SQL_EVAL:
        script = sqlite_script(shown(data, source, DATABASES, f"defog_data/{name}/{name}.sql").decode())
        asked = questions((row for row in rows if row["db_name"] == name), script)
        (data / f"{name}.sql").write_text(script, encoding="utf-8")
        (data / f"{name}.toml").write_text(_toml(asked), encoding="utf-8")


def sqlite_script(text: str) -> str:
    """PostgreSQL's CREATE TABLE and INSERT statements for SQLite, without schemas and enumerations."""
    made = []
    for tree in sqlglot.parse(re.sub(r"'(\w*)'::\w+", r"'\1'", text), read="postgres"):
        if isinstance(tree, exp.Create | exp.Insert) and (tree.args.get("kind") or "TABLE") == "TABLE":
            for table in tree.find_all(exp.Table):
                table.set("db", None)
            dialect = "sqlite" if isinstance(tree, exp.Insert) else None  # the types of columns stay as they are
            made.append(tree.transform(_settled).sql(dialect=dialect, comments=False))
    return ";\n".join([*made, ""])


def _settled(node: exp.Expression) -> exp.Expression:
    """An expression that depends on today as its value."""
    if found := _moment(node):
        return exp.Literal.string(found.removesuffix(" 00:00:00"))
    if isinstance(node, exp.Extract):
        form = {"epoch": "%s", "year": "%Y"}[node.this.name.lower()]
        return exp.Literal.number(int(_sqlite("strftime(?, ?)", form, str(_moment(node.expression)))))
    if isinstance(node, exp.ToChar | exp.TimeToStr):
        form = "%Y%m%d %H:%M:%S" if "%" in node.text("format") else "%m"
        told = _sqlite("strftime(?, ?)", form, str(_moment(node.this)))
        return exp.Literal.string(month_name[int(told)] if form == "%m" else told)
    return node


def _moment(node: exp.Expression) -> str | None:
    """The time that an expression of today denotes; None for other expressions."""
    if isinstance(node, exp.CurrentDate):
        return _sqlite("datetime(?, ?)", _NOW, "start of day")
    if isinstance(node, exp.CurrentTimestamp):
        return _NOW
    if isinstance(node, exp.Paren):
        return _moment(node.this)
    if isinstance(node, exp.Add | exp.Sub) and isinstance(span := node.expression, exp.Interval):
        number, unit = f"{span.this.name} {span.text('unit')}".lower().split()
        times, unit = _UNITS.get(unit.removesuffix("s"), (1, unit))
        by = f"{'-' if isinstance(node, exp.Sub) else '+'}{int(number) * times} {unit}"
        return (start := _moment(node.this)) and _sqlite("datetime(?, ?)", start, by)
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc) and (start := _moment(node.this)):
        steps = _STARTS[node.text("unit").lower()]
        return _sqlite(f"datetime(?{', ?' * len(steps)})", start, *steps)
    return None


def _sqlite(call: str, *values: str) -> str:
    with closing(sqlite3.connect(":memory:")) as database:
        return str(database.execute(f"SELECT {call}", values).fetchone()[0])


def questions(rows: Iterable[dict[str, str]], script: str) -> Iterator[tuple[str, str]]:
    """(question, its first gold query) for rows without instructions and independent of the clock, if the query finds
    something."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(script)
        for row in rows:
            if (row.get("instructions") or "").strip() or "'now'" in row["query"]:
                continue
            query = plain(row["query"].split(";")[0])
            try:
                if database.execute(query).fetchone():
                    yield row["question"], query
            except sqlite3.Error:
                continue  # the set's own SQLite for it does not run


def plain(query: str) -> str:
    """The query without the places for NULL that its translation from PostgreSQL adds to ORDER BY."""
    tree = sqlglot.parse_one(query, read="sqlite")
    for each in list(tree.find_all(exp.Ordered)):
        if isinstance(each.this, exp.Case):
            each.pop()
        else:
            each.set("nulls_first", not each.args.get("desc"))
    return tree.sql(dialect="sqlite")


def _toml(asked: Iterable[tuple[str, str]]) -> str:
    keys = [f'ask = {json.dumps(ask)}\nsql = {json.dumps(sql)}\nsays = "{{RESULT}}"\n' for ask, sql in asked]
    return "\n[[questions]]\n".join([f'today = "{_TODAY}"\ncurrency = "USD"\n', *keys])


if __name__ == "__main__":
    fetched_by_command("sql_eval", fetch, __doc__)
