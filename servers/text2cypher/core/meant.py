"""Another reading of a question that would answer otherwise than the one a model chose. Chooses none itself.

Where a grammar holds several readings that cover the question, the model's choice among them is no evidence of what
was meant: only readings that agree in their result make a plain success.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import permutations
from typing import Any

from servers.text2cypher.core.confidence import doubts_of_query
from servers.text2cypher.core.twice import Rows
from servers.text2cypher.grammar.readings import Reading
from servers.text2cypher.linking.hints import Hints, Linker

MOST_RUN = 12
MOST_COLUMNS = 4
"""A wider result is compared as it stands."""


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


def of_question(hints: Hints, linker: Linker) -> Callable[[str], bool]:
    """`doubted` by the words of one question."""
    return lambda query: doubts_of_query(hints, query, linker) > 0


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
