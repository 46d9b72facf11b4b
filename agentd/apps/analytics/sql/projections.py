"""What the columns of a planned query consist of: sums, counts, quotients, days, and their source columns. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from agentd.apps.analytics.schema import Side
from agentd.apps.analytics.sql.tree import of_kind, sources_of

RANKS = (exp.RowNumber, exp.Rank, exp.DenseRank)
DEPTH = 8
"""The greatest depth of nested subqueries through which a column is traced."""


@dataclass(frozen=True, slots=True)
class Projection:
    """One column of a result."""

    name: str
    over: tuple[Side, ...]
    """The columns whose values it holds or sums, without those in conditions; of a quotient, the numerator's."""
    under: tuple[Side, ...] = ()
    """The denominator's columns of a quotient."""
    aggregate: str = ""
    """The outermost SUM, AVG, COUNT, MIN or MAX; "" if there is none."""
    quotient: bool = False
    counted_below: bool = False
    """It is divided by a count, i.e. an average."""
    hundredfold: bool = False
    """A share that the query itself multiplies by 100."""
    days: bool = False
    subtracts: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is a number of rows or of distinct values."""
        return self.aggregate == "COUNT" and not self.quotient


def projections(select: exp.Select, depth: int = 0) -> Iterator[Projection]:
    """The columns of a SELECT's result in order; none for `*` of a table."""
    inner = {} if depth >= DEPTH else _derived(select, depth)
    for each in select.expressions:
        if not each.is_star:
            yield _read(each.alias_or_name, each.this if isinstance(each, exp.Alias) else each, inner)
        elif isinstance(each, exp.Star):
            yield from inner.values()


def _derived(select: exp.Select, depth: int) -> dict[str, Projection]:
    """The columns of its subqueries, by name."""
    named = {cte.alias: cte.this for cte in getattr(select.root(), "ctes", ())}
    found: dict[str, Projection] = {}
    for source in sources_of(select):
        query = source.this if isinstance(source, exp.Subquery) else named.get(source.name)
        if isinstance(query, exp.Select) and query is not select:
            found |= {each.name: each for each in projections(query, depth + 1)}
    return found


def _read(name: str, node: exp.Expr, inner: dict[str, Projection]) -> Projection:
    division = next((each for each in _shown(node) if isinstance(each, exp.Div)), None)
    hundredfold = any(isinstance(each, exp.Mul) and _has_hundred(each) for each in _shown(node))
    over = tuple(_columns(division.this if division is not None else node, inner))
    under = tuple(_columns(division.expression, inner)) if division is not None else ()
    known = [inner[column.name] for column in of_kind(node, exp.Column) if column.name in inner]
    first = next((each for each in _shown(node) if isinstance(each, exp.AggFunc)), None)
    aggregate = first.key.upper() if isinstance(first, exp.Sum | exp.Avg | exp.Count | exp.Min | exp.Max) else ""
    if known and isinstance(node, exp.Column):
        return replace(known[0], name=name)
    return Projection(
        name,
        over,
        under,
        aggregate or (known[0].aggregate if known else ""),
        division is not None or any(each.quotient for each in known),
        division is not None and _counts_below(division.expression, inner),
        hundredfold or any(each.hundredfold for each in known),
        any(each.days for each in known) or node.find(exp.DateDiff, exp.TsOrDsDiff) is not None or _julian(node),
        any(each.subtracts for each in known) or any(isinstance(each, exp.Sub | exp.Neg) for each in node.walk()),
    )


def _shown(node: exp.Expr) -> Iterator[exp.Expr]:
    """The nodes that make up the value itself, without conditions and without the clauses of a subquery."""
    yield node
    if isinstance(node, exp.Column | exp.Literal | exp.Select):
        return
    for child in node.iter_expressions():
        chooses = isinstance(node, exp.If) and child is node.this
        if not chooses and not isinstance(child, exp.Where | exp.Order | exp.Group):
            yield from _shown(child)


def _columns(node: exp.Expr, inner: dict[str, Projection]) -> Iterator[Side]:
    for each in _shown(node):
        if isinstance(each, exp.Column):
            known = inner.get(each.name)
            yield from (known.over if known is not None else [(each.table, each.name)])
        elif isinstance(each, exp.Select):
            yield from (side for projection in projections(each, 1) for side in projection.over)


def _counts_below(node: exp.Expr, inner: dict[str, Projection]) -> bool:
    below = [inner[column.name] for column in of_kind(node, exp.Column) if column.name in inner]
    return node.find(exp.Count) is not None or any(each.counts for each in below)


def _has_hundred(node: exp.Expr) -> bool:
    sides = (node.this, node.args.get("expression"))
    return any(isinstance(side, exp.Literal) and side.is_number and float(side.this) == 100 for side in sides)


def _julian(node: exp.Expr) -> bool:
    """A difference of days, from SQLite's JULIANDAY or DATEDIFF."""
    names = [each.name.upper() for each in of_kind(node, exp.Anonymous)]
    return "JULIANDAY" in names or "DATEDIFF" in names
