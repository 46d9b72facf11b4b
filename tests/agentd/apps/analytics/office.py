"""A workflow in this process with the real nodes, a scripted model, and tools that a test can break. Not a test.

SQL runs on the seed ERP with sqlite3; the placeholder server's own `fill` fills narratives.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentd.agent.toolset import assemble
from agentd.apps.analytics.nodes.node_context import Ports, Retrying
from agentd.apps.analytics.planner.examples import ExampleLibrary
from agentd.apps.analytics.run import AnalyticsRun
from agentd.messages import (
    Caller,
    Catalogue,
    Constraint,
    ModelReply,
    ModelRequest,
    ProviderState,
    ServerState,
    ToolInfo,
)
from agentd.ports import TextSink
from agentd.runs.execution import Result, RunContext
from agentd.runs.records import RunBrief, RunRecord
from agentd.testing import ManualClock, MemoryJournal, MemoryTools, ScriptedModel
from servers.placeholder.fill import FormattingRule, fill

TOOLS = {
    "execute_sql_query": "mysql_mcp_server",
    "explain_query": "mysql_mcp_server",
    "execute_operation_plan": "sim_testgeluran_server",
    "get_relevant_schema_info": "graphiti_server",
    "get_relevant_schema": "graphiti_server",
    "store_session_data": "graphiti_server",
    "retrieve_session_data": "graphiti_server",
    "fill_placeholders": "placeholder_mcp_server",
}
SCHEMA = {
    "relevant_tables": [
        {
            "table_name": "sales_orders",
            "purpose": "Mencatat semua transaksi penjualan.",
            "columns": [
                {"name": "order_id", "type": "VARCHAR", "classification": "identifier"},
                {"name": "order_date", "type": "DATE", "classification": "temporal"},
                {"name": "total_amount", "type": "DECIMAL", "classification": "financial_amount"},
            ],
        }
    ],
    "table_relationships": [],
    "financial_columns": {"sales_orders": ["total_amount"]},
    "temporal_columns": {"sales_orders": ["order_date"]},
}
ADMIN = Caller(id="local", scopes=frozenset({"admin"}))
STAFF = Caller(id="staf", scopes=frozenset({"staff"}))
QUICK = Retrying(times=3, first_s=0.0, longest_s=0.0)


class Broken(Exception):
    """A tool's server is down."""


def down(_: dict[str, Any]) -> Any:
    """A handler that fails like a dead server."""
    raise Broken("connection closed")


class Office:
    """All that a question needs. `tools[name]` replaces a tool's function; None removes the tool."""

    def __init__(self, erp: Path, *turns: Any, history: list[RunRecord] | None = None, **tools: Any) -> None:
        self.erp = erp
        self.kept: dict[str, list[dict[str, Any]]] = {}
        handlers: dict[str, Callable[[dict[str, Any]], Any]] = {
            "execute_sql_query": self.sql,
            "explain_query": lambda given: self.sql({"sql_queries": [f"EXPLAIN {given['sql_query']}"]})[
                "batch_results"
            ][0],
            "get_relevant_schema_info": lambda _: SCHEMA,
            "get_relevant_schema": lambda _: {"success": True, **SCHEMA},
            "execute_operation_plan": lambda _: {"success": True, "results": {}},
            "store_session_data": self.store,
            "retrieve_session_data": self.retrieve,
            "fill_placeholders": filled,
            **tools,
        }
        infos = [ToolInfo(name=name, server=server) for name, server in TOOLS.items()]
        self.tools = MemoryTools({name: act for name, act in handlers.items() if act is not None}, infos)
        self.model = Counting(ScriptedModel.of(*turns))
        self.clock = ManualClock(datetime(2023, 3, 1, 2, tzinfo=UTC))
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.records: dict[str, dict[str, Any]] = {}
        self._history = history or []
        self.examples: ExampleLibrary | None = None
        self.servers = sorted(set(TOOLS.values()))
        self.starting = False
        """True while the servers have not started and have reported no tools."""

    async def ask(self, question: str, *, style: str = "sql", caller: Caller = ADMIN) -> dict[str, Any]:
        """Ask a question; the answer in wire form without ids."""
        result = await self.result(question, style=style, caller=caller)
        assert result.error is None
        return {"status": result.status, **result.outcome}

    async def result(self, question: str, *, style: str = "sql", caller: Caller = ADMIN) -> Result:
        run = AnalyticsRun(
            Ports(self.model, lambda: self.tools, lambda _: assemble(self._catalogue(), None), self.clock),
            past=self._past,
            retrying=QUICK,
            examples=self.examples,
        )
        brief = RunBrief({"plan_style": style}, caller)
        row = RunRecord("run-1", "s-1", caller.id, "analytics", question, brief, "running", "2023-03-01T02:00:00")
        publish = lambda kind, data: self.events.append((kind, data))  # noqa: E731
        return await run.execute(RunContext(row, MemoryJournal(self.records), publish))

    def _catalogue(self) -> Catalogue:
        states = tuple(ServerState(name=name, state="starting" if self.starting else "up") for name in self.servers)
        if self.starting:
            return Catalogue(servers=states)
        return self.tools.catalogue().model_copy(update={"servers": states})

    async def _past(self, _: str) -> list[RunRecord]:
        return self._history

    def sql(self, given: dict[str, Any]) -> dict[str, Any]:
        """Implements execute_sql_query on the seed ERP."""
        return {"batch_results": [self._one(query) for query in given["sql_queries"]]}

    def _one(self, query: str) -> dict[str, Any]:
        with closing(sqlite3.connect(f"file:{self.erp}?mode=ro", uri=True)) as database:
            database.row_factory = sqlite3.Row
            try:
                rows = [dict(row) for row in database.execute(query)]
            except sqlite3.Error as error:
                return {"query": query, "status": "error", "error_message": str(error), "results": None}
        return {"query": query, "status": "success", "row_count": len(rows), "results": rows, "error_message": None}

    def store(self, given: dict[str, Any]) -> dict[str, Any]:
        """Implements store_session_data in a dict."""
        name = f"ep-{len(self.kept) + 1}"
        self.kept[name] = given["data_to_store"]
        return {"success": True, "data_handle": {"data_handle_id": name, "row_count": len(given["data_to_store"])}}

    def retrieve(self, given: dict[str, Any]) -> dict[str, Any]:
        """Implements retrieve_session_data from that dict."""
        return {"success": True, "retrieved_data": self.kept[given["data_handle_id"]]}


class Counting:
    """A model that records its requests."""

    def __init__(self, inner: ScriptedModel) -> None:
        self._inner = inner
        self.requests: list[ModelRequest] = []
        self.constraint: Constraint = "none"

    provider = "scripted"

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        self.requests.append(request)
        return await self._inner.turn(request, on_text)

    def state(self) -> ProviderState:
        return self._inner.state().model_copy(update={"constraint": self.constraint})

    async def aclose(self) -> None:
        await self._inner.aclose()


def filled(given: dict[str, Any]) -> dict[str, Any]:
    """Implements fill_placeholders with the server's own function."""
    rules = {name: FormattingRule(**rule) for name, rule in given["formatting_rules"].items()}
    return {"final_narrative": fill(given["response_template"], given["data_values"], rules).narrative}


def plan(*queries: tuple[str, str], template: str, **more: Any) -> dict[str, Any]:
    """A plan in style sql from (result_key, query) pairs and the narrative."""
    entries = [{"purpose": key.lower(), "query": query, "result_key": key} for key, query in queries]
    return {"sql_queries_plan": entries, "response_template": template, **more}


def error(kind: str) -> dict[str, Any]:
    """A script entry that makes the model fail."""
    return {"error": kind}


def differs(what: str) -> str:
    """The Indonesian warning when question and plan differ in `what`."""
    return f"Yang dihitung mungkin lain dari yang ditanyakan ({what})."


def unsure(why: str, narrative: str) -> str:
    """The complete Indonesian answer with a score below 90."""
    return f"Jawaban ini belum pasti: {why}\n\n{narrative}"
