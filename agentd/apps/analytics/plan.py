"""A plan as the workflow carries it: queries or operations, narrative, formats, rules. It judges nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sqlglot import exp

from agentd.apps.analytics.answer import formats
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql import qualified as sources
from agentd.apps.analytics.sql.operations import as_query
from agentd.apps.analytics.sql.projections import Projection
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.state import AgentState, SqlQueryPlan


@dataclass(frozen=True)
class Plan:
    """What `plan_execution` adds to the state, with its faults: `fatal` ones end the plan, `doubts` do not."""

    queries: list[SqlQueryPlan]
    raw: SqlQueryPlan | None = None
    operations: list[dict[str, Any]] = field(default_factory=list)
    template: str = ""
    mapping: dict[str, str] = field(default_factory=dict)
    rules: list[dict[str, Any]] = field(default_factory=list)
    fatal: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)
    """Those of the doubts that the answer mentions, one word or part of the plan each (`doubts`)."""
    needs_period: bool = False
    derived: list[str] = field(default_factory=list)
    """What the model omitted or got wrong and was corrected here, one sentence each."""
    sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The declared query, column, row and unit of placeholders."""
    orders: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The directions in which each result is sorted or picked, for the words of the narrative."""

    @cached_property
    def results(self) -> list[Query]:
        """Each of its results as a query, including those of operations."""
        return [Query.of(each) for each in (*self.queries, *map(as_query, self.operations))]

    @cached_property
    def selects(self) -> list[Query]:
        return [*self.results, *([Query.of(self.raw)] if self.raw else [])]

    def all(self, *kinds: type[Any]) -> Iterator[Any]:
        """The nodes of these kinds in all its queries."""
        return (node for query in self.selects for node in query.all(*kinds))

    @cached_property
    def tables(self) -> frozenset[str]:
        """The tables and CTEs that its queries name, in lower case."""
        return frozenset[str]().union(*(query.tables for query in self.selects))

    @property
    def empty(self) -> bool:
        """Whether there is nothing to run, because the model saw no data that could answer."""
        return not self.queries and self.raw is None and not self.operations

    def changes(self) -> dict[str, Any]:
        return {
            "sql_queries_plan": self.queries,
            "raw_data_query_plan": self.raw,
            "operation_plan": self.operations or None,
            "response_template": self.template,
            "placeholder_mapping": self.mapping,
            "placeholder_sources": self.sources or None,
            "validation_rules_for_results": self.rules or None,
            "plan_doubts": self.unmet or None,
            "technical_error_details": "; ".join(self.derived) or None,
        }


def planned(state: AgentState) -> Plan:
    """The plan in the state that will be executed."""
    queries, operations = state.get("sql_queries_plan") or [], state.get("operation_plan") or []
    raw, template = state.get("raw_data_query_plan"), state.get("response_template") or ""
    return Plan(queries, raw, operations, template, unmet=state.get("plan_doubts") or [])


def text_of(plan: Plan) -> str:
    """What the plan reads (tables, columns and values), except dates and its own aliases."""
    return " ".join(query.text_read for query in plan.selects if query.text_read)


def computed(plan: Plan) -> set[str]:
    """The aggregates of a plan, with "/" for a quotient of two figures."""
    by = (each.expression.find(exp.Column, exp.AggFunc) for each in plan.all(exp.Div))
    return {each.sql_name() for each in plan.all(exp.AggFunc)} | {"/" for divisor in by if divisor}


def qualified(plan: Plan, schema: Schema) -> Plan:
    """The plan with its operations as queries, and the source of each column that only one can have."""
    queries = [
        SqlQueryPlan(purpose=query.purpose, query=sources.qualified(query, schema), result_key=query.key)
        for query in plan.selects
    ]
    raw = queries.pop() if plan.raw else None
    return replace(plan, queries=queries, operations=[], raw=raw)


def as_written(parts: Iterable[str], plan: Plan) -> list[str]:
    """Parts of the qualified plan as SQL, each once, without the sources that this plan's columns don't name."""
    written = " ".join(query.text for query in plan.selects)
    names = {each.alias_or_name for each in plan.all(exp.Table)}
    added = [re.escape(name) for name in names if not re.search(rf"\b{re.escape(name)}\b[`\"]?\.", written)]
    prefix = re.compile(rf"(?<![\w.])[`\"]?(?:{'|'.join(added)})[`\"]?\.(?=[\w`\"])")
    return list(dict.fromkeys(prefix.sub("", part) if added else part for part in parts))


def settled(plan: Plan, schema: Schema) -> Plan:
    """The plan with the formats that its queries determine, rules for figures that can't be negative, and the orders of
    its results."""
    found, keys = _figures(plan)
    percent = {name.casefold() for name in re.findall(r"\{(\w+)\}\s?%", plan.template)}
    shares = {name: each for name, each in found.items() if each.quotient and name.casefold() in percent}
    found |= {name: replace(each, name=f"{each.name} percent") for name, each in shares.items()}
    mapping, notes = formats.settled(plan.mapping, found, schema)
    own = [_renamed(rule, keys) for rule in plan.rules]
    stated = [word for rule in own for text in rule.values() for word in re.findall(r"\w+", str(text))]
    kept = {name: each for name, each in found.items() if name.casefold() not in keys}
    rules = formats.non_negative_rules(kept, schema, stated)
    notes += [f"validation_rules_for_results: {rule['result_key']} >= 0 (derived)" for rule in rules]
    return replace(plan, mapping=mapping, rules=[*own, *rules], derived=notes, orders=orders_of(plan))


def orders_of(plan: Plan, *, cut: bool = False) -> dict[str, frozenset[str]]:
    """{result key or alias, in lower case: the directions of its query's ORDER BY, MAX or MIN, and ranks}. `cut`:
    without the orders of queries that have no LIMIT."""
    found: dict[str, set[str]] = {}
    for query in plan.selects:
        sorted_ = set() if cut and query.limit is None else {*query.order.values()}
        for each in query.columns:
            picked = {"MAX": {"desc"}, "MIN": {"asc"}}.get(each.aggregate, set())
            for name in (query.key, each.name):
                found.setdefault(name.casefold(), set()).update(sorted_ | query.picks | picked)
    return {name: frozenset(directions) for name, directions in found.items()}


def _renamed(rule: dict[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """The rule with the results' names: a query's single value is stored under its result key."""

    def named(found: re.Match[str]) -> str:
        return keys.get(found[0].casefold(), found[0])

    kept = ("message", "description", "severity")
    return {
        key: re.sub(r"\w+", named, value) if isinstance(value, str) and key not in kept else value
        for key, value in rule.items()
    }


def _figures(plan: Plan) -> tuple[dict[str, Projection], dict[str, str]]:
    """({figure: how it is computed}, {alias: result key} for queries with one value)."""
    found: dict[str, Projection] = {}
    keys: dict[str, str] = {}
    for query in plan.selects:
        key, made = query.key, query.columns
        same = key.casefold() if len(made) == 1 else ""
        found |= {each.name: each for each in made if each.name.casefold() not in ("", same)}
        if len(made) == 1:
            found[key] = replace(made[0], name=made[0].name or key)
            keys[made[0].name.casefold()] = key
    return found, {alias: key for alias, key in keys.items() if alias != key.casefold()}
