"""Doubts about a query that is the first reading of several: others answer otherwise, or all are guessed. Chooses none.

That a reading is the likeliest is no evidence of what was meant: only readings that agree in their result make a plain
success. Which columns stand beside what was asked for is no doubt: the reader sees them.
"""

from __future__ import annotations

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
    if linker.lexicon.written:
        return []
    return [Doubt("guessed")] if _is_open(hints, QueryFacts.of(query), linker) else []


def _is_open(hints: Hints, facts: QueryFacts, linker: Linker) -> bool:
    """True where a word can mean two things of a graph for which nobody wrote words.

    Nobody knows whether `receiving banks` are a property's values or what RECEIVED joins, of which step of several a
    `never` speaks, and whether lists are measured one by one or together.
    """
    within = {root(part) for kind in hints.within for part in parts(kind)}
    shown = facts.columns[0].rpartition(".")[2] if facts.columns else ""
    return bool(
        facts.names & set(hints.within)
        or within & {root(part) for part in parts(shown)}
        or "SIZE" in facts.words
        or (facts.negates and len(facts.structure.relationships) > 1)
        # `product categories`: which of the two is meant depends on the language
        or linker.wording.compiled(r"\b‹label›\s+‹label›\b").search(hints.question)
    )


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
