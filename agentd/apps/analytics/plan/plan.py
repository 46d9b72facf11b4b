"""A plan as the workflow carries it: queries or operations, narrative, formats, rules. It judges nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from agentd.apps.analytics.sql.operations import as_query
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
    def results(self) -> list[SqlQueryPlan]:
        """Each of its results as SQL, including those of operations."""
        return [*self.queries, *map(as_query, self.operations)]

    @property
    def selects(self) -> list[SqlQueryPlan]:
        return [*self.results, *([self.raw] if self.raw else [])]

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
