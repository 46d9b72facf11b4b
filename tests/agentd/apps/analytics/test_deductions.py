"""A net amount is one that its discount is taken off; how many is no amount (issue 19)."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.coverage import uncovered
from tests.agentd.apps.analytics.test_agreement import TABLES, of


@pytest.mark.parametrize(
    ("question", "figure", "words"),
    [
        ("Nilai persediaan setelah diskon?", "UnitPrice * UnitsInStock * (1 - Discount)", []),
        ("Nilai persediaan setelah diskon?", "UnitPrice * UnitsInStock * Discount", ["setelah diskon"]),
        ("Net value after discount?", "UnitPrice * UnitsInStock * (1 + Discount)", ["after discount", "1 + Discount"]),
        ("Value of the discount?", "UnitPrice * UnitsInStock * Discount", []),
        ("How many pieces are in stock?", "UnitPrice * UnitsInStock", ["UnitPrice * UnitsInStock"]),
        ("How many pieces are in stock?", "UnitsInStock", []),
    ],
)
def test_what_is_taken_off_or_counted_is_what_was_said(question: str, figure: str, words: list[str]) -> None:
    found = uncovered(question, of(f"SELECT SUM({figure}) FROM Goods"), (), TABLES)
    assert [each for each in found if each != "net"] == words
