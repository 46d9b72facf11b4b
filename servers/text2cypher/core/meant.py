"""Doubts about a query that a model chose from readings: others answer otherwise, or all are guessed. Chooses none.

Where a grammar holds several readings that cover the question, the model's choice among them is no evidence of what
was meant: only readings that agree in their result make a plain success. And where nobody wrote words for the graph,
readings are guessed from its names, and how often they are right isn't known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import Any

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.core.confidence import doubts_of_query
from servers.text2cypher.core.twice import Rows
from servers.text2cypher.grammar.readings import Reading
from servers.text2cypher.linking.hints import Hints, Linker

MOST_RUN = 12
MOST_COLUMNS = 4
"""A wider result is compared as it stands."""


def doubts_of_choice(
    query: str, rows: Rows, readings: Sequence[Reading], hints: Hints, linker: Linker, run: Callable[[str], Rows | None]
) -> list[Doubt]:
    """At most one doubt; none for a query that is none of the `readings`."""
    if all(query != reading.match + text for reading in readings for text in reading.returns):
        return []
    other = meant_otherwise(query, rows, readings, lambda text: doubts_of_query(hints, text, linker) > 0, run)
    if other is not None:
        return [Doubt("meant", other)]
    return [] if linker.lexicon.written else [Doubt("guessed")]


def meant_otherwise(
    query: str,
    rows: Rows,
    readings: Sequence[Reading],
    doubted: Callable[[str], bool],
    run: Callable[[str], Rows | None],
) -> str | None:
    """What the first reading shows that isn't `doubted` and finds other rows than the chosen `query`.

    None where all agree, or where the query is none of the readings. Rows met twice, a node shown whole, and columns
    that one shows besides the other's count as no difference.
    """
    texts = {reading.match + text: text for reading in readings for text in reading.returns}
    if query not in texts:
        return None
    others = [text for text in texts if text != query][:MOST_RUN]
    for other in others:
        if not doubted(other) and _differ(run(other), rows):
            return texts[other].rpartition(" RETURN ")[2]
    return None


def _differ(other: Rows | None, rows: Rows) -> bool:
    if other is None or all(_is_whole(row) for row in other):
        return False
    narrow, wide = sorted((rows, other), key=_width)
    wanted = _distinct(narrow)
    columns = range(_width(wide))
    choices = permutations(columns, _width(narrow)) if len(columns) <= MOST_COLUMNS else [columns]
    return all(_distinct([[row[at] for at in chosen] for row in wide]) != wanted for chosen in choices)


def _width(rows: Rows) -> int:
    return len(rows[0]) if rows else 0


def _is_whole(row: Sequence[Any]) -> bool:
    return all(isinstance(cell, dict) for cell in row)


def _distinct(rows: Iterable[Sequence[Any]]) -> set[str]:
    return {repr(list(row)) for row in rows}
