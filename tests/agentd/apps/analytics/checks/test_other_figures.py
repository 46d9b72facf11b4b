"""Figures beside those that a ratio or a ranking asks for. Each wrong plan here had 100 points."""

from __future__ import annotations

import pytest

from tests.agentd.apps.analytics.checks.test_accounting import doubts


@pytest.mark.parametrize(
    ("question", "query", "doubt"),
    [
        (
            "The ratio of freight to tax per order?",
            "SELECT OrderID, Freight / Total AS r FROM Orders",
            "Freight, Total",
        ),
        ("Top 3 orders by freight", "SELECT OrderID, Total FROM Orders ORDER BY Freight DESC LIMIT 3", "Total"),
    ],
)
def test_a_figure_that_a_ratio_or_ranking_does_not_ask_for_is_a_doubt(question: str, query: str, doubt: str) -> None:
    assert doubt in doubts(question, query)
