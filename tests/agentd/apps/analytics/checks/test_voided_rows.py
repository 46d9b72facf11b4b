"""Rows that count no more are left out, or the answer is not certain (issue 19)."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from agentd.apps.analytics.checks.accounting import unaccounted
from agentd.apps.analytics.schema import Schema
from tests.agentd.apps.analytics.scripts import of, table

PAYMENTS: dict[str, Any] = table("payments", "amount financial_amount, cancelled quantitative", purpose="Data payment.")


@pytest.mark.parametrize(
    ("question", "query", "found"),
    [
        ("Total payments?", "SELECT SUM(amount) AS t FROM payments", ["cancelled"]),
        ("Total payments?", "SELECT SUM(amount) AS t FROM payments WHERE cancelled = 0", []),
        ("Total cancelled payments?", "SELECT SUM(amount) AS t FROM payments WHERE cancelled = 1", []),
        ("Total cancelled payments?", "SELECT SUM(amount) AS t FROM payments WHERE cancelled = 0", ["cancelled = 0"]),
    ],
)
def test_a_figure_leaves_out_what_was_cancelled(question: str, query: str, found: list[str]) -> None:
    plan = of(query, "T")
    assert unaccounted(question, plan, Schema.read([PAYMENTS]), date(2024, 4, 15)) == found
