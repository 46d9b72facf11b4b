"""Compares the discounts and other deductions of a query with what the question says about them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from agentd.apps.analytics.checks.agreement import words_of
from agentd.apps.analytics.vocabulary import finder, phrase_finder, topics_of, vocabulary


def misdeducted(asked: str, select: exp.Select) -> Iterator[str]:
    """Words for "before" or "after" a deduction if the query subtracts it, or multiplies by it, contrary to them; also
    deductions that are added, and a profit with reversed sign (cost minus price)."""
    less = _names(each.expression for each in select.find_all(exp.Sub))
    times = _names(select.find_all(exp.Mul))
    for phrase, parts in vocabulary().before_deductions.items():
        if re.search(parts, less, re.IGNORECASE) and phrase_finder(phrase).search(asked):
            yield phrase
    for phrase, parts in vocabulary().after_deductions.items():
        alone = re.search(parts, times, re.IGNORECASE) and not re.search(parts, less, re.IGNORECASE)
        if alone and phrase_finder(phrase).search(asked):
            yield phrase
    for each in select.find_all(exp.Add):
        more = _names([each.expression]) if each.this.name == "1" else ""
        if any(re.search(parts, more, re.IGNORECASE) for parts in vocabulary().after_deductions.values()):
            yield each.sql()
    for turned in select.find_all(exp.Sub) if finder("gains").search(asked) else ():
        left, right = (topics_of(words_of(_names([side]))) for side in (turned.this, turned.expression))
        if "cost" in left - right and {"price", "sales"} & (right - left):
            yield turned.sql()


def _names(parts: Iterable[exp.Expr]) -> str:
    return " ".join(column.name for part in parts for column in part.find_all(exp.Column))
