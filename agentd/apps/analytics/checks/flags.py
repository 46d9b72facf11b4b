"""Conditions on yes/no columns against what the question denies. Pure; used by accounting."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from agentd.apps.analytics.checks.agreement import restricted
from agentd.apps.analytics.checks.schema_reading import Reading
from agentd.apps.analytics.schema import FIGURES
from agentd.apps.analytics.sql.tree import of_kind
from agentd.apps.analytics.vocabulary import finder, speaks, words_of


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


def chosen_although_denied(reading: Reading, leaf: exp.Expr) -> bool:
    """Whether a condition selects the text that the question excludes: `status = 'cancelled'` for "not cancelled"."""
    chooses = isinstance(leaf, exp.EQ | exp.In | exp.Like) and leaf.find_ancestor(exp.Not, exp.Case) is None
    texts = (
        [each.name.strip("%").casefold() for each in of_kind(leaf, exp.Literal) if each.is_string] if chooses else []
    )
    said = (_before(reading, text) for text in texts if len(text) > 3 and text in reading.asked.said)
    return any(finder("denies").search(each) for each in said)


def _negated(reading: Reading, columns: Iterable[exp.Column]) -> Iterator[bool]:
    """For each word of the columns' names in the question (or, without one, of their descriptions): whether one of the
    two words before it negates it."""
    columns = list(columns)
    for about in (" ".join(words_of(each.name) for each in columns), reading.about(columns).casefold()):
        words = [word for word in re.findall(r"[^\W\d_]{4,}", about) if word in reading.asked.said]
        yield from (restricted(_before(reading, word)) is not None for word in words)
        if words:
            return


def _before(reading: Reading, text: str) -> str:
    """The two words before a text in the question."""
    return " ".join(reading.asked.said.partition(text)[0].split()[-2:])
