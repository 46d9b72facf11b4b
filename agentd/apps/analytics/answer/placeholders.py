"""A narrative's placeholders, the numbers it states itself, and the format of each figure.

placeholder_mcp_server does the formatting itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agentd.agent.text import name_words
from agentd.apps.analytics.question.comparisons import unclaimed
from agentd.apps.analytics.state import TimePeriod
from agentd.apps.analytics.vocabulary import finder, listed, numerals, vocabulary

_PLACEHOLDER = re.compile(r"\{\s*([^\W\d][\w.-]*)\s*\}")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_LIST_NUMBER = re.compile(r"(?m)^\s*\d{1,2}[.)]\s")

TYPES = frozenset(
    "currency_IDR number_with_separator integer percentage date_DD_MMM_YYYY date_long terbilang text".split()
)
_OTHER_NAMES = {
    "currency": "currency_IDR", "idr": "currency_IDR", "rupiah": "currency_IDR", "rp": "currency_IDR",
    "money": "currency_IDR", "currency_idr": "currency_IDR", "number": "number_with_separator",
    "numeric": "number_with_separator", "count": "number_with_separator", "decimal": "number_with_separator",
    "int": "integer", "percent": "percentage", "pct": "percentage", "date": "date_DD_MMM_YYYY",
    "string": "text", "str": "text", "list": "text",
}  # fmt: skip
LARGEST_SHARE = 100
"""10.000%: a larger value that only its name calls a share is an amount."""


def names_in(template: str) -> list[str]:
    """The placeholders of a template in order, each once."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(template)))


def own_numbers(template: str, said: Iterable[str]) -> list[str]:
    """Numbers that the template states itself, except those in the question or the period's label."""
    rest = _LIST_NUMBER.sub(" ", _PLACEHOLDER.sub(" ", template))
    words = " ".join(said)
    allowed = set(_DIGITS.findall(words)) | {
        part for number in _DIGITS.findall(words) for part in re.findall(r"\d+", number)
    }
    numbers = [number for number in _DIGITS.findall(rest) if number not in allowed]
    scales = [word for word in finder("scales").findall(rest) if word.casefold() not in words.casefold()]
    return list(dict.fromkeys([*numbers, *scales, *_spelled(rest, words)]))


def _spelled(text: str, said: str) -> list[str]:
    """Number words from two on ("twelve", "tiga") that `said` doesn't contain as word or digits; "dua kali" is left to
    comparisons.py."""
    known = numerals()
    heard = set(re.findall(r"\w+", said.casefold()))
    meant = {str(known[word]) for word in heard & known.keys()} | heard
    found = (word for word in re.findall(r"\w+", unclaimed(text).casefold()) if known.get(word, 0) > 1)
    return [word for word in found if str(known[word]) not in meant]


def mapping_of(value: Any) -> dict[str, str]:
    """`placeholder_mapping` as {placeholder: type}, from what a model wrote; a precision is kept as `type:2`."""
    mapping: dict[str, str] = {}
    for name, rule in value.items() if isinstance(value, Mapping) else ():
        kind, precision = rule, None
        if isinstance(rule, Mapping):
            kind, precision = rule.get("type") or rule.get("format") or rule.get("format_type"), rule.get("precision")
        if not isinstance(kind, str):
            continue
        bare, _, digits = kind.partition(":")
        known = bare if bare in TYPES else _OTHER_NAMES.get(bare.strip().casefold())
        if known is not None:
            digits = str(precision) if isinstance(precision, int) else digits
            mapping[str(name).strip("{} ")] = f"{known}:{digits}" if digits.isdigit() else known
    return mapping


def rules_for(mapping: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """`formatting_rules` for fill_placeholders: the plan's types, else derived from names and values."""
    rules: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        kind, _, digits = kind_in(mapping, name, value).partition(":")
        if kind == "percent_points":  # the server's `percentage` would multiply by 100 again
            kind, digits = "number_with_separator", digits or _two_at_most(value)
        elif kind == "number_with_separator":
            digits = digits or _few(value)
        rules[name] = {"type": kind, "precision": int(digits)} if digits else {"type": kind}
    return rules


def kind_in(mapping: Mapping[str, str], name: str, value: Any) -> str:
    """The type of a figure: from the mapping, by its name or the last part of it, else from name and value."""
    folded = {each.casefold(): kind for each, kind in mapping.items()}
    kind = folded.get(name.casefold()) or folded.get(name.casefold().rpartition(".")[2]) or kind_of(name, value)
    if kind == "percent_column":  # the value shows whether a column of shares has fractions
        return "percentage" if _numeric(value) and abs(float(value)) <= 1 else "percent_points"
    return kind


def in_points(mapping: Mapping[str, str], values: Mapping[str, Any]) -> list[str]:
    """The figures that are percentages already: numbers that need a sign after them."""
    known = {name: value for name, value in values.items() if value is not None}
    return [name for name, value in known.items() if kind_in(mapping, name, value).startswith("percent_points")]


def units_of(rows: Sequence[Mapping[str, Any]], mapping: Mapping[str, str], currency: str) -> dict[str, str]:
    """The units of a table's columns: {"TOTAL": "USD", "SHARE": "%"}; columns without a unit are missing."""
    units = {"currency_IDR": "Rp" if currency == "IDR" else currency, "percent_points": "%"}
    kinds = {
        name: kind_in(mapping, name, next((row[name] for row in rows if row.get(name) is not None), None))
        for name in (rows[0] if rows else ())
    }
    return {name: units[kind] for name, full in kinds.items() if (kind := full.partition(":")[0]) in units}


def _few(value: Any) -> str:
    """How many of a quotient's many decimals are shown: two, or six below 1; all if there are no more than six."""
    many = isinstance(value, float) and len(str(value).partition(".")[2]) > 6
    return ("2" if abs(value) >= 1 else "6") if many else ""


def _two_at_most(value: Any) -> str:
    decimals = str(value).partition(".")[2]
    return "2" if len(decimals) > 2 else ""


def kind_of(name: str, value: Any) -> str:
    """The default type of a value, by its name."""
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d(?:[T ].*)?", value):
        return "date_long"
    if not _numeric(value) or (is_period(name) and re.fullmatch(r"(?:19|20)\d\d", str(value))):
        return "text"
    kinds = kinds_of(name)
    if is_share(name) and abs(float(value)) <= LARGEST_SHARE:
        return "percentage"
    if "label" in kinds_of("".join([word for word in name_words(name) if word.isalpha()][-1:])):
        return "text"
    if "things" in kinds and "sure" not in kinds:
        return "number_with_separator"
    if "money" in kinds:
        return "currency_IDR"
    return "number_with_separator"


def is_share(name: str) -> bool:
    """Whether the name is that of a share, i.e. a fraction that is shown in percent."""
    return "ratio" in kinds_of(name)


def kinds_of(name: str) -> set[str]:
    """The kinds of a figure by the words of its name, from the vocabulary's `figures`."""
    return {kind for word in name_words(name) for kind in vocabulary().figures.get(word, "").split()}


def period_values(period: TimePeriod | None) -> dict[str, str]:
    """The values of time_period by placeholder name."""
    if period is None or period["period_label"] is None:
        return {}
    given = {
        "PERIOD_LABEL": period["period_label"],
        "START_DATE": period["start_date"],
        "END_DATE": period["end_date"],
    }
    return {name: value for name, value in given.items() if value is not None}


def looked_up(name: str, calculations: Mapping[str, Any], period: TimePeriod | None) -> Any:
    """The value of a placeholder. Raises KeyError if neither the results nor the period have it."""
    if name in calculations:
        return calculations[name]
    folded = {key.casefold(): value for key, value in calculations.items()}
    if name.casefold() in folded:
        return folded[name.casefold()]
    labels = period_values(period)
    wanted = name.upper()
    if wanted in labels:
        return labels[wanted]
    if is_period(name) and "PERIOD_LABEL" in labels:
        return labels["PERIOD_LABEL"]
    raise KeyError(name)


def is_period(name: str) -> bool:
    """Whether a placeholder means the question's period: {PERIOD_NAME}, or a unit such as {YEAR}."""
    units = {*vocabulary().units, *listed("years", "quarters", "halves")}
    return name.casefold() in units or any(part.startswith("period") for part in name.casefold().split("_"))


def _numeric(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int | float) or (isinstance(value, str) and bool(re.fullmatch(r"-?\d+(?:\.\d+)?", value)))
