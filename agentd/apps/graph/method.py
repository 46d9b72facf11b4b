"""Graph.ask on the wire: its params, its answer and an example. The text2cypher server does the work."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from agentd.errors import Conflict, NotFound, ProviderUnavailable, ToolExecution, UnboundTool, UnknownTool
from agentd.messages import Caller
from agentd.rpc.method import STAFF, Services, method
from agentd.rpc.params import Params, Prompt, RunId, SessionId, SessionKey


class GraphParams(Params):
    question: Prompt
    session_id: SessionId | None = None
    run_id: RunId | None = None
    session_key: SessionKey | None = None


class GraphAnswer(BaseModel, extra="allow"):
    """The query that answered, its rows, and every attempt with what its validators said."""

    run_id: str
    status: str
    """`completed` also where no query answers: then `cypher` is null, `confidence` 0, and `answer` says so."""
    cypher: str | None = None
    columns: list[str] = Field(default_factory=list)
    headings: list[str] = Field(default_factory=list)
    """The columns in words of the question's language, for a table."""
    rows: list[Any] = Field(default_factory=list)
    answer: str | None = None
    attempts: list[dict[str, Any]] = Field(default_factory=list)
    confidence: float = 0.0
    """0 to 1; below 0.75 the answer is uncertain and says so."""
    doubts: list[str] = Field(default_factory=list)
    """Why not to trust the answer, in the question's language."""


@method(
    "Graph.ask",
    result=GraphAnswer,
    scopes=STAFF,
    errors=(UnknownTool, UnboundTool, ProviderUnavailable, ToolExecution, NotFound, Conflict),
)
async def ask(services: Services, caller: Caller, params: GraphParams) -> dict[str, Any]:
    """Answer a question from the graph by a validated Cypher query."""
    return await services.questions["graph"](
        params.question, session_id=params.session_id, run_id=params.run_id, caller=caller
    )
