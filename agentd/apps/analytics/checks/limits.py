"""How many rows a question asks for, and plans that return another number: cut lists, a top 5 of two rows. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from agentd.agent import languages
from agentd.apps.analytics.answer.statements import ENDS, statements_in
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.question.comparisons import part_of_a_name, superlatives
from agentd.apps.analytics.sql import edits
from agentd.apps.analytics.sql.query import Query
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
    read = Query("", query)
    limit = None if superlatives(question) or _alike(read) else read.limit
    return query if limit is None or _names(question, limit) else edits.without_limit(query)


def _alike(query: Query) -> bool:
    """Whether all rows of a query are the same: `SUM(x) OVER ()` beside nothing else."""
    shown = query.outer.node.expressions if query.outer else []
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
    limits = {query.key: query.limit for query in plan.results}
    for key, limit in limits.items() if asked else ():
        if limit is not None and limit != asked:
            yield f"{key}: the question asks for {asked} rows, not {limit}"
    sorted_ = (query.key for query in plan.results if query.order and not query.has(exp.Window))
    if asked and asked not in limits.values() and (listed := next(sorted_, None)):
        yield f"{listed}: the question asks for {asked} rows; write LIMIT {asked}"
    for query in plan.results:
        inner = (limit.expression for limit in query.all(exp.Limit) if limit.parent is not query.tree)
        for limit in (int(number.this) for number in inner if number is not None and number.is_int):
            if limit != 1 and not _names(question, limit):
                yield f"{query.key}: a LIMIT {limit} inside leaves out rows that the question asks for"


def lists_for_one(plan: Plan, question: str) -> dict[str, str]:
    """{result key: the question's superlative} for each result that may have several rows although the question asks
    for a single one ("terbesar"), unless a computed statement or a subquery picks it. `question` comes without time
    words."""
    word = _for_one(question)
    if not word or any(each.kind in ENDS for each in statements_in(plan.template)):
        return {}
    return {query.key: word for query in plan.results if _may_list(query, question)}


def _may_list(query: Query, question: str) -> bool:
    """Whether a query may return more rows than the question names."""
    if query.tree is None or query.has(exp.Window, exp.Subquery):
        return False
    listed = query.tree.args.get("order") or query.tree.args.get("group")
    more = query.limit is None or (query.limit > 1 and not _names(question, query.limit))
    return bool(listed) and more


def _for_one(question: str) -> str:
    """The superlative that asks for one row; "" if the question names a number of rows, has several superlatives, or
    wants sorted rows, different ones, or one per thing. Upper-case words are names, so is the first of "first name"."""
    found = {
        each[0]
        for each in superlatives(question)
        if not part_of_a_name(question, each)
        and (each[0].islower() or not each.start())
        and not re.match(r"\W*\d", question[each.end() :])
    }
    several = asked_for(question) is not None or finder("sorts", "each", "several").search(question) is not None
    return found.pop() if len(found) == 1 and not several else ""


def _names(question: str, number: int) -> bool:
    words = {str(number), *number_words(number)}
    return bool(words & set(re.findall(r"\w+", question.casefold())))
