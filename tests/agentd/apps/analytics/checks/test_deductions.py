"""A net amount is one that its discount is taken off; how many is no amount (issue 19)."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.checks.coverage import uncovered
from agentd.apps.analytics.schema import Schema
from tests.agentd.apps.analytics.checks.test_agreement import TABLES
from tests.agentd.apps.analytics.scripts import of


@pytest.mark.parametrize(
    ("question", "table", "figure", "words"),
    [
        ("Nilai persediaan setelah diskon?", "Goods", "UnitPrice * UnitsInStock * (1 - Discount)", []),
        ("Nilai persediaan setelah diskon?", "Goods", "UnitPrice * UnitsInStock * Discount", ["setelah diskon"]),
        (
            "Net value after discount?",
            "Goods",
            "UnitPrice * UnitsInStock * (1 + Discount)",
            ["after discount", "1 + Discount"],
        ),
        ("Value of the discount?", "Goods", "UnitPrice * UnitsInStock * Discount", []),
        ("Total quantity ordered?", "Lines", "UnitPrice * OrderQty", ["UnitPrice * OrderQty"]),
        ("Total quantity ordered?", "Lines", "OrderQty", []),
        ("Berapa laba per barang?", "Costs", "UnitCost - UnitPrice", ["UnitCost - UnitPrice"]),
        ("Berapa laba per barang?", "Costs", "UnitPrice - UnitCost", []),
    ],
)
def test_what_is_taken_off_or_counted_is_what_was_said(
    question: str, table: str, figure: str, words: list[str]
) -> None:
    found = uncovered(question, of(f"SELECT SUM({figure}) FROM {table}"), (), Schema.read(TABLES))
    assert [each for each in found if each != "net"] == words
