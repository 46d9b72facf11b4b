"""The JSON Schema of a plan, made from the consulted tables: a constrained model can name no others. Asks nobody.

In SQL every word that is not in capitals must be one of the tables' names; capitals are SQL's own words and aliases.
"""

from __future__ import annotations

import re
from typing import Any

from agentd.analytics.state import AgentState

_NAME = {"type": "string", "pattern": "^[A-Z][A-Z0-9_]{2,39}$"}
_TEXT = {"type": "string", "maxLength": 60}
_SPACE = r"[ ,().*=<>+/%!-]{1,6}"


def plan_schema(state: AgentState) -> dict[str, Any]:
    """For the style of the state."""
    tables = {
        table["table_name"]: [column["name"] for column in table["columns"]] for table in state["relevant_tables"] or []
    }
    plan = _sql(tables) if state["plan_style"] == "sql" else _operations(tables)
    plan["response_template"] = {"type": "string", "maxLength": 300}
    return {"type": "object", "properties": plan, "required": list(plan), "additionalProperties": False}


def _sql(tables: dict[str, list[str]]) -> dict[str, Any]:
    names = sorted({*tables, *(column for columns in tables.values() for column in columns)})
    word = "|".join(["[A-Z0-9_]{1,40}", "'[^'\"\\\\]{0,40}'", *(re.escape(name) for name in names)])
    # bounded by its words: a pattern beside maxLength is more than the constraint's compiler can settle
    query = {"type": "string", "pattern": rf"^SELECT{_SPACE}(?:(?:{word}){_SPACE}){{0,70}}(?:{word})\)*$"}
    entry = _object(purpose=_TEXT, query=query, result_key=_NAME)
    return {
        "sql_queries_plan": {"type": "array", "items": entry, "minItems": 0, "maxItems": 3},
    }


def _operations(tables: dict[str, list[str]]) -> dict[str, Any]:
    fields = "|".join(
        rf"{re.escape(table)}\.(?:{'|'.join(re.escape(column) for column in columns)})"
        for table, columns in tables.items()
    )
    name = {"type": "string", "enum": list(tables)}
    field = {"type": "string", "pattern": rf"^(?:{fields})$"}
    value = {"type": "string", "pattern": rf"^(?:\*|(?:{fields})|\((?:{fields}) [-+*/] (?:{fields})\))$"}
    given = {
        "anyOf": [
            {"type": "number"},
            {"type": "string", "maxLength": 40},
            {"type": "array", "items": {"type": "string"}},
        ]
    }
    condition = _object(
        field_or_expression=value,
        operator={"type": "string", "enum": ["=", "!=", ">", ">=", "<", "<=", "LIKE", "IN", "BETWEEN", "IS NULL"]},
        value=given,
        is_expression={"type": "boolean"},
    )
    operation = _object(
        operation_id=_TEXT,
        main_table=name,
        select_columns={
            "type": "array",
            "minItems": 1,
            "maxItems": 5,
            "items": _object(
                optional=("aggregation",),
                field_name=value,
                aggregation={"type": "string", "enum": ["SUM", "AVG", "COUNT", "COUNT_DISTINCT", "MIN", "MAX"]},
                alias=_NAME,
                is_expression={"type": "boolean"},
            ),
        },
        joins={
            "type": "array",
            "maxItems": 3,
            "items": _object(
                target_table=name,
                type={"type": "string", "enum": ["INNER", "LEFT"]},
                on_conditions={
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 1,
                    "items": _object(left_table_field=field, right_table_field=field),
                },
            ),
        },
        filters=_object(
            logical_operator={"type": "string", "enum": ["AND", "OR"]},
            conditions={"type": "array", "items": condition, "maxItems": 4},
        ),
        order_by_clauses={
            "type": "array",
            "maxItems": 1,
            "items": _object(field_or_expression=_NAME, direction={"type": "string", "enum": ["ASC", "DESC"]}),
        },
        limit={"type": "integer", "minimum": 1, "maximum": 1000},
        result_key=_NAME,
        expected_result_format={"type": "string", "enum": ["single_value", "list_of_dicts"]},
        optional=("joins", "filters", "order_by_clauses", "limit"),
    )
    return {"operations": {"type": "array", "items": operation, "minItems": 0, "maxItems": 2}}


def _object(optional: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
