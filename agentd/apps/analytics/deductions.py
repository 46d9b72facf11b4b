"""Discounts and the like that a query takes off, or does not, against what the question says of them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agentd.apps.analytics.vocabulary import phrase_finder, vocabulary


def misdeducted(asked: str, select: exp.Select) -> Iterator[str]:
    """Words for what is before or after a deduction, where that is taken off or multiplied by; one that is added."""
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


def _names(parts: Iterator[exp.Expr] | list[exp.Expr]) -> str:
    return " ".join(column.name for part in parts for column in part.find_all(exp.Column))
