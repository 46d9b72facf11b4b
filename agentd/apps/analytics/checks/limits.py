"""How many rows a question asks for, and plans that return another number: cut lists, a top 5 of two rows. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from agentd.agent import languages
from agentd.apps.analytics.answer.statements import ENDS, statements_in
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.question.comparisons import superlatives
from agentd.apps.analytics.sql import edits
from agentd.apps.analytics.sql.projections import order_of
from agentd.apps.analytics.sql.tree import of_kind, tree
from agentd.apps.analytics.vocabulary import finder, listed, numerals, vocabulary

MOST = 100
"""A larger number is not a number of rows."""


def asked_for(question: str) -> int | None:
    """The number of rows in a question for a part of a list: "5 customer terbesar", "top three"; None without one."""
    if not superlatives(question):
        return None
    said = vocabulary()
    before = {*said.units, *listed("quarters", "halves", "dates", "years", "beyond")}
    months = {name for names in languages.words().months for name in names}
    after = {*said.units, *listed("own_units"), *said.months, *months}
    tokens = re.findall(r"\w+|%", re.sub(r"\d{4}-\d\d-\d\d|\d+(?:[.,]\d+)+", " ", question.casefold()))
    known, found = numerals(), set()
    for last, token, next_ in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        number = int(token) if token.isdecimal() else known.get(token, 0)
        if 1 < number <= MOST and last not in before and next_ not in after | {"%"}:
            found.add(number)
    return found.pop() if len(found) == 1 else None


def number_words(number: float) -> frozenset[str]:
    """The single words for a number: 2 is `dua` and `two`."""
    return frozenset(word for word, value in numerals().items() if value == number)


def has_numbers(text: str) -> bool:
    """Whether a text contains a number, in digits or words."""
    known = {*numerals(), *listed("scales")}
    return any(word[0].isdecimal() or word in known for word in re.findall(r"\w+", text.casefold()))


def as_asked(query: str, question: str) -> str:
    """The query without a LIMIT that the question doesn't name, unless the question asks for a part of a list."""
    limit = None if superlatives(question) or _alike(query) else edits.limit_of(query)
    return query if limit is None or _names(question, limit) else edits.without_limit(query)


def _alike(query: str) -> bool:
    """Whether all rows of a query are the same: `SUM(x) OVER ()` beside nothing else."""
    shown = found.selects if isinstance(found := tree(query), exp.Select) else []
    whole = (each.unalias() for each in shown)
    return bool(shown) and all(
        isinstance(each, exp.Window) and not (each.args.get("partition_by") or each.args.get("order")) for each in whole
    )


def operation_as_asked(operation: dict[str, Any], question: str) -> dict[str, Any]:
    """The same for an operation."""
    limit = None if superlatives(question) else operation.get("limit")
    if isinstance(limit, int) and not _names(question, limit):
        return {key: value for key, value in operation.items() if key != "limit"}
    return operation


def other_rows(plan: Plan, question: str) -> Iterator[str]:
    """Errors, one sentence per query: a wrong number of rows, or a figure computed from truncated rows."""
    asked = asked_for(question)
    limits = {query["result_key"]: edits.limit_of(query["query"]) for query in plan.results}
    for key, limit in limits.items() if asked else ():
        if limit is not None and limit != asked:
            yield f"{key}: the question asks for {asked} rows, not {limit}"
    if asked and asked not in limits.values() and (listed := next(_listed(plan), None)):
        yield f"{listed}: the question asks for {asked} rows; write LIMIT {asked}"
    for query in plan.results:
        for limit in _inner(query["query"]):
            if limit != 1 and not _names(question, limit):
                yield f"{query['result_key']}: a LIMIT {limit} inside leaves out rows that the question asks for"


def lists_for_one(plan: Plan, question: str) -> dict[str, str]:
    """{result key: the question's superlative} for each result that may have several rows although the question asks
    for a single one ("terbesar"), unless a computed statement or a subquery picks it. `question` comes without time
    words."""
    word = _for_one(question)
    if not word or any(each.kind in ENDS for each in statements_in(plan.template)):
        return {}
    return {query["result_key"]: word for query in plan.results if _may_list(query["query"], question)}


def _may_list(query: str, question: str) -> bool:
    """Whether a query may return more rows than the question names."""
    found, limit = tree(query), edits.limit_of(query)
    if found is None or found.find(exp.Window, exp.Subquery):
        return False
    listed = found.args.get("order") or found.args.get("group")
    return bool(listed) and (limit is None or (limit > 1 and not _names(question, limit)))


def _for_one(question: str) -> str:
    """The superlative that asks for one row; "" if the question names a number of rows, has several superlatives, or
    wants sorted rows or one per thing. Upper-case words are names."""
    found = {
        each[0]
        for each in superlatives(question)
        if (each[0].islower() or not each.start()) and not re.match(r"\W*\d", question[each.end() :])
    }
    several = asked_for(question) is not None or finder("sorts", "each").search(question) is not None
    return found.pop() if len(found) == 1 and not several else ""


def _listed(plan: Plan) -> Iterator[str]:
    """The keys of the sorted results, of which the first rows are meant."""
    for query in plan.results:
        found = tree(query["query"])
        if order_of(query["query"]) and found is not None and found.find(exp.Window) is None:
            yield query["result_key"]


def _inner(query: str) -> Iterator[int]:
    found = tree(query)
    for limit in of_kind(found, exp.Limit) if found is not None else ():
        if limit.parent is not found and limit.expression is not None and limit.expression.is_int:
            yield int(limit.expression.this)


def _names(question: str, number: int) -> bool:
    words = {str(number), *number_words(number)}
    return bool(words & set(re.findall(r"\w+", question.casefold())))
