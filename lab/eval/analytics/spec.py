"""One query description, rendered as SQL and as an operation: a perfect planner's plan. Runs nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

AGGREGATES = {"SUM": "SUM({})", "AVG": "AVG({})", "COUNT": "COUNT({})", "MIN": "MIN({})", "MAX": "MAX({})"}


@dataclass(frozen=True)
class Query:
    """A query. `columns` are (expression, aggregation or "", alias); `where` is (expression, operator, value)."""

    table: str
    columns: list[tuple[str, str, str]]
    joins: list[tuple[str, str, str]] = field(default_factory=list)
    where: list[tuple[str, str, Any]] = field(default_factory=list)
    order: str = ""
    limit: int | None = None
    key: str = "RESULT"

    @property
    def listed(self) -> bool:
        """Whether it returns several rows: a column without aggregation groups the others."""
        return any(not aggregation and not _aggregated(column) for column, aggregation, _ in self.columns)

    def sql(self) -> str:
        selected = ", ".join(f"{_sql(column, aggregation)} AS {alias}" for column, aggregation, alias in self.columns)
        text = f"SELECT {selected} FROM {self.table}"
        text += "".join(f" JOIN {table} ON {left} = {right}" for table, left, right in self.joins)
        if self.where:
            text += " WHERE " + " AND ".join(
                f"{column} {operator} {_value(value)}" for column, operator, value in self.where
            )
        keys = [column for column, aggregation, _ in self.columns if not aggregation and not _aggregated(column)]
        if keys and len(keys) < len(self.columns):
            text += " GROUP BY " + ", ".join(keys)
        if self.order:
            text += f" ORDER BY {self.order} DESC"
        return text + (f" LIMIT {self.limit}" if self.limit else "")

    def operation(self) -> dict[str, Any]:
        made: dict[str, Any] = {
            "operation_id": self.key.casefold(),
            "purpose": self.key.casefold(),
            "main_table": self.table,
            "select_columns": [
                {"field_name": column, "alias": alias, "is_expression": _is_expression(column)}
                | ({"aggregation": aggregation} if aggregation else {})
                for column, aggregation, alias in self.columns
            ],
            "joins": [
                {
                    "target_table": table,
                    "type": "INNER",
                    "on_conditions": [{"left_table_field": left, "right_table_field": right}],
                }
                for table, left, right in self.joins
            ],
            "result_key": self.key,
            "expected_result_format": "list_of_dicts" if self.listed else "single_value",
        }
        if self.where:
            made["filters"] = {
                "logical_operator": "AND",
                "conditions": [
                    {
                        "field_or_expression": column,
                        "operator": operator,
                        "value": value,
                        "is_expression": _is_expression(column),
                    }
                    for column, operator, value in self.where
                ],
            }
        if self.order:
            made["order_by_clauses"] = [{"field_or_expression": self.order, "direction": "DESC"}]
        if self.limit:
            made["limit"] = self.limit
        return made


def _sql(column: str, aggregation: str) -> str:
    column = re.sub(r"DATEDIFF\(([^,]+), ([^)]+)\)", r"(JULIANDAY(\1) - JULIANDAY(\2))", column)
    if aggregation == "COUNT_DISTINCT":
        return f"COUNT(DISTINCT {column})"
    return AGGREGATES[aggregation].format(column) if aggregation else column


def _aggregated(column: str) -> bool:
    return bool(re.match(r"(?:1\.0 \* )?\(?(?:SUM|AVG|COUNT|MIN|MAX)\(", column))


def _is_expression(column: str) -> bool:
    return not re.fullmatch(r"[\w.*]+", column)


def _value(value: Any) -> str:
    return str(value) if isinstance(value, int | float) else f"'{value}'"
