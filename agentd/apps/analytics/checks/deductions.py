"""Compares the discounts and other deductions of a query with what the question says about them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sqlglot import exp

from agentd.apps.analytics.plan.plan import Plan
from agentd.apps.analytics.plan.reads import text_of
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.tree import nodes, of_kind
from agentd.apps.analytics.vocabulary import finder, phrase_finder, topics_of, vocabulary, words_of


def misdeducted(asked: str, select: exp.Select) -> Iterator[str]:
    """Words for "before" or "after" a deduction if the query subtracts it, or multiplies by it, contrary to them; also
    deductions that are added, and a profit with reversed sign (cost minus price)."""
    less = _names(each.expression for each in of_kind(select, exp.Sub))
    times = _names(of_kind(select, exp.Mul))
    for phrase, parts in vocabulary().before_deductions.items():
        if re.search(parts, less, re.IGNORECASE) and phrase_finder(phrase).search(asked):
            yield phrase
    for phrase, parts in vocabulary().after_deductions.items():
        alone = re.search(parts, times, re.IGNORECASE) and not re.search(parts, less, re.IGNORECASE)
        if alone and phrase_finder(phrase).search(asked):
            yield phrase
    for each in of_kind(select, exp.Add):
        more = _names([each.expression]) if each.this.name == "1" else ""
        if any(re.search(parts, more, re.IGNORECASE) for parts in vocabulary().after_deductions.values()):
            yield each.sql()
    for turned in of_kind(select, exp.Sub) if finder("gains").search(asked) else ():
        left, right = (topics_of(words_of(_names([side]))) for side in (turned.this, turned.expression))
        if "cost" in left - right and {"price", "sales"} & (right - left):
            yield turned.sql()


def not_deducted(asked: str, plan: Plan, schema: Schema) -> Iterator[str]:
    """The word for a profit if the plan subtracts nothing and reads nothing of that name."""
    gain, written = finder("gains"), text_of(plan)
    columns = (column for column in schema.columns if column.name in written)
    told = " ".join([words_of(written), *(column.description for column in columns)])
    if (word := gain.search(asked)) and not gain.search(told) and not any(nodes(plan.selects, exp.Sub, exp.Neg)):
        yield word[0]


def _names(parts: Iterable[exp.Expr]) -> str:
    return " ".join(column.name for part in parts for column in of_kind(part, exp.Column))
