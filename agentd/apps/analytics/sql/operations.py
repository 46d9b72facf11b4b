"""Translates an operation to a SELECT, so that one set of checks covers every plan. It is never run.

The operations' own server compiles what runs, because it knows the database. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from sqlglot import exp

from agentd.apps.analytics.sql.tree import quoted, tree
from agentd.apps.analytics.state import SqlQueryPlan

_NAMES = re.compile(r"(?!(?i:case) )\w[\w ]*(?:\.\w[\w ]*)?")


def as_query(operation: Mapping[str, Any]) -> SqlQueryPlan:
    """In the form of `queries`. A malformed operation gives text that no dialect can parse."""
    columns = _objects(operation.get("select_columns"))
    shown = (f"{_figure(each)} AS {quoted(name)}" if (name := _name(each)) else _figure(each) for each in columns)
    parts = [f"SELECT {', '.join(shown)} FROM {_field(operation.get('main_table') or '')}"]
    for join in _objects(operation.get("joins")):
        ties = map(_tie, _objects(join.get("on_conditions")))
        parts.append(f"{join.get('type') or 'INNER'} JOIN {_field(join.get('target_table'))} ON {' AND '.join(ties)}")
    if where := _conditions(operation.get("filters")):
        parts.append(f"WHERE {where}")
    if groups := _groups(operation, columns):
        parts.append(f"GROUP BY {', '.join(groups)}")
    if having := _conditions(operation.get("having")):
        parts.append(f"HAVING {having}")
    orders = _objects(operation.get("order_by_clauses"))
    if orders:
        keys = (f"{_order(each, columns)} {each.get('direction') or 'ASC'}" for each in orders)
        parts.append(f"ORDER BY {', '.join(keys)}")
    if operation.get("limit") is not None:
        parts.append(f"LIMIT {operation['limit']}")
    purpose = str(operation.get("purpose") or "")
    return {"purpose": purpose, "query": " ".join(parts), "result_key": operation["result_key"]}


def _tie(condition: Mapping[str, Any]) -> str:
    left, right = (_field(condition.get(f"{side}_table_field")) for side in ("left", "right"))
    return f"{left} {condition.get('operator') or '='} {right}"


def _figure(column: Mapping[str, Any]) -> str:
    field, kind = _field(column.get("field_name") or ""), str(column.get("aggregation") or "").upper()
    if kind in ("", "NONE"):
        return field
    return f"COUNT(DISTINCT {field})" if kind.replace(" ", "_") == "COUNT_DISTINCT" else f"{kind}({field})"


def _name(column: Mapping[str, Any]) -> str:
    """The column's result name, if it isn't the column's own name."""
    return str(column.get("alias") or ("" if not column.get("aggregation") else column.get("field_name") or ""))


def _field(text: Any) -> str:
    """A field or table as SQL, quoted if necessary; an expression unchanged."""
    plain = _NAMES.fullmatch(str(text)) and not str(text).isdecimal()
    return ".".join(map(quoted, str(text).split("."))) if plain else str(text)


def _groups(operation: Mapping[str, Any], columns: Iterable[Mapping[str, Any]]) -> list[str]:
    """Its own keys, and the plain columns beside an aggregate, by which the server groups automatically."""
    said = operation.get("group_by")
    groups = [str(each) for each in said] if isinstance(said, list) else []
    figures = [(each, found) for each in columns if (found := tree(f"SELECT {_figure(each)}")) is not None]
    plain = [_figure(each) for each, found in figures if found.find(exp.Column) and not found.find(exp.AggFunc)]
    grouped = groups or operation.get("having") or any(found.find(exp.AggFunc) for _, found in figures)
    aliases = {str(each.get("alias")): _figure(each) for each in columns}
    return list(dict.fromkeys([aliases.get(each) or _field(each) for each in groups] + plain)) if grouped else []


def _order(clause: Mapping[str, Any], columns: Iterable[Mapping[str, Any]]) -> str:
    key = str(clause.get("field_or_expression") or "")
    return quoted(key) if key in map(_name, columns) else _field(key)


def _conditions(filters: Any) -> str:
    if not isinstance(filters, Mapping):
        return ""
    each = [_condition(part) for part in _objects(filters.get("conditions"))]
    return f" {filters.get('logical_operator') or 'AND'} ".join(f"({part})" for part in each if part)


def _condition(part: Mapping[str, Any]) -> str:
    if "conditions" in part:
        return _conditions(part)
    field, operator = _field(part.get("field_or_expression")), str(part.get("operator") or "").upper()
    value = part.get("value")
    if operator.startswith("IS"):
        return f"{field} {operator}"
    if isinstance(value, list):
        values = [_literal(one) for one in value]
        return f"{field} {operator} " + (" AND ".join(values) if "BETWEEN" in operator else f"({', '.join(values)})")
    return f"{field} {operator} {_literal(value)}"


def _literal(value: Any) -> str:
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    return "'" + str(value).replace("'", "''") + "'"


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
