"""A plan's rules for its results (`validation_rules_for_results`), read and held against the values. Pure.

docs/analytics/README.md has the shapes of rules. A field names a figure, or a column of a result's rows (`COLUMN`,
`RESULT.COLUMN`), each row of which must comply. A broken sign rule (>= 0, > 0, non_negative, positive) is critical
unless it says otherwise, others are warnings. What cannot be evaluated (an unknown shape, a value that isn't there, a
division by zero) is `unchecked`: never kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Any

from agentd.apps.analytics.answer.placeholders import own_numbers

TOLERANCE = Decimal("0.005")
"""The relative difference that rounding may cause between a figure and its parts."""
_SYMBOLS = r">=|<=|==|!=|<>|=|>|<"
_EXPRESSION = re.compile(rf"^\s*([\w.]+)\s*({_SYMBOLS})\s*([\w.-]+)(?:\s*([*/+-])\s*([\w.]+))?\s*$")
_NOT_NULL = re.compile(r"(?i)([\w.]+) (?:is )?not null$")
_NEEDED = ("not_null", "is_not_null", "exists", "required")
_OPERATORS = {
    "gt": ">", "greater_than": ">", "gte": ">=", "ge": ">=", "greater_than_or_equal": ">=",
    "greater_than_or_equal_to": ">=", "at_least": ">=", "lt": "<", "less_than": "<", "lte": "<=", "le": "<=",
    "less_than_or_equal": "<=", "less_than_or_equal_to": "<=", "at_most": "<=", "eq": "==", "equals": "==",
    "equal": "==", "ne": "!=", "neq": "!=", "not_equal": "!=", "not_equals": "!=",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """One check: `passed`, broken (`warning`, `critical`), `unchecked`, or `inapplicable` (only derived rules)."""

    name: str
    outcome: str
    message: str = ""

    @property
    def critical(self) -> bool:
        """Whether the results may not be shown."""
        return self.outcome == "critical"


@dataclass(frozen=True, slots=True)
class _Verdict:
    """Whether a rule holds (None: it could not be evaluated, see `text`), its text and its severity."""

    holds: bool | None
    text: str
    severity: str = "warning"


class Values:
    """The values for rules: figures, columns of multi-row results and of the table; `say` has the findings' texts."""

    def __init__(
        self, calculations: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], say: Mapping[str, str]
    ) -> None:
        self.say = say
        self._figures = {key.casefold(): value for key, value in calculations.items()}
        self._rows = rows

    def of(self, name: str) -> list[Any]:
        """The values of a figure or a column; empty if neither has the name, which may stand in braces."""
        name = name.strip("{} ").casefold()
        result, _, column = name.rpartition(".")
        figure = self._figures.get(name, self._figures.get(column) if result else None)
        known = name in self._figures or bool(result and column in self._figures)
        if isinstance(figure, list):
            return [next(iter(row.values())) for row in figure if isinstance(row, dict) and len(row) == 1]
        if known:
            return [figure]
        lists = [self._figures.get(result)] if result else [*self._figures.values(), self._rows]
        for rows in [*lists, self._rows]:
            if isinstance(rows, list | tuple) and (found := column_of(rows, column)) is not None:
                return found
        return []

    def column(self, result: str, column: str | None) -> list[Any]:
        """A column of a result; its last one if none is named."""
        if column is not None:
            return self.of(f"{result}.{column}" if result else column)
        rows = self._figures.get(result.casefold(), self._rows)
        rows = self._rows if isinstance(rows, Mapping) else rows if isinstance(rows, list | tuple) else ()
        return [list(row.values())[-1] for row in rows if isinstance(row, Mapping) and row]


def column_of(rows: Sequence[Any], name: str) -> list[Any] | None:
    """The values of the column with that name in any case; None if there is none."""
    first = rows[0] if rows else None
    wanted = next((key for key in first if str(key).casefold() == name), None) if isinstance(first, Mapping) else None
    return None if wanted is None else [row.get(wanted) for row in rows]


def judged(rules: Sequence[Mapping[str, Any]], values: Values) -> Iterator[Finding]:
    """A finding for each rule, named `rule_1` and so on."""
    for place, rule in enumerate(rules, 1):
        try:
            verdict = _verdict(rule, values)
        except _NotThere as error:
            verdict = _Verdict(None, str(error))
        yield _finding(f"rule_{place}", rule, verdict, values.say)


def number(value: Any) -> Decimal | None:
    """The exact number in a result, also from text; None if it isn't a finite number."""
    if isinstance(value, bool) or value is None or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def compare(left: Decimal, operator: str, right: Decimal) -> bool:
    """Compares two numbers; equality allows for rounding."""
    near = abs(left - right) <= TOLERANCE * max(abs(left), abs(right))
    if operator in ("=", "=="):
        return near
    if operator in ("!=", "<>"):
        return not near
    return {">": left > right, ">=": left >= right, "<": left < right, "<=": left <= right}[operator]


class _NotThere(Exception):
    """A rule refers to a value that the results don't have."""


def _finding(name: str, rule: Mapping[str, Any], verdict: _Verdict, say: Mapping[str, str]) -> Finding:
    if verdict.holds is None and rule.get("derived"):
        return Finding(name, "inapplicable", verdict.text)
    if verdict.holds is None:
        return Finding(name, "unchecked", say["unchecked"].format(why=verdict.text))
    if verdict.holds:
        return Finding(name, "passed", verdict.text)
    grave = str(rule.get("severity") or verdict.severity).casefold() in ("critical", "error", "fatal", "high")
    message = rule.get("message") or rule.get("description")
    if not isinstance(message, str) or own_numbers(message, [verdict.text]):
        message = say["broken"].format(rule=verdict.text)
    return Finding(name, "critical" if grave else "warning", message)


def _verdict(rule: Mapping[str, Any], values: Values) -> _Verdict:
    field = _first(rule, "result_key", "field", "key", "column", "placeholder")
    kind = re.sub(r"[{}]", "", str(_first(rule, "rule", "type", "check", "condition", "expression") or "")).strip()
    folded = re.sub(r"[\s-]+", "_", kind.casefold())
    if (form := _FORMS.get(folded)) is not None:
        return form(rule, values)
    if isinstance(field, str) and re.match(rf"^\s*(?:{_SYMBOLS})", kind):
        kind = f"{field} {kind}"
    if expressed := _EXPRESSION.match(kind):
        return _expression(expressed, values)
    if present := _NOT_NULL.match(kind):
        return _not_null(present[1], values)
    operator = rule.get("operator")
    if isinstance(field, str) and isinstance(operator, str):
        return _operator(field, operator, rule.get("value"), values)
    if isinstance(field, str):
        return _named(field, folded, rule, values)
    return _Verdict(None, values.say["unknown_rule"].format(rule=kind or json.dumps(dict(rule), default=str)))


def _expression(found: re.Match[str], values: Values) -> _Verdict:
    left, operator, first, sign, second = found.groups()
    text = f"{left} {operator} {first}" + (f" {sign} {second}" if sign else "")
    right = _operand(first, values)
    if sign is not None and second is not None:
        other = _operand(second, values)
        if sign == "/" and other == 0:
            return _Verdict(None, values.say["by_zero"].format(rule=text))
        right = {"+": right + other, "-": right - other, "*": right * other}[sign] if sign != "/" else right / other
    return _compared(left, operator, right, text, values)


def _compared(field: str, operator: str, right: Decimal, text: str, values: Values) -> _Verdict:
    holds = all(compare(each, operator, right) for each in _numbers(field, values))
    return _Verdict(holds, text, "critical" if right == 0 and operator in (">", ">=") else "warning")


def _operator(field: str, operator: str, value: Any, values: Values) -> _Verdict:
    folded = re.sub(r"[\s-]+", "_", operator.strip().casefold())
    text = f"{field} {operator} {'' if value is None else value}".strip()
    if folded in _NEEDED:
        return _not_null(field, values)
    if folded in ("in", "not_in") and isinstance(value, list):
        listed = {str(each).casefold() for each in value}
        there = [str(each).casefold() in listed for each in _known(field, values)]
        return _Verdict(all(there) if folded == "in" else not any(there), text)
    if folded == "between" and isinstance(value, list) and len(value) == 2:
        return _named(field, text, {"min": value[0], "max": value[1]}, values)
    symbol = _OPERATORS.get(folded, folded)
    if not re.fullmatch(_SYMBOLS, symbol):
        return _Verdict(None, values.say["unknown_operator"].format(rule=text))
    if number(value) is None and symbol in ("==", "=", "!=", "<>") and not values.of(str(value)):
        same = [str(each).casefold() == str(value).casefold() for each in _known(field, values)]
        return _Verdict(all(same) if symbol in ("==", "=") else not any(same), text)
    return _compared(field, symbol, _operand(str(value), values), text, values)


def _named(field: str, kind: str, rule: Mapping[str, Any], values: Values) -> _Verdict:
    if kind in _NEEDED:
        return _not_null(field, values)
    if kind in ("non_negative", "not_negative", "nonnegative"):
        return _compared(field, ">=", Decimal(0), f"{field} >= 0", values)
    if kind == "positive":
        return _compared(field, ">", Decimal(0), f"{field} > 0", values)
    low = _first(rule, "min", "min_value", *(["value"] if kind.startswith("min") else []))
    high = _first(rule, "max", "max_value", *(["value"] if kind.startswith("max") else []))
    bounds = [number(bound) for bound in (low, high) if bound is not None]
    if not bounds or None in bounds:
        return _Verdict(None, values.say["unknown_rule"].format(rule=f"{field} {kind}".rstrip()))
    return _within(field, number(low), number(high), values)


def _within(field: str, low: Decimal | None, high: Decimal | None, values: Values) -> _Verdict:
    inside = [(low is None or each >= low) and (high is None or each <= high) for each in _numbers(field, values)]
    text = values.say["within"].format(field=field, low="…" if low is None else low, high="…" if high is None else high)
    return _Verdict(all(inside), text, "critical" if low == 0 and high is None else "warning")


def _not_null(field: str, values: Values) -> _Verdict:
    text = values.say["must_be_there"].format(field=field)
    return _Verdict(all(each is not None for each in _known(field, values)), text)


def _sum_equals(rule: Mapping[str, Any], values: Values) -> _Verdict:
    total = str(_first(rule, "total", "equals", "value") or "total")
    parts = rule.get("parts") or rule.get("fields")
    if isinstance(parts, list) and parts:
        found, said = [_operand(str(part), values) for part in parts], " + ".join(map(str, parts))
    else:
        name, found = _series(rule, values)
        said = values.say["sum_of"].format(field=name)
    return _Verdict(compare(sum(found, Decimal(0)), "==", _operand(total, values)), f"{said} == {total}")


def _ratio(rule: Mapping[str, Any], values: Values) -> _Verdict:
    result, top, bottom = (str(rule.get(key) or key) for key in ("result_key", "numerator", "denominator"))
    whole = _operand(bottom, values)
    text = f"{result} == {top} / {bottom}"
    if whole == 0:
        return _Verdict(None, values.say["by_zero"].format(rule=text))
    wanted, found = _operand(top, values) / whole, _operand(result, values)
    return _Verdict(compare(found, "==", wanted) or compare(found, "==", 100 * wanted), text)


def _monotone(rule: Mapping[str, Any], values: Values) -> _Verdict:
    falls = str(rule.get("direction") or "ascending").casefold().startswith(("dec", "desc", "fall", "turun"))
    name, found = _series(rule, values)
    holds = all(later <= earlier if falls else later >= earlier for earlier, later in pairwise(found))
    return _Verdict(holds, values.say["falls" if falls else "rises"].format(field=name))


def _series(rule: Mapping[str, Any], values: Values) -> tuple[str, list[Decimal]]:
    """(the name of the column that a rule is about, its numbers)."""
    result, column = str(rule.get("result_key") or ""), str(_first(rule, "column", "field") or "")
    name = ".".join(filter(None, (result, column))) or "result_key"
    return name, _exact(values.column(result, column or None), name, values)


_Form = Callable[[Mapping[str, Any], Values], _Verdict]
_FORMS: dict[str, _Form] = {"sum_equals": _sum_equals, "ratio": _ratio, "monotone": _monotone}


def _first(rule: Mapping[str, Any], *keys: str) -> Any:
    return next((rule[key] for key in keys if rule.get(key) is not None), None)


def _known(field: str, values: Values) -> list[Any]:
    found = values.of(field)
    if not found:
        raise _NotThere(values.say["not_there"].format(field=field))
    return found


def _numbers(field: str, values: Values) -> list[Decimal]:
    return _exact(_known(field, values), field, values)


def _exact(found: Sequence[Any], field: str, values: Values) -> list[Decimal]:
    exact = [each for each in map(number, found) if each is not None]
    if not exact or len(exact) < len(found):
        raise _NotThere(values.say["no_number"].format(field=field))
    return exact


def _operand(word: str, values: Values) -> Decimal:
    literal = number(word) if re.match(r"-?\d", word) else None
    if literal is not None:
        return literal
    found = _numbers(word, values)
    if len(found) != 1:
        raise _NotThere(values.say["not_one"].format(field=word))
    return found[0]
