"""Checks whether two results say the same of the same things although one shows more columns or has its rows in lists.
It is reported beside Pass@1."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product
from typing import Any

from servers.text2cypher.metrics.output_metrics import is_ordered

Rows = Sequence[Sequence[Any]]
Column = tuple[str, ...]
MOST_TRIED = 2_000


def says_the_same(gold_query: str, gold: Rows, generated: Rows) -> bool:
    """True when every column of one result also occurs in the other, row by row: a title, and the node it belongs to.

    A list is a column, or is expanded if the other result shows it row by row: a track with its courses. Each property
    of a node is a column; duplicate rows count once; order matters where gold orders. The columns in common must
    distinguish as many rows as all columns do, unless gold returns DISTINCT ones, and one must be a text: a number
    alone must match the whole result.
    """
    if _has_list(gold) != _has_list(generated) and _is_same(gold_query, _unfolded(gold), _unfolded(generated)):
        return True
    return _is_same(gold_query, gold, generated)


def _is_same(gold_query: str, gold: Rows, generated: Rows) -> bool:
    narrow, wide = sorted((_columns(gold), _columns(generated)), key=len)
    texts = any(value[:1] in ("'", '"') for column in narrow for value in column)
    if not gold or not generated or not (texts or len(narrow) == len(wide)):
        return False
    view = _in_order if is_ordered(gold_query) else _in_any_order
    wanted = view(zip(*narrow, strict=True))
    once = "RETURN DISTINCT" in gold_query.upper() and len(_columns(gold)) < len(wide)
    if len(wanted) < len(set(zip(*wide, strict=True))) and not once:
        return False
    alike = [[held for held in wide if view(zip(held)) == view(zip(column))] for column in narrow]
    return any(view(zip(*chosen, strict=True)) == wanted for chosen in islice(product(*alike), MOST_TRIED))


def _in_order(rows: Any) -> list[Column]:
    return list(dict.fromkeys(rows))


def _in_any_order(rows: Any) -> set[Column]:
    return set(rows)


def _has_list(rows: Rows) -> bool:
    return any(isinstance(cell, list) for row in rows for cell in row)


def _unfolded(rows: Rows) -> Rows:
    """One row per combination of the items in its lists."""
    return [list(one) for row in rows for one in product(*(cell if isinstance(cell, list) else [cell] for cell in row))]


def _columns(rows: Rows) -> list[Column]:
    """The values of each column in written form."""
    wide = [{(at, name): cell for at, held in enumerate(row) for name, cell in _cells(held)} for row in rows]
    names = dict.fromkeys(name for row in wide for name in row)
    return [tuple(_written(row.get(name)) for row in wide) for name in names]


def _cells(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else [("", value)]


def _written(value: Any) -> str:
    if isinstance(value, list):
        return repr(sorted(map(_written, value)))
    return repr(float(value) if isinstance(value, int) and not isinstance(value, bool) else value)
