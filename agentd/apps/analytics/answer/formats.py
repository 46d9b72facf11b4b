"""Determines each figure's format from its query and the schema's column classes. Pure.

The plan's declared format stands unless the query contradicts it: a count isn't an amount, a sum isn't a percentage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agentd.apps.analytics.answer.placeholders import is_share
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.projections import Projection
from agentd.apps.analytics.vocabulary import listed

MONEY, NUMBER, SHARE, POINTS, COLUMN_SHARE = (
    "currency_IDR",
    "number_with_separator",
    "percentage",
    "percent_points",
    "percent_column",
)
"""`percent_points`: shares that the query multiplied by 100; `percent_column`: may hold those or fractions."""
_NUMBERS = {MONEY, NUMBER, "integer", SHARE, "terbilang"}


def derived(projection: Projection, schema: Schema) -> str | None:
    """The format that follows from the query and the schema; None if it is open."""
    if projection.counts or projection.days:
        return NUMBER
    over, under = schema.kinds(projection.over), schema.kinds(projection.under)
    if projection.quotient:
        return _of_quotient(projection, "financial_amount" in over, "financial_amount" in under)
    if projection.hundredfold and is_share(projection.name):
        return POINTS
    if "financial_amount" in over:
        return MONEY
    if "temporal" in over and not projection.aggregate.startswith(("SUM", "AVG")):
        return "date_long"
    if "quantitative" in over:
        return NUMBER
    if over and not projection.aggregate and over <= {"identifier", "descriptive"}:
        return "text"
    single = projection.aggregate in ("", "AVG", "MIN", "MAX")
    return COLUMN_SHARE if projection.over and single and not over and is_share(projection.name) else None


def _of_quotient(projection: Projection, money_over: bool, money_under: bool) -> str | None:
    if projection.hundredfold:
        return POINTS
    if money_over and not money_under:
        return MONEY if projection.counted_below or projection.under else None
    return SHARE if is_share(projection.name) or (money_over and money_under) else None


def settled(
    declared: Mapping[str, str], found: Mapping[str, Projection], schema: Schema
) -> tuple[dict[str, str], list[str]]:
    """(the format of every figure, a sentence for each one derived or corrected).

    `found`: the projections by placeholder name.
    """
    mapping = dict(declared)
    notes: list[str] = []
    folded = {name.casefold(): name for name in declared}
    for name, projection in found.items():
        certain = derived(projection, schema)
        written = folded.get(name.casefold())
        if certain is None and written is None:
            continue
        if written is None:
            mapping[name] = str(certain)
            notes.append(f"placeholder_mapping.{name} = {certain} (derived)")
            continue
        right = _corrected(declared[written], certain, projection)
        if right != declared[written]:
            mapping[written] = right
            notes.append(f"placeholder_mapping.{written} = {right} (corrected from {declared[written]})")
    return mapping, notes


def _corrected(declared: str, certain: str | None, projection: Projection) -> str:
    kind = declared.partition(":")[0]
    if kind == SHARE:
        if projection.hundredfold:
            return POINTS
        if not projection.quotient and not projection.aggregate:
            return COLUMN_SHARE
        return declared if projection.quotient or certain is None else certain
    if certain == NUMBER and kind == MONEY:
        return NUMBER
    if certain == "date_long" and kind in _NUMBERS:
        return certain
    if certain == POINTS and kind == NUMBER:
        return POINTS
    return declared


def non_negative_rules(found: Mapping[str, Projection], schema: Schema, stated: Iterable[str]) -> list[dict[str, Any]]:
    """Rules for what can't be negative: counts, and sums of amounts without subtraction.

    `stated`: fields for which the plan has its own rules.
    """
    own = {field.casefold() for field in stated}
    rules = []
    for name, projection in found.items():
        words = {name.casefold(), *(column.casefold() for _, column in projection.over)}
        nets = projection.subtracts or any(part in word for word in words for part in listed("differences"))
        adds = projection.aggregate == "SUM" and "financial_amount" in schema.kinds(projection.over)
        if name.casefold() not in own and (projection.counts or (adds and not projection.quotient and not nets)):
            rules.append({"rule": "non_negative", "result_key": name, "severity": "critical", "derived": True})
    return rules
