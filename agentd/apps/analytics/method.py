"""Analytics.ask on the wire: its params, its answer and an example. The workflow behind it does the work."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from agentd.errors import Conflict, NotFound, ProviderUnavailable, ToolExecution, UnboundTool, UnknownTool
from agentd.messages import Caller
from agentd.rpc.method import STAFF, Services, method
from agentd.rpc.params import Params, Prompt, RunId, SessionId, SessionKey

UNCLEAR = "needs_clarification"


class AnalyticsParams(Params):
    question: Prompt
    session_id: SessionId | None = None
    plan_style: Literal["sql", "operations"] | None = Field(None, description="How the question is planned.")
    run_id: RunId | None = None
    session_key: SessionKey | None = None


class AnalyticsAnswer(BaseModel, extra="allow"):
    """A narrative with the figures behind it; `error` instead of them when the question could not be answered."""

    run_id: str
    session_id: str
    status: str
    """`completed`, `failed` (see `error`) or `needs_clarification`."""
    final_narrative: str | None = None
    data_table_for_display: Any = None
    """The rows, each {column: value}."""
    table_units: dict[str, str] = Field(default_factory=dict)
    """What the figures of the table's columns are in: {"TOTAL": "USD", "SHARE": "%"}."""
    executive_summary: Any = None
    warnings_for_display: list[Any] = Field(default_factory=list)
    """What to keep in mind of the answer, in the question's language."""
    validation_status: Any = None
    quality_score: float | None = None
    """0 to 100; from 90 on the answer is called certain."""
    plan: Any = None
    """The SELECTs of plan style `sql`, the steps of `operations`."""
    technical_details: str | None = None
    """What of the plan was derived or corrected; for admin alone."""
    mcp_tool_call_history: list[Any] = Field(default_factory=list)
    clarification: dict[str, Any] | None = None
    """With status `needs_clarification`: {question, lacks, choices}. The session's next question may be a choice, its
    number, or what was lacking."""
    error: dict[str, Any] | None = None


@method(
    "Analytics.ask",
    result=AnalyticsAnswer,
    scopes=STAFF,
    errors=(UnknownTool, UnboundTool, ProviderUnavailable, ToolExecution, NotFound, Conflict),
)
async def ask(services: Services, caller: Caller, params: AnalyticsParams) -> dict[str, Any]:
    """Answer a question from the company's database, with the plan and the calls that led to it."""
    answer = await services.questions["analytics"](
        params.question,
        session_id=params.session_id,
        plan_style=params.plan_style,
        run_id=params.run_id,
        caller=caller,
    )
    return {**answer, "status": UNCLEAR} if answer.get("clarification") else answer
