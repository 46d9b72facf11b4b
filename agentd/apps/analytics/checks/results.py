"""Checks of results: the plan's own rules (rules.py) and built-in checks. Pure: it only reports findings.

Built in: negative counts (critical), negative or zero amounts, nulls, shares outside 0 … 1, AVG = SUM / COUNT, totals
against the sums of their parts, duplicate rows, mostly null columns, missing months in a series.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from agentd.apps.analytics.answer.placeholders import kind_in, kinds_of
from agentd.apps.analytics.answer.rules import Finding, Values, compare, judged, number

NULL_SHARE = 0.2
_MONTH = re.compile(r"^(\d{4})-(\d\d)(?:-01)?$")


def checked(
    calculations: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    rules: Sequence[Mapping[str, Any]],
    say: Mapping[str, str],
    mapping: Mapping[str, str] | None = None,
) -> list[Finding]:
    """The findings of every applicable check, in order; `say` has the texts, `mapping` the figures' formats
    (`placeholder_mapping`)."""
    return [
        *judged(rules, Values(calculations, rows, say)),
        *_figures(calculations, mapping or {}, say),
        *_average(calculations, say),
        *_parts(calculations, rows, say),
        *_rows(rows, say),
    ]


def quality_score(findings: Sequence[Finding], warnings: int, failed_queries: int, queries: int) -> int:
    """0 to 100: 100 − 50 for any critical finding − 10 per warning (at most 40) − 30 × the share of failed queries.

    `warnings` counts those of the checks and of the execution (rows cut, data not stored). The formula is our own, as
    the documents define none.
    """
    score = 100.0
    score -= 50 if any(finding.critical for finding in findings) else 0
    score -= min(40, 10 * warnings)
    score -= 30 * failed_queries / queries if queries else 0
    return max(0, round(score))


# ── built in ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _figures(calculations: Mapping[str, Any], mapping: Mapping[str, str], say: Mapping[str, str]) -> Iterator[Finding]:
    for key, value in calculations.items():
        if value is None:
            yield Finding(f"not_null:{key}", "warning", say["null"].format(key=key))
            continue
        exact = number(value)
        if exact is None:
            continue
        kind = kind_in(mapping, key, value)
        whole = 100 if kind == "percent_points" else 1
        if "count" in kinds_of(key) and exact < 0:
            yield Finding(f"sign:{key}", "critical", say["negative_count"].format(key=key))
        elif kind == "currency_IDR" and exact < 0:
            yield Finding(f"sign:{key}", "warning", say["negative"].format(key=key))
        elif kind == "currency_IDR" and exact == 0:
            yield Finding(f"zero:{key}", "warning", say["zero"].format(key=key))
        elif kind.startswith("percent") and "share" in kinds_of(key) and not 0 <= exact <= whole:
            yield Finding(f"range:{key}", "warning", say["no_share"].format(key=key))
        else:
            yield Finding(f"range:{key}", "passed")


def _average(calculations: Mapping[str, Any], say: Mapping[str, str]) -> Iterator[Finding]:
    """Checks AVG = SUM / COUNT if there is exactly one of each."""
    found: dict[str, list[str]] = {"mean": [], "count": [], "sum": []}
    for key in calculations:
        if kind := next((kind for kind in found if kind in kinds_of(key)), None):
            found[kind].append(key)
    if any(len(keys) != 1 for keys in found.values()):
        return
    average, total, count = (number(calculations[found[part][0]]) for part in ("mean", "sum", "count"))
    if average is None or total is None or not count:
        return
    holds = compare(average, "==", total / count)
    text = say["other_mean"].format(mean=found["mean"][0], total=found["sum"][0], count=found["count"][0])
    yield Finding("average", "passed" if holds else "warning", "" if holds else text)


def _parts(
    calculations: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], say: Mapping[str, str]
) -> Iterator[Finding]:
    """Compares a total with the sum of the column of the same name in the result table."""
    if len(rows) < 2:
        return
    columns = {str(name).casefold().replace(" ", "_"): name for name in rows[0]}
    for key, value in calculations.items():
        column = columns.get(key.casefold()) or columns.get(re.sub(r"^total_", "", key.casefold()))
        total = number(value)
        parts = [number(row.get(column)) for row in rows] if column is not None else []
        if total is None or not parts or any(part is None for part in parts):
            continue
        holds = compare(total, "==", sum((part for part in parts if part is not None), Decimal(0)))
        text = say["other_sum"].format(key=key, column=column)
        yield Finding(f"parts:{key}", "passed" if holds else "warning", "" if holds else text)


def _rows(rows: Sequence[Mapping[str, Any]], say: Mapping[str, str]) -> Iterator[Finding]:
    if not rows:
        return
    seen = [json.dumps(row, sort_keys=True, default=str) for row in rows]
    twice = len(seen) - len(set(seen))
    text = say["rows_twice"].format(count=twice)
    yield Finding("duplicates", "warning", text) if twice else Finding("duplicates", "passed")
    for column in rows[0]:
        empty = sum(row.get(column) is None for row in rows)
        if empty / len(rows) > NULL_SHARE:
            text = say["empty_cells"].format(column=column, count=empty, rows=len(rows))
            yield Finding(f"nulls:{column}", "warning", text)
        months = sorted({found for row in rows if (found := _month(row.get(column))) is not None})
        if len(months) > 2:
            missing = months[-1] - months[0] + 1 - len(months)
            text = say["months_missing"].format(column=column, count=missing)
            yield Finding(f"gaps:{column}", "warning" if missing else "passed", text if missing else "")


def _month(value: Any) -> int | None:
    found = _MONTH.match(value) if isinstance(value, str) else None
    return int(found[1]) * 12 + int(found[2]) if found else None
