"""Node 4, `execute_query`: has the data servers run the plan. Judges no result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agentd.apps.analytics import servers
from agentd.apps.analytics.answer.statements import spoken_of
from agentd.apps.analytics.checks import left_out
from agentd.apps.analytics.checks.other_readings import other_readings
from agentd.apps.analytics.nodes.node_context import CallFailed, NodeContext
from agentd.apps.analytics.plan import planned
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.state import AgentState, NodeFailed, SqlQueryPlan
from agentd.apps.analytics.wording import say_for, says_sample

SQL_TOOL, OPERATIONS_TOOL, STORE_TOOL = "execute_sql_query", "execute_operation_plan", "store_session_data"
SQL_COMMUNICATION = "MySQL MCP Server communication error"
OPERATIONS_COMMUNICATION = "Sim Testgeluran MCP Server communication error"
ROWS_IN_CALCULATIONS = 400
"""Of a longer result only the first rows are kept beside the table, and nothing is computed from it."""
QUICK_S = 2.0
"""If a plan takes longer (seconds), other readings aren't run."""
READINGS = 4
CAUSES = {
    "unavailable": ("no_database", "try_again"),
    "locked": ("locked", "try_again"),
    "late": ("too_slow", "try_narrower"),
    "large": ("too_large", "try_other_columns"),
}
"""What to say, and what to do next, by the server's `cause` of an error."""
BEGINNING = 10


@dataclass(slots=True)
class _Gathered:
    """Collects results as they arrive."""

    say: Mapping[str, str]
    calculations: dict[str, Any] = field(default_factory=dict)
    tables: list[list[dict[str, Any]]] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)
    handles: list[dict[str, Any]] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The rows of each query of a SQL plan."""
    cut: set[str] = field(default_factory=set)
    """Keys of results with more rows than the server returned."""
    causes: list[str | None] = field(default_factory=list)
    """Why they failed, where the statement is not at fault (CAUSES)."""
    vital: int = 0
    vital_failed: int = 0

    def noticed(self, key: str, result: dict[str, Any]) -> None:
        """Records the server's notices: truncation for each result, sample data once."""
        if says_sample(str(result.get("notice") or "")) and self.say["sample"] not in self.warnings:
            self.warnings.insert(0, self.say["sample"])
        if result.get("truncated"):
            self.cut.add(key)
            self.warnings.append(self.say["rows_cut"].format(key=key))

    def failed(self, key: str, purpose: str, reason: str, cause: str | None, *, vital: bool) -> None:
        """Records a query without a result; `cause` as the server gave it."""
        self.causes.append(cause)
        self.errors.append({"result_key": key, "purpose": purpose, "error_message": reason})
        self.vital += vital
        self.vital_failed += vital

    @property
    def status(self) -> str:
        """`query_execution_status`."""
        if not self.errors:
            return "success"
        return "total_failure" if self.vital_failed == self.vital else "partial_failure"


async def execute_query(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Runs every query or operation. The raw-data query is optional: if only it fails, the status is `partial_failure`.

    Raises NodeFailed if the database can't be reached, or if nothing that the answer needs could be fetched.
    """
    gathered, began = _Gathered(say_for(state["user_query"])), context.clock.monotonic()
    if state["plan_style"] == "sql":
        await _run_queries(state, context, gathered)
    else:
        await _run_operations(state, context, gathered)
    quick = context.clock.monotonic() - began < QUICK_S and not gathered.errors
    changes: dict[str, Any] = {
        "financial_calculations": gathered.calculations,
        "raw_query_results": [] if gathered.handles else (gathered.tables[0] if gathered.tables else []),
        "query_execution_status": gathered.status,
        "query_execution_errors": gathered.errors or None,
        "validation_warnings": gathered.warnings,
        "rows_left_out": gathered.left_out or None,
        "other_readings": await _read_otherwise(state, context, gathered.rows) if quick else None,
    }
    if state["plan_style"] == "operations":
        changes |= {"operation_results": gathered.results, "data_handles": gathered.handles}
    if gathered.status == "total_failure":
        reasons = "; ".join(f"{error['result_key']}: {error['error_message']}" for error in gathered.errors)
        if len(set(gathered.causes)) == 1 and (keys := CAUSES.get(gathered.causes[0] or "")):
            said, advice = (gathered.say[key] for key in keys)
            raise NodeFailed(said, reasons, suggestions=[advice], **changes)
        raise NodeFailed(gathered.say["queries_failed"], reasons, **changes)
    return changes


# ── style sql ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def _run_queries(state: AgentState, context: NodeContext, gathered: _Gathered) -> None:
    queries, raw = state.get("sql_queries_plan") or [], state.get("raw_data_query_plan")
    asked, schema = spoken_of(state.get("response_template") or ""), Schema.of(state)
    if raw is not None:
        rows = await _rows(raw, context, gathered, vital=not queries)
        if rows is not None:
            gathered.tables.append(rows)
    for query in queries:
        text, names = left_out.watched(query["query"], schema)
        found = await _rows({**query, "query": text}, context, gathered, vital=True)
        if found is not None:
            found, counted = left_out.taken(found, names)
            gathered.left_out |= counted
            gathered.rows[query["query"]] = found
            _take(gathered, query["result_key"], found, asked)


async def _rows(
    query: SqlQueryPlan, context: NodeContext, gathered: _Gathered, *, vital: bool
) -> list[dict[str, Any]] | None:
    """The rows of one query, or None after recording its error."""
    try:
        answer = await context.call(servers.SQL, SQL_TOOL, {"sql_queries": [query["query"]]})
    except CallFailed as error:
        raise NodeFailed(
            gathered.say["no_database"],
            f"{SQL_COMMUNICATION}: {error}",
            query_execution_status="total_failure",
            query_execution_errors=[{"result_key": query["result_key"], "error_message": str(error)}],
        ) from error
    batch = answer.get("batch_results")
    result = batch[0] if isinstance(batch, list) and batch and isinstance(batch[0], dict) else {}
    if isinstance(batch, list) and len(batch) > 1:
        gathered.warnings.append(gathered.say["first_only"].format(key=query["result_key"]))
    if result.get("status") != "success":
        reason = str(result.get("error_message") or "the server answered without a result")
        gathered.failed(query["result_key"], query["purpose"], reason, result.get("cause"), vital=vital)
        return None
    gathered.vital += vital
    gathered.noticed(query["result_key"], result)
    return list(result.get("results") or [])


# ── style operations ─────────────────────────────────────────────────────────────────────────────────────────────────


async def _run_operations(state: AgentState, context: NodeContext, gathered: _Gathered) -> None:
    schema = Schema.of(state)
    watched = [left_out.watched_operation(each, schema) for each in state.get("operation_plan") or []]
    operations = [each for each, _ in watched]
    asked = spoken_of(state.get("response_template") or "")
    try:
        answer = await context.call(servers.OPERATIONS, OPERATIONS_TOOL, {"operations": operations})
    except CallFailed as error:
        answer = {"success": False, "error": error}
    if answer.get("success") is False:
        reason = f"{OPERATIONS_COMMUNICATION}: {answer.get('error')}"
        raise NodeFailed(gathered.say["no_database"], reason, query_execution_status="total_failure")
    results = answer.get("results")
    for operation, names in watched:
        key, name = operation["result_key"], operation["operation_id"]
        result = results.get(name) if isinstance(results, dict) else None
        listed = operation["expected_result_format"] != "single_value"
        vital = not listed or all(each["expected_result_format"] != "single_value" for each in operations)
        if not isinstance(result, dict) or result.get("status") != "success":
            reason = str((result or {}).get("error") or "the server answered without a result")
            gathered.failed(key, str(operation.get("purpose") or ""), reason, (result or {}).get("cause"), vital=vital)
            gathered.results[name] = {"status": "error", "error": reason}
            continue
        gathered.vital += vital
        rows, counted = left_out.taken(list(result.get("data") or []), names)
        gathered.left_out |= counted
        gathered.noticed(key, result)
        gathered.results[name] = {"status": "success", "row_count": len(rows)}
        if listed or len(rows) > 1:
            await _put_away(state, context, gathered, operation, rows)
        _take(gathered, key, rows, asked, table=listed)


async def _put_away(
    state: AgentState, context: NodeContext, gathered: _Gathered, operation: dict[str, Any], rows: list[dict[str, Any]]
) -> None:
    """Stores the rows at the server and keeps only their handle; if that fails, the rows stay in the state."""
    payload = {
        "session_id": state["session_id"],
        "data_to_store": rows,
        "metadata": {
            "data_description": str(operation.get("purpose") or operation["operation_id"]),
            "source_operation_id": operation["operation_id"],
        },
    }
    gathered.tables.append(rows)
    try:
        answer = await context.call(servers.GRAPH, STORE_TOOL, payload)
    except CallFailed as error:
        gathered.warnings.append(gathered.say["not_kept"].format(error=error))
        return
    handle = answer.get("data_handle")
    if isinstance(handle, dict):
        gathered.handles.append(handle)
        gathered.results[operation["operation_id"]]["data_handle_id"] = handle.get("data_handle_id")
    else:
        gathered.warnings.append(gathered.say["not_kept"].format(error=answer.get("error")))


async def _read_otherwise(
    state: AgentState, context: NodeContext, rows: dict[str, list[dict[str, Any]]]
) -> list[dict[str, Any]] | None:
    """The other readings of the question whose result differs from the plan's; readings that fail are ignored. `rows`:
    the results of the plan's queries; those of operations are run as SQL."""
    others = other_readings(state["user_query"], planned(state), Schema.of(state))[:READINGS]
    if not others or not context.offers(servers.SQL, SQL_TOOL):
        return None
    every = dict.fromkeys(each for other in others for each in (other.query, other.instead))
    queries = [each for each in every if each not in rows]
    try:
        asked = {"sql_queries": queries, "timeout_seconds": QUICK_S}
        answer = await context.call(servers.SQL, SQL_TOOL, asked, retry=False)
    except CallFailed:
        return None
    answers = (each.get("results") for each in answer.get("batch_results") or ())
    found = {**rows, **dict(zip(queries, answers, strict=False))}
    pairs = [(other, found.get(other.query), found.get(other.instead)) for other in others]
    differing = [(other, that) for other, this, that in pairs if this and that and other.differs(this, that)]
    return [{"reading": o.reading, "other": o.other, "rows": that[:BEGINNING]} for o, that in differing] or None


# ── results ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _take(gathered: _Gathered, key: str, rows: list[dict[str, Any]], asked: list[str], *, table: bool = False) -> None:
    """Stores a result under its key: a single value, the columns of a single row, or a list of rows."""
    calculations = gathered.calculations
    if len(rows) == 1 and not (table and len(rows[0]) == 1):
        [row] = rows
        if len(row) == 1:
            [(alias, value)] = row.items()
            calculations[key] = value
            wanted = [name for name in asked if name.casefold() == alias.casefold() != key.casefold()]
            calculations.update({name: value for name in wanted if name not in calculations})
        else:
            for alias, value in row.items():
                calculations[alias if alias not in calculations else f"{key}_{alias}"] = value
            if key in asked and key not in calculations:
                calculations[key] = rows  # a list with only one row
    elif not rows:
        calculations[key] = [] if table else None
    else:
        begun = {"row_count": len(rows), "first": rows[:BEGINNING], "cut": key in gathered.cut}
        calculations[key] = begun if begun["cut"] or len(rows) > ROWS_IN_CALCULATIONS else rows
    if not table and len(rows) > 1 and rows not in gathered.tables:
        gathered.tables.append(rows)
