"""Checks what rows are ranked by if the most or the least is asked for. Pure; coverage.py checks which end."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agentd.apps.analytics.checks.schema_reading import Reading
from agentd.apps.analytics.sql.projections import RANKS
from agentd.apps.analytics.vocabulary import finder


def misranked(reading: Reading) -> Iterator[str]:
    """Keys and dates that pick rows as the most of something else: `ORDER BY OrderID DESC LIMIT 1`."""
    select, asked = reading.select, reading.asked
    if not asked.ends or finder("by_age").search(asked.text):
        return
    named = {each.alias.casefold(): each.this for each in select.expressions if isinstance(each, exp.Alias)}
    orders = [each.parent.args.get("order") for each in reading.own(*RANKS)]
    for order in [*orders, reading.cutting_order]:
        key = order.expressions[0].this if order else None
        key = named.get(key.name.casefold(), key) if isinstance(key, exp.Column) and not key.table else key
        if not isinstance(key, exp.Column) or reading.said(key):
            continue
        if reading.kind(key) in ("identifier", "temporal"):
            yield f"ORDER BY {key.name}"
