"""sql-eval as it is fetched: PostgreSQL's scripts become SQLite's at a fixed day, and right plans to it stay right."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from lab.eval.books import SQL_EVAL
from lab.eval.books.altered import mistakes
from lab.eval.books.asking import asked_all, half_of
from lab.eval.books.sql_eval import DATABASES, QUESTIONS, fetch, plain, sqlite_script
from tests import warm

SCRIPT = """
CREATE SCHEMA IF NOT EXISTS harbour;
CREATE TYPE harbour.state AS ENUM ('in', 'out');
CREATE TABLE harbour.boats (id SERIAL PRIMARY KEY, name TEXT NOT NULL, length NUMERIC(6, 2), state TEXT, came DATE);
INSERT INTO harbour.boats (id, name, length, state, came) VALUES
(1, 'Orkney Star', 21.5, 'in'::state, CURRENT_DATE - INTERVAL '1 month'),
(2, 'Blue Heron', 8, 'out', DATE_TRUNC('week', CURRENT_DATE) + INTERVAL '2 weeks'),
(3, 'Wolf', 12, 'in', NOW() - INTERVAL '15 min');
"""
ROWS = """db_name,query,question,instructions
{name},SELECT COUNT(*) AS boats FROM boats;SELECT 3,How many boats are there?,
{name},SELECT name FROM boats ORDER BY length DESC LIMIT 1,What is the name of the boat with the greatest length?,
{name},SELECT name FROM boats WHERE length > 99,Which boats are longer than 99?,
{name},SELECT nothing FROM boats,Which boats are broken?,
{name},SELECT name FROM boats,Which boats are there?,Only those in the harbour.
"""


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {f"{DATABASES}/defog_data/{name}/{name}.sql": SCRIPT for name in SQL_EVAL}
    files |= {f"{QUESTIONS}/data/questions_gen_sqlite.csv": ROWS.format(name="broker")}
    files |= {f"{QUESTIONS}/data/instruct_basic_sqlite.csv": "db_name,query,question,instructions\n"}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for repository in (DATABASES, QUESTIONS):
        for words in (
            ["init", "-q"],
            ["add", "."],
            ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
        ):
            subprocess.run(["git", "-C", str(tmp_path / repository), *words], check=True)
    fetch(tmp_path / "data", str(tmp_path / "{owner}" / "{name}"))
    monkeypatch.setenv("SQL_EVAL", str(tmp_path / "data"))
    return tmp_path / "data"


def test_a_script_counts_its_days_from_a_fixed_one_and_knows_no_schema() -> None:
    with sqlite3.connect(":memory:") as database:
        database.executescript(sqlite_script(SCRIPT))
    rows = database.execute("SELECT id, state, came FROM boats").fetchall()
    assert rows == [(1, "in", "2024-04-15"), (2, "out", "2024-05-27"), (3, "in", "2024-05-15 08:45:00")]


def test_a_query_says_nothing_of_null_that_postgresql_alone_needs() -> None:
    assert plain("SELECT a FROM t ORDER BY CASE WHEN a IS NULL THEN 1 ELSE 0 END DESC, a DESC NULLS FIRST") == (
        "SELECT a FROM t ORDER BY a DESC"
    )


@pytest.mark.usefixtures("fetched")
def test_only_questions_that_find_something_are_kept_and_each_is_in_one_half() -> None:
    halves = [[gold.ask for gold in half_of("broker", "sql-eval", half)] for half in ("tuning", "held")]
    assert sorted(halves[0] + halves[1]) == [
        "How many boats are there?",
        "What is the name of the boat with the greatest length?",
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("fetched")
async def test_right_plans_are_told_rightly_and_wrong_ones_are_made_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", warm.interpreter())
    made = []
    for half in ("tuning", "held"):
        (tmp_path / half).mkdir()
        made += await asked_all("broker", tmp_path / half, [None, *mistakes("broker", 1)], half=("sql-eval", half))
    right = [each for each in made if not each.mistake]
    assert [(each.wrong, each.why, (each.score or 0) >= 90) for each in right] == [(False, "", True)] * 2
    assert [each.wrong or each.score is None for each in made if each.mistake] == [True]


def test_without_the_set_it_is_said_how_to_fetch_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQL_EVAL", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"run `python -m lab.eval.books.sql_eval --data .*` first"):
        half_of("broker", "sql-eval", "tuning")
