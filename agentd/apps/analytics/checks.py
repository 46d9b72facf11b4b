"""What is looked at in results: the plan's own rules and built-in ones. Pure: it reads values and says what it found.

Rules of a plan (`validation_rules_for_results`) may be written as

    {"rule": "TOTAL_SALES >= 0"}            {"rule": "AVG_ORDER_VALUE == TOTAL_SALES / TRANSACTION_COUNT"}
    {"result_key": "TOTAL_SALES", "rule": "non_negative" | "positive" | "not_null" | "min" | "max" | "range",
     "min": 0, "max": 100, "severity": "critical" | "warning"}

A broken sign rule (`>= 0`, non_negative, positive) is critical unless it says otherwise; others are warnings.
Built in: negative counts (critical), nulls, shares outside 0 … 1, AVG = SUM / COUNT, totals against their parts, rows
that are there twice, columns that are mostly null, months missing in a series.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from agentd.apps.analytics.placeholders import kind_of

TOLERANCE = Decimal("0.005")
"""Relative difference that rounding may make between a figure and its parts."""
NULL_SHARE = 0.2
_OPERATORS = r">=|<=|==|!=|<>|=|>|<"
_EXPRESSION = re.compile(rf"^\s*([\w.]+)\s*({_OPERATORS})\s*([\w.-]+)(?:\s*([*/+-])\s*([\w.]+))?\s*$")
_MONTH = re.compile(r"^(\d{4})-(\d\d)(?:-01)?$")


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: `passed`, or broken (a warning, or critical); `skipped` when it could not be applied."""

    name: str
    outcome: str
    message: str = ""

    @property
    def critical(self) -> bool:
        """The results may not be shown."""
        return self.outcome == "critical"


def checked(
    calculations: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], rules: Sequence[Mapping[str, Any]]
) -> list[Finding]:
    """Every check that applies, in order."""
    return [
        *(finding for number, rule in enumerate(rules, 1) for finding in _plan_rule(number, rule, calculations)),
        *_figures(calculations),
        *_average(calculations),
        *_parts(calculations, rows),
        *_rows(rows),
    ]


def quality_score(findings: Sequence[Finding], warnings: int, failed_queries: int, queries: int) -> int:
    """0 to 100: 100 − 50 for any critical finding − 10 for each warning (at most 40) − 30 × the failed queries' share.

    `warnings` counts those of the checks and those of the execution (rows cut, data not kept). Our own formula: the
    documents ask for a score and give none.
    """
    score = 100.0
    score -= 50 if any(finding.critical for finding in findings) else 0
    score -= min(40, 10 * warnings)
    score -= 30 * failed_queries / queries if queries else 0
    return max(0, round(score))


def number(value: Any) -> Decimal | None:
    """The exact number that a result holds, also where it came as text."""
    if isinstance(value, bool) or value is None or not isinstance(value, int | float | str):
        return None
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def _value(name: str, calculations: Mapping[str, Any]) -> Any:
    folded = {key.casefold(): value for key, value in calculations.items()}
    return folded.get(name.casefold())


# ── the plan's rules ─────────────────────────────────────────────────────────────────────────────────────────────────


def _plan_rule(index: int, rule: Mapping[str, Any], calculations: Mapping[str, Any]) -> Iterator[Finding]:
    key = (
        rule.get("result_key") or rule.get("key") or rule.get("field") or rule.get("column") or rule.get("placeholder")
    )
    kind = str(rule.get("rule") or rule.get("type") or rule.get("check") or rule.get("condition") or "").strip()
    name = f"rule_{index}"
    if isinstance(key, str) and re.match(rf"^\s*(?:{_OPERATORS})", kind):
        kind = f"{key} {kind}"
    expressed = _EXPRESSION.match(kind)
    if expressed is None and isinstance(key, str):
        yield from _named_rule(name, key, kind, rule, calculations)
        return
    if expressed is None:
        yield Finding(name, "skipped", f"aturan tidak dikenal: {kind or json.dumps(dict(rule), default=str)}")
        return
    left, operator, first, sign, second = expressed.groups()
    left_value, right_value = _operand(left, calculations), _operand(first, calculations)
    if sign is not None and right_value is not None:
        other = _operand(second, calculations)
        right_value = None if other is None or (sign == "/" and other == 0) else _apply(right_value, sign, other)
    if left_value is None or right_value is None:
        yield Finding(name, "skipped", f"{kind}: nilainya tidak ada")
        return
    signed = right_value == 0 and operator in (">", ">=")
    yield _judged(name, _holds(left_value, operator, right_value), kind, rule, "critical" if signed else "warning")


def _named_rule(
    name: str, key: str, kind: str, rule: Mapping[str, Any], calculations: Mapping[str, Any]
) -> Iterator[Finding]:
    value = _value(key, calculations)
    exact = number(value)
    folded = kind.casefold().replace(" ", "_").replace("-", "_")
    least, most = number(rule.get("min", rule.get("min_value"))), number(rule.get("max", rule.get("max_value")))
    if folded in ("not_null", "required", "exists"):
        yield _judged(name, value is not None, f"{key} harus ada", rule, "warning")
    elif exact is None:
        yield Finding(name, "skipped", f"{key}: nilainya tidak ada")
    elif folded in ("non_negative", "not_negative", "nonnegative"):
        yield _judged(name, exact >= 0, f"{key} >= 0", rule, "critical")
    elif folded == "positive":
        yield _judged(name, exact > 0, f"{key} > 0", rule, "critical")
    elif least is not None or most is not None or number(rule.get("value")) is not None:
        bound = number(rule.get("value"))
        least = bound if folded.startswith("min") and least is None else least
        most = bound if folded.startswith("max") and most is None else most
        inside = (least is None or exact >= least) and (most is None or exact <= most)
        sign_only = least == 0 and most is None
        text = f"{key} di antara {'…' if least is None else least} dan {'…' if most is None else most}"
        yield _judged(name, inside, text, rule, "critical" if sign_only else "warning")
    else:
        yield Finding(name, "skipped", f"aturan tidak dikenal: {kind}")


def _judged(name: str, holds: bool, text: str, rule: Mapping[str, Any], severity: str) -> Finding:
    if holds:
        return Finding(name, "passed", text)
    told = str(rule.get("severity") or severity).casefold()
    outcome = "critical" if told in ("critical", "error", "fatal", "high") else "warning"
    return Finding(
        name, outcome, str(rule.get("message") or rule.get("description") or f"Aturan tidak terpenuhi: {text}")
    )


def _operand(word: str, calculations: Mapping[str, Any]) -> Decimal | None:
    found = number(_value(word, calculations))
    return number(word) if found is None and re.match(r"-?\d", word) else found


def _apply(left: Decimal, sign: str, right: Decimal) -> Decimal:
    return {"+": left + right, "-": left - right, "*": left * right}[sign] if sign != "/" else left / right


def _holds(left: Decimal, operator: str, right: Decimal) -> bool:
    near = abs(left - right) <= TOLERANCE * max(abs(left), abs(right))
    if operator in ("=", "=="):
        return near
    if operator in ("!=", "<>"):
        return not near
    return {">": left > right, ">=": left >= right, "<": left < right, "<=": left <= right}[operator]


# ── built in ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _figures(calculations: Mapping[str, Any]) -> Iterator[Finding]:
    for key, value in calculations.items():
        if value is None:
            yield Finding(f"not_null:{key}", "warning", f"{key} tidak ada nilainya (NULL).")
            continue
        exact = number(value)
        if exact is None or isinstance(value, str):
            continue
        kind = kind_of(key, value)
        if re.search(r"(?:^|_)(?:count|jumlah|banyak)(?:_|$)", key, re.IGNORECASE) and exact < 0:
            yield Finding(f"sign:{key}", "critical", f"{key} negatif: jumlah tidak mungkin kurang dari nol.")
        elif kind == "currency_IDR" and exact < 0:
            yield Finding(f"sign:{key}", "warning", f"{key} bernilai negatif.")
        elif kind == "percentage" and re.search(r"share|porsi", key, re.IGNORECASE) and not 0 <= exact <= 1:
            yield Finding(f"range:{key}", "warning", f"{key} di luar 0–100%.")
        else:
            yield Finding(f"range:{key}", "passed")


def _average(calculations: Mapping[str, Any]) -> Iterator[Finding]:
    """AVG = SUM / COUNT, where there is exactly one of each."""
    found: dict[str, list[str]] = {"avg": [], "sum": [], "count": []}
    for key in calculations:
        folded = key.casefold()
        if re.search(r"avg|average|rata", folded):
            found["avg"].append(key)
        elif re.search(r"count|jumlah|banyak", folded):
            found["count"].append(key)
        elif re.search(r"total|sum", folded):
            found["sum"].append(key)
    if any(len(keys) != 1 for keys in found.values()):
        return
    average, total, count = (number(calculations[found[part][0]]) for part in ("avg", "sum", "count"))
    if average is None or total is None or not count:
        return
    holds = _holds(average, "==", total / count)
    text = f"{found['avg'][0]} tidak sama dengan {found['sum'][0]} / {found['count'][0]}."
    yield Finding("average", "passed" if holds else "warning", "" if holds else text)


def _parts(calculations: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """A total against the column of the same name in the table behind it."""
    if len(rows) < 2:
        return
    columns = {str(name).casefold().replace(" ", "_"): name for name in rows[0]}
    for key, value in calculations.items():
        column = columns.get(key.casefold()) or columns.get(re.sub(r"^total_", "", key.casefold()))
        total = number(value)
        parts = [number(row.get(column)) for row in rows] if column is not None else []
        if total is None or not parts or any(part is None for part in parts):
            continue
        holds = _holds(total, "==", sum((part for part in parts if part is not None), Decimal(0)))
        text = f"{key} tidak sama dengan jumlah kolom {column} pada tabel."
        yield Finding(f"parts:{key}", "passed" if holds else "warning", "" if holds else text)


def _rows(rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    if not rows:
        return
    seen = [json.dumps(row, sort_keys=True, default=str) for row in rows]
    twice = len(seen) - len(set(seen))
    yield (
        Finding("duplicates", "warning", f"{twice} baris data berulang.") if twice else Finding("duplicates", "passed")
    )
    for column in rows[0]:
        empty = sum(row.get(column) is None for row in rows)
        if empty / len(rows) > NULL_SHARE:
            yield Finding(f"nulls:{column}", "warning", f"Kolom {column} kosong pada {empty} dari {len(rows)} baris.")
        months = sorted({found for row in rows if (found := _month(row.get(column))) is not None})
        if len(months) > 2:
            missing = months[-1] - months[0] + 1 - len(months)
            text = f"Kolom {column}: {missing} bulan tidak ada datanya."
            yield Finding(f"gaps:{column}", "warning" if missing else "passed", text if missing else "")


def _month(value: Any) -> int | None:
    found = _MONTH.match(value) if isinstance(value, str) else None
    return int(found[1]) * 12 + int(found[2]) if found else None
