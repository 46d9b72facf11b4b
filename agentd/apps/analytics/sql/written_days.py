"""Days compared with columns that hold days in another form, as text (31/01/2023) or as numbers (20230131). Pure.

A database compares such a column as text or as a number, and finds no row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqlglot import exp

from agentd.apps.analytics.schema import Column, Schema
from agentd.apps.analytics.sql.tree import DAY, of_kind, trees

_WHOLE = re.compile(r"(TINY|SMALL|MEDIUM|BIG)?INT(EGER)?\b")
_OTHER_FORM = re.compile(r"\b\d\d?[/.-]\d\d?[/.-]\d{4}\b|\b(19|20)\d{6}\b")
"""A day in a column's description that is not written year-month-day with dashes."""


def days_otherwise(queries: Iterable[Mapping[str, Any]], schema: Schema) -> Iterator[str]:
    """Each query's columns that are compared with a day as they are, one sentence each."""
    for key, found in trees(queries):
        read = {each.name.casefold() for each in of_kind(found, exp.Table)}
        compared = [[*each.iter_expressions()] for each in of_kind(found, exp.Predicate)]
        sides = [side for both in compared if any(map(_is_day, both)) for side in both if isinstance(side, exp.Column)]
        names = {side.name.casefold() for side in sides}
        for column in (each for name, table in schema.by_name.items() if name in read for each in table.columns):
            if column.name.casefold() in names and _is_otherwise(column):
                about = column.description or column.type
                yield f"{key}: {column.name} is no date ({about}); convert it to one before it is compared with days"


def _is_day(side: exp.Expr) -> bool:
    return isinstance(side, exp.Literal) and side.is_string and bool(DAY.match(side.name))


def _is_otherwise(column: Column) -> bool:
    return column.kind != "temporal" and bool(_WHOLE.match(column.type) or _OTHER_FORM.search(column.description))
