"""The similarity of two results. Compares rows; runs nothing.

A result is a set of (row number, value) pairs: columns have no names and no order, numbers are floats, a list is the
bag of its items. Rows keep their order if the gold query orders them; else each gold row is paired with the most
similar remaining row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from servers.text2cypher.cypher.tokens import CypherSyntaxError, tokenize

Row = frozenset[Hashable]
MOST_COMPARISONS = 4_000_000


@dataclass(frozen=True)
class OutputScore:
    """`pass_at_1`: 0 or 1; `jaccard_output`: 0 to 1."""

    pass_at_1: int
    jaccard_output: float


FAILED = OutputScore(0, 0.0)


def compare_outputs(
    gold_query: str, gold: Sequence[Sequence[Any]], generated: Sequence[Sequence[Any]] | None
) -> OutputScore:
    """Compares two results; `generated` None means that its query failed."""
    if generated is None:
        return FAILED
    ordered = is_ordered(gold_query)
    first, second = ([frozenset(_value(cell, ordered) for cell in row) for row in rows] for rows in (gold, generated))
    if not first and not second:
        return OutputScore(1, 1.0)
    pairs = list(zip(first, second, strict=False)) if ordered else _aligned(first, second)
    common = sum(len(a & b) for a, b in pairs)
    total = sum(len(row) for row in first) + sum(len(row) for row in second) - common
    same = len(first) == len(second) and all(a == b for a, b in pairs)
    return OutputScore(int(same), common / total if total else 1.0)


def is_ordered(query: str) -> bool:
    """True if the query orders its rows."""
    try:
        tokens = tokenize(query)
    except CypherSyntaxError:
        return False
    return any(a.is_word("ORDER") and b.is_word("BY") for a, b in pairwise(tokens))


def _value(value: Any, ordered: bool) -> Hashable:
    if isinstance(value, bool) or value is None:
        return (type(value).__name__, value)
    if isinstance(value, (int, float)):
        return ("number", float(value))
    if isinstance(value, (list, tuple)):
        items = [_value(item, ordered) for item in value]
        return ("list", tuple(items) if ordered else tuple(sorted(items, key=repr)))
    if isinstance(value, dict):
        return ("map", tuple(sorted(((str(k), _value(v, ordered)) for k, v in value.items()), key=repr)))
    return ("text", str(value))


def _aligned(first: list[Row], second: list[Row]) -> list[tuple[Row, Row]]:
    """Pairs equal rows, then the others greedily by similarity; unpaired rows are omitted."""
    left = Counter(second)
    pairs: list[tuple[Row, Row]] = []
    unpaired: list[Row] = []
    for row in first:
        if left[row] > 0:
            left[row] -= 1
            pairs.append((row, row))
        else:
            unpaired.append(row)
    rest = list(left.elements())
    if len(unpaired) * len(rest) > MOST_COMPARISONS:
        return pairs + list(zip(unpaired, rest, strict=False))
    for row in unpaired:
        if not rest:
            break
        best = max(range(len(rest)), key=lambda place: _similarity(row, rest[place]))
        pairs.append((row, rest.pop(best)))
    return pairs


def _similarity(a: Row, b: Row) -> float:
    return len(a & b) / len(a | b) if a | b else 1.0
