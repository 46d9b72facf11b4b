"""Counts the rows that a sum, mean or count silently omits because their value is NULL. Pure.

For each such figure a column is added to the query and removed from its rows again. Nullable columns are known for an
office's own database only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlglot import exp

from agentd.apps.analytics.answer.rules import Finding, number
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.edits import before_from
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.sql.select import Select
from agentd.apps.analytics.sql.tree import columns_of, of_kind, rows_divided_by, sources_of

MARK, OF_ALL = "left_out_", "left_out_of_all_"
"""Prefixes of the added columns: per row, and over all groups if a LIMIT shows only the first rows."""
ADDS = ("SUM", "AVG", "COUNT")


def watched(query: str, schema: Schema) -> tuple[str, dict[str, str]]:
    """(the query with the added columns, {added column: what it counts, e.g. "AVG Freight"}); unchanged if no figure of
    its outer SELECT can omit rows."""
    read, known = Query("", query), _may_be_empty(schema)
    select = read.outer
    if select is None or select.node.args.get("distinct") or read.has(exp.Window) or not known:
        return query, {}
    figures = list(dict.fromkeys(_figures(select, known)))
    over_all = (OF_ALL, "SUM(COUNT(*) - COUNT({})) OVER ()")
    mark, empty = over_all if select.node.args.get("limit") else (MARK, "COUNT(*) - COUNT({})")
    names = {f"{mark}{place}": f"{kind} {column.name}" for place, (kind, column) in enumerate(figures, 1)}
    added = zip(names, (column.sql(dialect=schema.dialect) for _, column in figures), strict=True)
    return before_from(query, "".join(f", {empty.format(text)} AS {name}" for name, text in added)), names


def watched_operation(operation: dict[str, Any], schema: Schema) -> tuple[dict[str, Any], dict[str, str]]:
    """The same for an operation, whose figures are columns with an aggregation."""
    known = _may_be_empty(schema)
    outer = {join.get("target_table") for join in operation.get("joins") or () if join.get("type") != "INNER"}
    main = str(operation.get("main_table"))
    names: dict[str, str] = {}
    added = []
    for column in operation.get("select_columns") or ():
        field, kind = str(column.get("field_name")), str(column.get("aggregation"))
        sides = columns_of(field) if kind in ADDS and not column.get("is_expression") else []
        if [side for side in sides if (table := side[0] or main) not in outer and side[1] in known.get(table, ())]:
            name = f"{MARK}{len(names) + 1}"
            names[name] = f"{kind} {sides[0][1]}"
            added.append({"field_name": f"COUNT(*) - COUNT({field})", "is_expression": True, "alias": name})
    return ({**operation, "select_columns": [*operation["select_columns"], *added]} if added else operation), names


def taken(rows: list[dict[str, Any]], names: Mapping[str, str]) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """(the rows without the added columns, {what was counted: number of omitted rows} without zeros)."""
    counted = {}
    for name, what in names.items():
        counts = [int(number(row.get(name)) or 0) for row in rows]
        counted[what] = max(counts, default=0) if name.startswith(OF_ALL) else sum(counts)
    own = [{name: value for name, value in row.items() if name not in names} for row in rows] if names else rows
    return own, {what: count for what, count in counted.items() if count}


def findings(counted: Mapping[str, int], say: Mapping[str, str]) -> list[Finding]:
    """The warnings about omitted rows; `say` has the texts."""
    return [
        Finding(f"left_out:{what}", "warning", say["left_out"].format(count=count, column=what.split()[1]))
        for what, count in counted.items()
    ]


def doubtful(counted: Mapping[str, int]) -> int:
    """The number of COUNTs that omit rows, and of sums over COUNT(*): each may answer another question than the one
    asked."""
    return sum(what.startswith("COUNT ") for what in counted)


def _may_be_empty(schema: Schema) -> dict[str, set[str]]:
    found = {table.name: {column.name for column in table.columns if column.is_nullable} for table in schema.tables}
    return {name: columns for name, columns in found.items() if columns}


def _figures(select: Select, known: Mapping[str, set[str]]) -> Iterator[tuple[str, exp.Column]]:
    """(SUM, AVG or COUNT; the nullable column) for the SELECT's own figures, except on outer-joined tables, where NULL
    is intended."""
    if any(join.side in ("RIGHT", "FULL") for join in select.joins):
        return
    outer = [join.this for join in select.joins if join.side]
    sources = [each for each in sources_of(select.node) if each not in outer]
    named = {each.alias_or_name: known.get(each.name, set()) for each in sources if isinstance(each, exp.Table)}
    for projection in select.node.expressions:
        for figure in of_kind(projection, exp.Sum, exp.Avg, exp.Count):
            reckoned = isinstance(figure.this, exp.Add | exp.Sub)  # one NULL loses the other amount
            columns = [figure.this] if isinstance(figure.this, exp.Column) else _terms(figure.this) if reckoned else []
            if figure.find_ancestor(exp.Select) is not select.node:
                continue
            for column in columns:
                of = [named.get(column.table, set())] if column.table else list(named.values())
                if any(column.name in names for names in of):
                    over_all_rows = isinstance(figure, exp.Sum) and rows_divided_by(figure) is not None
                    yield "COUNT" if over_all_rows or reckoned else figure.key.upper(), column


def _terms(sum_: exp.Expr) -> list[exp.Column]:
    """The columns that a sum or difference adds without a substitute for NULL."""
    sides = (sum_.this, sum_.expression) if isinstance(sum_, exp.Add | exp.Sub) else ()
    return [sum_] if isinstance(sum_, exp.Column) else [column for side in sides for column in _terms(side)]
