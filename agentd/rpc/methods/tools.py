"""Tools.* and Models.list: list what servers and providers offer the caller, and make one call outside any run."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agentd.errors import Forbidden, GroundingError, ToolExecution, UnboundTool, UnknownTool
from agentd.messages import AgentStep, Caller, Message, ProviderState
from agentd.rpc.method import ANYONE, Services, method
from agentd.rpc.params import Arguments, NoParams, Params, SessionKey


class CallParams(Params):
    tool: str = Field(min_length=1, max_length=200, description="A name from Tools.list; case does not matter.")
    input: Arguments | None = Field(None, description="The tool's arguments; left out or null: {}.")
    server: str | None = Field(None, max_length=100, description="Which server, where two have a tool of this name.")
    session_key: SessionKey | None = None


class ListedTool(Message):
    """One tool with the schema of its arguments."""

    name: str
    server: str
    description: str
    input_schema: dict[str, Any]
    annotations: dict[str, Any]


class ListedServer(Message):
    """The current state of one MCP server."""

    name: str
    state: str
    error: str | None
    protocol_version: str | None


class ToolList(Message):
    """What the configured servers offer now. `letters_server` names the one that speaks for the office.

    `questions`: what else this caller may ask: `analytics` (Analytics.ask), `graph` (Graph.ask).
    """

    tools: list[ListedTool]
    servers: list[ListedServer]
    letters_server: str
    questions: list[str]


class ModelList(Message):
    """Providers in the order they are asked; the first is the default."""

    default_provider: str | None
    providers: list[ProviderState]


@method("Tools.list", result=ToolList, scopes=ANYONE)
def list_tools(services: Services, caller: Caller, params: NoParams) -> dict[str, Any]:
    """The tools that this caller's agent has, and the state of their servers."""
    catalogue = services.tools.catalogue(caller)
    return {
        "tools": [{name: getattr(tool, name) for name in ListedTool.model_fields} for tool in catalogue.tools],
        "servers": [{name: getattr(one, name) for name in ListedServer.model_fields} for one in catalogue.servers],
        "letters_server": services.letters_server(),
        "questions": services.asked_here() if caller.may("staff") else [],
    }


@method(
    "Tools.call",
    result=AgentStep,
    scopes=ANYONE,
    errors=(UnknownTool, UnboundTool, ToolExecution, GroundingError, Forbidden),
)
async def call_tool(services: Services, caller: Caller, params: CallParams) -> AgentStep:
    """Call one tool outside any run; official tools (letters) only for staff."""
    return await services.tools.call(params.tool, params.input or {}, params.server, caller)


@method("Models.list", result=ModelList, scopes=ANYONE)
def list_models(services: Services, caller: Caller, params: NoParams) -> dict[str, Any]:
    """The providers in the order they are asked, their models, and why one is not ready."""
    states = services.providers()
    return {
        "default_provider": states[0].id if states else None,
        "providers": [state.model_dump(mode="json") for state in states],
    }


METHODS = (list_tools, call_tool, list_models)
