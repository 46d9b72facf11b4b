"""Placeholders of a narrative that follow words for another figure: a mean for a total. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agentd.apps.analytics.answer.placeholders import is_period
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.question.comparisons import months_in
from agentd.apps.analytics.sql.projections import Projection
from agentd.apps.analytics.sql.tree import DAY
from agentd.apps.analytics.vocabulary import finder, words_of

_PLACEHOLDER = re.compile(r"\{\s*([^\W\d][\w.-]*)\s*\}")
_APART = re.compile(r"\{[^{}]*\}|[.!?;]\s|\n")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NOT = {"totals": {"AVG"}, "averages": {"SUM", "COUNT", "MIN", "MAX"}, "most": {"MIN"}, "least": {"MAX"}}
"""The aggregates that contradict the words under a key."""


def misplaced(plan: Plan) -> Iterator[str]:
    """Placeholders whose figure has another aggregate, year, month or name than the words before them, and figures that
    have another aggregate than their own name."""
    texts = {query.text: {each.name for each in query.all(exp.Literal) if each.is_string} for query in plan.results}
    figures: dict[str, tuple[Projection, str]] = {}
    for query in plan.results:
        figures |= {each.name.casefold(): (each, query.text) for each in query.columns}
        figures |= {query.key.casefold(): (each, query.text) for each in query.columns if len(query.columns) == 1}
    yield from (figure.name for figure, _ in figures.values() if _of_another_kind(words_of(figure.name), figure))
    for found in _PLACEHOLDER.finditer(plan.template):
        if found[1].casefold() in figures and not is_period(found[1]):
            before = _PLACEHOLDER.sub(_without_period, plan.template[: found.start()])
            figure, computed = figures[found[1].casefold()]
            words = _APART.split(before)[-1]
            other_name = _of_another_name(words, texts[computed], set().union(*texts.values()))
            if _of_another_kind(words, figure) or _of_another_time(words, DAY.findall(computed)) or other_name:
                yield f"{words.strip(' ,:')} {found[0]}".strip()


def _of_another_name(words: str, own: set[str], others: set[str]) -> bool:
    """Whether the words have a name that only other queries select by, and none of the query's own."""
    named = {name for name in own | others if name and name.casefold() in words.casefold()}
    return bool(named & others - own) and not named & own


def _without_period(found: re.Match[str]) -> str:
    return "" if is_period(found[1]) else found[0]


def _of_another_kind(words: str, figure: Projection) -> bool:
    said = [key for key in _NOT if finder(key).search(words)]
    return len(said) == 1 and not figure.quotient and figure.aggregate in _NOT[said[0]]


def _of_another_time(words: str, days: list[str]) -> bool:
    """Whether the words name a year or month that none of the query's dates is in."""
    years, months = set(_YEAR.findall(words)), set(months_in(words).values())
    if not days:
        return False
    first, last = min(days), max(days)
    begins, ends = (int(day[:4]) * 12 + int(day[5:7]) - 1 for day in (first, last))
    within = range(
        begins, ends + (first == last or not last.endswith("-01"))
    )  # a bound on the first of a month excludes that month
    another = bool(months) and months.isdisjoint(month % 12 + 1 for month in within)
    return another or (bool(years) and years.isdisjoint(str(month // 12) for month in within))
