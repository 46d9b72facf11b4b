"""Conditions on yes/no columns against what the question denies. Pure; used by accounting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from agentd.apps.analytics.answer.formats import FIGURES
from agentd.apps.analytics.checks.agreement import restricted, speaks, words_of
from agentd.apps.analytics.checks.schema_reading import Reading


def denied(reading: Reading, leaf: exp.Expr, columns: list[exp.Column]) -> bool:
    """Whether a condition tests a flag for "no" (`Discontinued = 0`) although the question doesn't negate it."""
    no = {"EQ": "0", "NEQ": "1"}.get(type(leaf).__name__)
    said = [each for each in columns if no and leaf.expression.name == no]
    flags = [each for each in said if reading.kind(each) not in FIGURES or speaks(each.name, "voided")]
    return not all(_negated(reading, flags))


def affirmed(reading: Reading, leaf: exp.Expr, columns: list[exp.Column]) -> bool:
    """Whether a condition tests for "yes" what the question negates: `Registered = 1` for "not registered", or
    `return_date IS NOT NULL` for "not returned"."""
    filled = isinstance(leaf, exp.Is) and isinstance(leaf.parent, exp.Not) and isinstance(leaf.expression, exp.Null)
    yes = {"EQ": "1", "NEQ": "0"}.get(type(leaf).__name__)
    flagged = yes and leaf.expression.name == yes and all(reading.kind(each) not in FIGURES for each in columns)
    true = (
        isinstance(leaf, exp.EQ | exp.Is) and leaf.expression.sql() == "TRUE" and not isinstance(leaf.parent, exp.Not)
    )
    return bool(filled or flagged or true) and any(_negated(reading, columns))


def _negated(reading: Reading, columns: Iterable[exp.Column]) -> Iterator[bool]:
    """For each word of the columns' names in the question: whether one of the two words before it negates it."""
    words = [word for each in columns for word in words_of(each.name).split() if len(word) > 3]
    before = [reading.asked.said.partition(word)[0].split()[-2:] for word in words if word in reading.asked.said]
    yield from (restricted(" ".join(each)) is not None for each in before)
