"""Extracts what a model wrote, in whatever form, and normalises it: its JSON object, and a plan's queries, operations,
rules and sources. It judges none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentd.agent.actions import InvalidAction, objects
from agentd.apps.analytics.answer.placeholders import is_period
from agentd.apps.analytics.answer.statements import spoken_of
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.state import SqlQueryPlan


class Unreadable(ValueError):
    """The text has no JSON object; the message shows the text."""


def json_object(text: str) -> dict[str, Any]:
    """The first JSON object of the text: bare, fenced, as a JSON string, or within words. Raises Unreadable."""
    try:
        return next(objects(text))
    except (StopIteration, InvalidAction):
        raise Unreadable(f"the reply holds no JSON object: {' '.join(text.split())[:120]!r}") from None


def unwrapped(value: dict[str, Any], *expected: str) -> dict[str, Any]:
    """The object with one of the expected keys: the value itself, or the only object inside it that has one."""
    if any(key in value for key in expected):
        return value
    inner = [each for each in value.values() if isinstance(each, dict) and any(key in each for key in expected)]
    return inner[0] if len(inner) == 1 else value


def texts(value: Any) -> list[str]:
    """A list of strings from a list, one string, or nothing."""
    if isinstance(value, str):
        return [value.strip()] if value.strip() else []
    if isinstance(value, dict):
        return texts(list(value.values()))
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


def of_the_period(name: str) -> bool:
    """Whether the question's time fills a placeholder of that name."""
    return is_period(name) or name.casefold().endswith("_date")


def queries_in(value: Any, prefix: str, template: str = "") -> list[SqlQueryPlan]:
    """Queries with result keys, from a list, one object or a bare text.

    A missing key becomes the query's only alias, the only unknown name of the `template`, or a number.
    """
    entries = value if isinstance(value, list) else [value]
    queries: list[SqlQueryPlan] = []
    for entry in entries:
        if isinstance(entry, str):
            entry = {"query": entry}
        if not isinstance(entry, dict):
            continue
        query = entry.get("query") or entry.get("sql") or entry.get("sql_query")
        if not isinstance(query, str) or not query.strip():
            continue
        key = str(entry.get("result_key") or "").strip("{} ")
        if not key and any(query.strip() == each["query"] for each in queries):
            continue  # a small model repeats a query without a key
        queries.append({"purpose": str(entry.get("purpose") or ""), "query": query.strip(), "result_key": key})
    return _keyed(queries, prefix, template)


def _keyed(queries: list[SqlQueryPlan], prefix: str, template: str) -> list[SqlQueryPlan]:
    if all(query["result_key"] for query in queries):
        return queries
    columns = [[each.name for each in Query.of(query).columns] for query in queries]
    names = [
        {name.casefold() for name in (query["result_key"], *own)} for query, own in zip(queries, columns, strict=True)
    ]
    said = {name.casefold(): name for name in spoken_of(template) if not of_the_period(name)}
    unknown = [name for folded, name in said.items() if not any(folded in own for own in names)]
    silent = [query for query, own in zip(queries, names, strict=True) if not said.keys() & own]
    keyed: list[SqlQueryPlan] = []
    for number, (query, own) in enumerate(zip(queries, columns, strict=True), 1):
        key = prefix if len(queries) == 1 else f"{prefix}_{number}"
        if len(unknown) == 1 and silent == [query]:
            key = unknown[0]
        elif len(own) == 1 and own[0] and sum(own[0].casefold() in each for each in names) == 1:
            key = own[0]
        keyed.append({**query, "result_key": query["result_key"] or key})
    return keyed


def operations_in(value: Any) -> list[dict[str, Any]]:
    """Operations with names, result keys and result formats."""
    entries = value if isinstance(value, list) else [value]
    operations: list[dict[str, Any]] = []
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or not entry:
            continue
        name = str(entry.get("operation_id") or f"operation_{number}")
        columns = entry.get("select_columns")
        plain = isinstance(columns, list) and any(isinstance(c, dict) and not c.get("aggregation") for c in columns)
        form = entry.get("expected_result_format") or ("list_of_dicts" if plain else "single_value")
        key = str(entry.get("result_key") or name).strip("{} ")
        operations.append({**entry, "operation_id": name, "result_key": key, "expected_result_format": form})
    return operations


def rules_in(value: Any) -> list[dict[str, Any]]:
    """Rules as a list of objects, from such a list, a list of texts, a text, or {result_key: rule}; what is none of
    these is one that can't be read, and said to be."""
    if isinstance(value, dict):
        return [
            {**(rule if isinstance(rule, dict) else {"rule": rule}), "result_key": key} for key, rule in value.items()
        ]
    entries = value if isinstance(value, list) else [value]
    return [rule if isinstance(rule, dict) else {"rule": str(rule)} for rule in entries if rule not in (None, "")]


def sources_in(value: Any) -> dict[str, dict[str, Any]]:
    """The source of each placeholder in `placeholder_mapping`: {query, column, row, unit, label}, rows from 1.

    Empty for a mapping to bare formats.
    """
    sources: dict[str, dict[str, Any]] = {}
    for name, rule in value.items() if isinstance(value, Mapping) else ():
        if not isinstance(rule, Mapping):
            continue
        query = rule.get("query") or rule.get("result_key") or rule.get("source")
        source = {
            "query": str(query).strip("{} ") if query else None,
            "column": rule.get("column") or rule.get("field"),
            "row": rule["row"] if isinstance(rule.get("row"), int) and rule["row"] > 0 else None,
            "unit": rule.get("unit"),
            "label": rule.get("label"),
        }
        if kept := {key: each for key, each in source.items() if each}:
            sources[str(name).strip("{} ")] = kept
    return sources
