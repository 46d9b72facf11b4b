"""The JSON Schema of a plan for the consulted tables; a constrained model can use no other names. Asks nobody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from agentd.agent.languages import words
from agentd.apps.analytics.answer import placeholders
from agentd.apps.analytics.checks.limits import has_numbers
from agentd.apps.analytics.checks.unknown_words import names_values
from agentd.apps.analytics.planner.select_pattern import Said, either, select_pattern
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.state import AgentState, past_questions
from agentd.apps.analytics.vocabulary import finder

_NAME = {"type": "string", "pattern": "^[A-Z][A-Z0-9_]{2,39}$"}
_TEXT = {"type": "string", "maxLength": 60}
_MAPPING = {"type": "object", "additionalProperties": {"type": "string", "enum": sorted(placeholders.TYPES)}}
_RULES = {
    "type": "array",
    "items": {
        "type": "string",
        "pattern": r"^[A-Z][A-Z0-9_]{2,39} (?:>=|<=|==|>|<) (?:[0-9]{1,9}|[A-Z][A-Z0-9_]{2,39})$",
    },
    "maxItems": 3,
}
QUERIES = {"simple": 3, "medium": 4, "complex": 6}
"""How many queries a question of that complexity may need."""


def plan_schema(
    state: AgentState, dates: Iterable[str], *, brief: bool = False, may_be_empty: bool = True
) -> dict[str, Any]:
    """The schema for the state's plan style. `dates`: the names of the question's dates.

    A plan may be empty if the tables can't answer; a repaired plan may not. A model held to a grammar (`brief`) gets
    only one query at first for a question of one part, and more for a repair. It doesn't write what the host derives:
    no narrative if a single result is shown under the question.
    """
    schema = Schema.of(state)
    complexity = state.get("query_complexity") or "simple"
    single = brief and not _has_parts(state["user_query"])
    if state["plan_style"] == "sql":
        pattern = select_pattern(schema, _said(state, schema, tuple(dates)))
        query = {"type": "string", "pattern": pattern}
        entry = _object(optional=("purpose", "result_key"), purpose=_TEXT, query=query, result_key=_NAME)
        most = 1 if may_be_empty and single else QUERIES[complexity]
        steps = _list(entry, most)
        plan, more = {"sql_queries_plan": steps}, {"raw_data_query_plan": entry}
    else:
        steps = _operations_of({table.name: table.names for table in schema.tables})
        plan, more = {"operations": steps}, {}
    steps["minItems"] = 0 if may_be_empty else 1
    if says_it(state, brief=brief):
        plan["response_template"] = {"type": "string", "maxLength": 300}
    optional = {} if brief else {"placeholder_mapping": _MAPPING, "validation_rules_for_results": _RULES, **more}
    return {
        "type": "object",
        "properties": {**plan, **optional},
        "required": list(plan),
        "additionalProperties": False,
    }


def says_it(state: AgentState, *, brief: bool) -> bool:
    """Whether the model writes a narrative; a single result is shown under the question instead."""
    question = state["user_query"]
    return not brief or _has_parts(question) or bool(past_questions(state) or finder("shares").search(question))


def _said(state: AgentState, schema: Schema, dates: tuple[str, ...]) -> Said:
    """Literals that a query may use: days only if they have no name, keys only if the conversation may name one,
    numbers if it or a column's description has some, texts if it has words for them or a column shows some."""
    talk = " ".join([*past_questions(state), state["user_query"]])
    columns = schema.columns
    codes = {code for column in columns for code in re.findall(r"\b\d{1,4}\b", column.description)}
    shown = {text for column in columns for text in column.sample_values if isinstance(text, str)}
    shown |= {code for column in columns for code in re.findall(r"\b[A-Z]{2,}\b", column.description)}
    period: Mapping[str, Any] = state.get("time_period") or {}
    keys = frozenset(column.name for column in columns if column.kind == "identifier")
    return Said(
        dates,
        days=re.search(r"\d", talk) is not None and "START_DATE" not in dates,
        numbers=None if has_numbers(timeless(talk)) else frozenset({"0", "1"} | codes),
        temporal=frozenset(name for names in (state.get("temporal_columns") or {}).values() for name in names),
        texts=None if names_values(talk, schema) else frozenset(shown),
        span="START_DATE" in dates and period.get("start_date") != period.get("end_date"),
        keys=frozenset() if re.search(r"\d|\b[A-Z]{3,}\b", timeless(talk)) else keys,
    )


def _has_parts(question: str) -> bool:
    """Whether a question may want several figures, because it joins or compares; else a small model plans one twice."""
    if finder("joined", "compares").search(question):
        return True
    said = finder("how_many").sub(" ", timeless(question)).casefold()
    parts = re.split(r"[,;&/]|\bvs\b", said)
    empty = {*words().detection, *words().fillers}
    return sum(bool({*re.findall(r"[^\W\d_]+", part)} - empty) for part in parts) > 1


def _operations_of(tables: dict[str, list[str]]) -> dict[str, Any]:
    """The JSON Schema of a list of operations on these tables, `{table: its columns}`."""
    fields = "|".join(rf"{re.escape(table)}\.(?:{either(columns)})" for table, columns in tables.items())
    name, flag = _one_of(*tables), {"type": "boolean"}
    field = {"type": "string", "pattern": rf"^(?:{fields})$"}
    value = {"type": "string", "pattern": rf"^(?:\*|(?:{fields})|\((?:{fields}) [-+*/] (?:{fields})\))$"}
    given = [{"type": "number"}, {"type": "string", "maxLength": 40}, {"type": "array", "items": {"type": "string"}}]
    column = _object(
        optional=("aggregation",),
        field_name=value,
        aggregation=_one_of("SUM", "AVG", "COUNT", "COUNT_DISTINCT", "MIN", "MAX"),
        alias=_NAME,
        is_expression=flag,
    )
    join = _object(
        target_table=name,
        type=_one_of("INNER", "LEFT"),
        on_conditions=_list(_object(left_table_field=field, right_table_field=field), 1, least=1),
    )
    condition = _object(
        field_or_expression=value,
        operator=_one_of("=", "!=", ">", ">=", "<", "<=", "LIKE", "IN", "BETWEEN", "IS NULL"),
        value={"anyOf": given},
        is_expression=flag,
    )
    operation = _object(
        operation_id=_TEXT,
        main_table=name,
        select_columns=_list(column, 5, least=1),
        joins=_list(join, 3),
        filters=_object(logical_operator=_one_of("AND", "OR"), conditions=_list(condition, 4)),
        order_by_clauses=_list(_object(field_or_expression=_NAME, direction=_one_of("ASC", "DESC")), 1),
        limit={"type": "integer", "minimum": 1, "maximum": 1000},
        result_key=_NAME,
        expected_result_format=_one_of("single_value", "list_of_dicts"),
        optional=("joins", "filters", "order_by_clauses", "limit"),
    )
    return _list(operation, 2)


def _object(optional: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _list(items: dict[str, Any], most: int, least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": most} | ({"minItems": least} if least else {})


def _one_of(*texts: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(texts)}
