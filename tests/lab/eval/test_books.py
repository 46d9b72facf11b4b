"""Forty questions to Chinook and forty to Northwind: a right plan is answered rightly, through the real servers.

Issue 19: nothing of ours may spoil a right plan, and of wrong answers at most one in twenty looks certain.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lab.eval.books import DATABASES
from lab.eval.books.asking import asked_all, read
from lab.eval.books.calibration import bands, table
from lab.eval.books.mistakes import MISTAKES
from lab.eval.books.mutations import changes
from tests import warm

SAMPLED = (
    "joined on anything",
    "no grouping",
    "an unknown placeholder",
    "until today",
    "a limit inside",
    "no limit",
    "a count of what may be empty",
)
"""Mistakes that a database carries out without a word: those that looked certain before they were caught."""


@pytest.mark.slow
@pytest.mark.parametrize("name", DATABASES)
async def test_right_plans_are_told_rightly_and_wrong_ones_do_not_look_certain(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", warm.interpreter())
    spoiled = [MISTAKES[each] for each in SAMPLED] if name == "chinook" else []  # one database is enough for these
    made = await asked_all(name, tmp_path, [None, *spoiled])
    right = [each for each in made if not each.mistake]
    assert len(right) == 40
    assert [(each.ask, each.why) for each in right if each.wrong] == []
    assert [(each.ask, each.mistake, each.why) for each in made if each.wrong and (each.score or 0) >= 90] == []


def test_the_questions_are_forty_each_and_some_have_no_answer() -> None:
    for name in DATABASES:
        questions, _, _ = read(name)
        assert len({each.ask for each in questions}) == 40
        assert sum(each.none for each in questions) == 3


def test_what_a_score_says_is_counted_by_bands_of_answers() -> None:
    answers = [
        {"score": score, "wrong": wrong} for score, wrong in ((100, False), (100, False), (80, True), (None, False))
    ]
    found = bands(answers)
    assert [(each["low"], each["answers"], each["right"]) for each in found] == [(80, 1, 0), (100, 2, 2)]
    assert "| 100 | 2 | 2 (100 %) |" in table(found)


def test_a_plan_is_changed_in_one_place_at_a_time() -> None:
    columns = [{"name": name, "classification": "financial_amount"} for name in ("Total", "Freight")]
    query = "SELECT SUM(Total) AS t FROM Orders WHERE Paid = 0 AND Region = 'x'"
    assert sorted(changes(query, [{"table_name": "Orders", "columns": columns}])) == [
        ("a condition left out", "SELECT SUM(Total) AS t FROM Orders WHERE Paid = 0"),
        ("a condition left out", "SELECT SUM(Total) AS t FROM Orders WHERE Region = 'x'"),
        ("a condition turned", "SELECT SUM(Total) AS t FROM Orders WHERE Paid <> 0 AND Region = 'x'"),
        ("a condition turned", "SELECT SUM(Total) AS t FROM Orders WHERE Paid = 0 AND Region <> 'x'"),
        ("and for or", "SELECT SUM(Total) AS t FROM Orders WHERE (Paid = 0 OR Region = 'x')"),
        ("another aggregate", "SELECT AVG(Total) AS t FROM Orders WHERE Paid = 0 AND Region = 'x'"),
        ("another column", "SELECT SUM(Freight) AS t FROM Orders WHERE Paid = 0 AND Region = 'x'"),
        ("another value", "SELECT SUM(Total) AS t FROM Orders WHERE Paid = 1 AND Region = 'x'"),
        ("no where", "SELECT SUM(Total) AS t FROM Orders"),
    ]
