"""Whether two results name the same things, even if their other columns differ. Beside Pass@1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from servers.text2cypher.metrics.output_metrics import is_ordered

Rows = Sequence[Sequence[Any]]


def name_the_same(gold_query: str, gold: Rows, generated: Rows) -> bool:
    """True where one column of texts is the same: of gold a title alone or within its node, of ours beside a number.

    Of a node each property is a column. The column has to tell the rows apart as far as anything does.
    """
    ordered = is_ordered(gold_query)
    first, second = (_columns(rows, ordered) for rows in (gold, generated))
    apart = max((len(set(column)) for column in [*first, *second]), default=0)
    return any(column in second and len(set(column)) == apart for column in first if _are_texts(column))


def _columns(rows: Rows, ordered: bool) -> list[list[str]]:
    """The values of each column as written; sorted where their order means nothing."""
    wide = [{(at, name): cell for at, held in enumerate(row) for name, cell in _cells(held)} for row in rows]
    names = dict.fromkeys(name for row in wide for name in row)
    found = [[repr(row.get(name)) for row in wide] for name in names]
    return found if ordered else [sorted(column) for column in found]


def _cells(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else [("", value)]


def _are_texts(column: list[str]) -> bool:
    return all(value[:1] in ("'", '"') for value in column)
