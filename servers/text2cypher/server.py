"""The server `text2cypher` itself: four tools over one graph. The loop and the engine are elsewhere."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from servers.common.server import Server
from servers.text2cypher.config import LLMConfig, Settings
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.agent_state import Attempt
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.llm_client import LLMClient
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import load_examples
from servers.text2cypher.graph.backend import GraphUnavailableError, QueryError
from servers.text2cypher.graph.folder import GraphFileError
from servers.text2cypher.graph.open import open_backend
from servers.text2cypher.linking.language import message
from servers.text2cypher.linking.lexicon import about

LONGEST_QUESTION = 2_000
"""Linking a question to the graph takes up to 0.6 ms a character, and the graph one question at a time."""
READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)


class Verdict(BaseModel):
    """One validator's word on a query."""

    validator: str
    is_valid: bool
    error_type: str | None
    error_message: str | None


class TriedQuery(BaseModel):
    """One attempt of the loop; `written_by`: `model`, or `reading` where no model was asked."""

    iteration: int
    query: str
    validation: list[Verdict]
    written_by: str


class GraphAnswer(BaseModel):
    """What ask_graph answers; `status` is success, uncertain or failed; `doubts` say why not to trust it.

    `headings` are the columns in words.
    """

    cypher: str | None
    columns: list[str]
    headings: list[str]
    rows: list[list[Any]]
    answer: str
    attempts: list[TriedQuery]
    status: str
    confidence: float
    doubts: list[str]


class Validation(BaseModel):
    """What validate_cypher answers."""

    query: str
    is_valid: bool
    validation: list[Verdict]


class Rows(BaseModel):
    """What run_cypher answers; `truncated` when more rows matched than are given."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool


class Schema(BaseModel):
    """What get_graph_schema answers: label → property → type, and the relationships with their ends."""

    labels: dict[str, dict[str, str]]
    relationships: list[dict[str, str]]


def create_server(env: Mapping[str, str] = os.environ, bench: Workbench | None = None) -> MCPServer:
    """The server; the graph (TEXT2CYPHER_GRAPH, NEO4J_URI or the shipped curriculum) is opened with the first call."""
    folder = Path(env["TEXT2CYPHER_GRAPH"]) if env.get("TEXT2CYPHER_GRAPH") else None
    held = about(folder, shipped=folder is None and not env.get("NEO4J_URI"))
    instructions = f"{held} {message('instructions')}".strip()
    server = Server("text2cypher", version="1.0.0", instructions=instructions, log_level="WARNING")
    one_at_a_time = asyncio.Lock()

    @functools.cache
    def opened() -> Workbench:
        return bench or Workbench(open_backend(folder, env), load_examples(), folder)

    @functools.cache
    def model() -> LLMClient | None:
        config = LLMConfig.from_env(env)
        return LLMClient(config) if config is not None else None

    async def in_thread(work: Callable[[], BaseModel]) -> CallToolResult:
        """One query at a time: the engine has one connection."""
        async with one_at_a_time:
            try:
                found = await asyncio.to_thread(work)
            except (QueryError, GraphUnavailableError, GraphFileError, ValueError) as error:
                return CallToolResult(content=[TextContent(text=str(error))], is_error=True)
        text = found.answer if isinstance(found, GraphAnswer) else found.model_dump_json()
        return CallToolResult(content=[TextContent(text=text)], structured_content=found.model_dump())

    @server.tool(description=message("tool_ask", held=held).strip(), annotations=READ_ONLY)
    async def ask_graph(
        question: Annotated[str, Field(description=message("tool_question"))], context: Context
    ) -> Annotated[CallToolResult, GraphAnswer]:
        settings = Settings()
        tell = _progress(context, settings.max_iterations)

        def work() -> GraphAnswer:
            client = _ready(model(), question)
            agent = AgentLoop(opened(), client, settings=settings)
            return GraphAnswer.model_validate(ask(opened(), agent, question, tell))

        return await in_thread(work)

    @server.tool(description=message("tool_validate"), annotations=READ_ONLY)
    async def validate_cypher(query: str) -> Annotated[CallToolResult, Validation]:
        return await in_thread(lambda: Validation.model_validate(opened().pipeline.validate(query).as_dict()))

    @server.tool(description=message("tool_schema"), annotations=READ_ONLY)
    async def get_graph_schema() -> Annotated[CallToolResult, Schema]:
        return await in_thread(lambda: Schema.model_validate(opened().backend.schema.as_dict()))

    @server.tool(description=message("tool_run"), annotations=READ_ONLY)
    async def run_cypher(query: str) -> Annotated[CallToolResult, Rows]:
        return await in_thread(lambda: _rows(opened(), query))

    return server


def _ready(client: LLMClient | None, question: str) -> LLMClient:
    """The model, for a question that is not too long. Raises ValueError."""
    if len(question) > LONGEST_QUESTION:
        raise ValueError(message("long_question"))
    if client is None:
        raise ValueError(message("no_model"))
    return client


def _rows(bench: Workbench, query: str) -> Rows:
    """What the query finds. Raises ValueError for one that may not run."""
    checked = bench.pipeline.validate(query)
    if checked.result is None:
        raise ValueError(str(checked.validation_results[-1].error_message))
    return Rows(columns=checked.result.columns, rows=checked.result.rows, truncated=checked.result.truncated)


def _progress(context: Context, most: int) -> Callable[[Attempt], None]:
    """A function that other threads call with each attempt, of at most `most`: the waiting client is notified of it."""
    loop = asyncio.get_running_loop()

    def tell(attempt: Attempt) -> None:
        said = "valid" if attempt.is_valid else (attempt.error_type.value if attempt.error_type else message("judged"))
        text = message(f"attempt_by_{attempt.written_by}", number=attempt.iteration, said=said, query=attempt.query)
        report = context.report_progress(attempt.iteration, most, text)
        asyncio.run_coroutine_threadsafe(report, loop).result(timeout=10)

    return tell
