"""Rows that count no more (`is_void`, `cancelled`): whether a plan reads them only if they are asked for. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agentd.apps.analytics.checks.schema_reading import Reading
from agentd.apps.analytics.sql.tree import DAY, of_kind
from agentd.apps.analytics.vocabulary import finder, speaks


def leaves_out(reading: Reading, leaf: exp.Expr) -> bool:
    """Whether a condition leaves out such rows, which needs no word: `is_void = 0`, `cancelled_at IS NULL`."""
    no = isinstance(leaf, exp.EQ) and leaf.expression.sql().upper() in ("0", "FALSE")
    nothing = isinstance(leaf, exp.Is) and not isinstance(leaf.parent, exp.Not)
    voids = isinstance(leaf.this, exp.Column) and speaks(leaf.this.name, "voided")
    return (no or nothing) and voids and not finder("voided").search(reading.asked.text)


def unread(reading: Reading) -> Iterator[str]:
    """The question's word for such rows if nothing in the whole query could select by it: no text, no such column."""
    root = reading.select.root()
    texts = (each.name for each in of_kind(root, exp.Literal) if each.is_string and not DAY.search(each.name))
    read = any(speaks(column.name, "voided") for column in of_kind(root, exp.Column)) or any(texts)
    if not read and (found := finder("voided").search(reading.asked.text)):
        yield found[0]


def kept(reading: Reading) -> Iterator[str]:
    """Columns that mark such rows in the tables of a figure, if nothing in the whole query reads them."""
    if not any(True for _ in reading.own(exp.AggFunc)) and not reading.select.args.get("limit"):
        return
    read = {column.name.casefold() for column in of_kind(reading.select.root(), exp.Column)}
    for table in reading.sources.values():
        yield from (name for name in table.names if speaks(name, "voided") and name.casefold() not in read)
