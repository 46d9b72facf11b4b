"""What a gold query could have returned as well: its equals in another order, and others of them at its limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.ranking import Ranking

Rows = Sequence[Sequence[Any]]


def as_well(gold_query: str, generated: Rows, run: Callable[[str], Rows | None]) -> Rows | None:
    """The rows that gold returns if it breaks its ties as `generated` does; None if it neither orders nor cuts.

    The order of rows with equal sort keys, and which of them are within the limit, is the engine's choice; without an
    order every row equals every other.
    """
    ranking = Ranking.of(QueryFacts.of(gold_query))
    every = run(ranking.query) if ranking is not None else None
    if ranking is None or every is None:
        return None
    wanted = _wanted(every, generated, ranking.width)
    groups = groupby(range(len(every)), key=lambda place: [every[place][at] for at in ranking.places])
    order = [place for _, group in groups for place in sorted(group, key=lambda at: wanted.get(at, len(every)))]
    return [every[place][: ranking.width] for place in order[: ranking.limit]]


def _wanted(every: Rows, generated: Rows, width: int) -> dict[int, int]:
    """{index of gold's row: index of the generated row that has all its cells, or the other way round}."""
    found: dict[int, int] = {}
    held = [{*_cells(row[:width])} for row in every]
    for number, row in enumerate(generated):
        cells = {*_cells(row)}
        one = next((n for n, own in enumerate(held) if n not in found and (own <= cells or cells <= own)), None)
        if one is not None:
            found[one] = number
    return found


def _cells(row: Sequence[Any]) -> Iterator[str]:
    for cell in row:
        yield from map(repr, cell.values() if isinstance(cell, dict) else [cell])
