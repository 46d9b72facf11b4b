"""Doubts about a query that is the first reading of several: others answer otherwise, or all are guessed. Chooses none.

That a reading is the likeliest is no evidence of what was meant: only readings that agree in their result make a plain
success. And where nobody wrote words for the graph, what a list shows is guessed, unless the question asks for names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import Any

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.core.twice import Rows
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.names import parts, root

MOST_RUN = 12
MOST_COLUMNS = 4
"""A wider result is compared as it stands."""


def doubts_of_choice(
    hints: Hints,
    query: str,
    rows: Rows,
    readings: Sequence[str],
    linker: Linker,
    run: Callable[[str], Rows | None],
) -> list[Doubt]:
    """At most one doubt; none for a query that is none of the `readings`."""
    if query not in readings:
        return []
    if (other := meant_otherwise(query, rows, readings, run)) is not None:
        return [Doubt("meant", other)]
    return [] if linker.lexicon.written or _is_settled(hints, QueryFacts.of(query), linker) else [Doubt("guessed")]


def _is_settled(hints: Hints, facts: QueryFacts, linker: Linker) -> bool:
    """True for names that are asked for, one figure, a rank of names with its number; what else is shown is guessed.

    So is whether `receiving banks` are a property's values or what RECEIVED joins, of which step of several a `never`
    speaks, and whether lists are measured one by one or together.
    """
    question = hints.question
    within = {root(part) for kind in hints.within for part in parts(kind)}
    shown = facts.columns[0].rpartition(".")[2] if facts.columns else ""
    if facts.names & set(hints.within) or within & {root(part) for part in parts(shown)}:
        return False
    if "SIZE" in facts.words or (facts.negates and len(facts.structure.relationships) > 1):
        return False
    if linker.wording.compiled(r"\b‹label›\s+‹label›\b").search(question):
        return False  # `product categories`: which of the two is meant depends on the language
    if linker.wording.compiled(r"^\W*(?:(?!‹who_are›)‹opens_person›|‹asks_names›)\b").match(question):
        return True
    ranked = (
        {"ORDER", "LIMIT"} <= facts.words and len(facts.columns) > 1 and _is_said(facts.columns[0], question, linker)
    )
    figure = any(token.is_word("COUNT", "SUM", "AVG", "MIN", "MAX") for token in facts.returned)
    return ranked or (figure and len(facts.columns) == 1)


def _is_said(column: str, question: str, linker: Linker) -> bool:
    """True for a name, and for a property that the question says; an order has no name: anything may show it."""
    name = column.rpartition(".")[2]
    words = {root(word) for word in re.findall(r"\w+", question)}
    return linker.naming.names(name) or {root(part) for part in parts(name)} <= words


def meant_otherwise(query: str, rows: Rows, readings: Sequence[str], run: Callable[[str], Rows | None]) -> str | None:
    """What the first reading shows that finds other rows than `query`; None where all agree.

    Rows met twice, a node shown whole, and columns that one shows besides the other's count as no difference.
    """
    others = [text for text in readings if text != query][:MOST_RUN]
    return next((text.rpartition(" RETURN ")[2] for text in others if _differ(run(text), rows)), None)


def _differ(other: Rows | None, rows: Rows) -> bool:
    if other is None or _is_whole(other) != _is_whole(rows):
        return False
    narrow, wide = sorted((rows, other), key=_width)
    wanted = _distinct(narrow)
    columns = range(_width(wide))
    choices = permutations(columns, _width(narrow)) if len(columns) <= MOST_COLUMNS else [columns]
    return all(_distinct([[row[at] for at in chosen] for row in wide]) != wanted for chosen in choices)


def _width(rows: Rows) -> int:
    return len(rows[0]) if rows else 0


def _is_whole(rows: Rows) -> bool:
    return all(isinstance(cell, dict) for row in rows for cell in row)


def _distinct(rows: Iterable[Sequence[Any]]) -> set[str]:
    return {repr(list(row)) for row in rows}
