"""Agent.* and Events.subscribe: start, follow and decide runs. `Services.runs` does the work."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from agentd import messages
from agentd.errors import AgentError, Busy, Conflict, Draining, Forbidden, InvalidRequest, NotFound, ToolError, leaves
from agentd.messages import AgentOptions, AgentOutcome, Caller, Message, RunOutcome, RunStatus
from agentd.rpc.method import ANYONE, Services, method
from agentd.rpc.params import Arguments, Form, Params, Prompt, RunId, SessionId, SessionKey

RUN_ERRORS = (*leaves(ToolError), *leaves(AgentError), Busy, NotFound, Conflict, Draining)


class RunOptions(messages.RunOptions, Params):
    """What a caller may set for one run."""

    tool_arguments: Form | None = Field(
        None, description=messages.RunOptions.model_fields["tool_arguments"].description
    )

    @model_validator(mode="after")
    def _arguments_have_a_tool(self) -> RunOptions:
        if self.tool_arguments is not None and self.tool_hint is None:
            raise ValueError("has tool_arguments, which need a tool_hint")
        return self


class RunParams(Params):
    """Params of Agent.run and Agent.start."""

    prompt: Prompt
    session_id: SessionId | None = None
    run_id: RunId | None = None
    options: RunOptions | None = None
    session_key: SessionKey | None = None

    def agent_options(self) -> AgentOptions:
        given = self.options.model_dump() if self.options else {}
        return AgentOptions(session_id=self.session_id, run_id=self.run_id, **given)


class RunIdParams(Params):
    """Params of Agent.get and Agent.cancel."""

    run_id: RunId
    session_key: SessionKey | None = None


class ApproveParams(Params):
    run_id: RunId
    approval_id: str = Field(min_length=1, max_length=200, description="From the run's `approval`.")
    approved: bool = Field(description="true makes the call; with false the model learns that a human refused.")
    arguments: Arguments | None = Field(None, description="Changed arguments (staff only).")
    session_key: SessionKey | None = None


class ListParams(Params):
    session_id: SessionId | None = None
    status: RunStatus | None = None
    limit: int = Field(50, ge=1, le=500, description="Runs at most, newest first.")
    parked: bool = Field(False, description="Only runs given up because the daemon ended at them (staff: everybody's).")
    session_key: SessionKey | None = None


class SubscribeParams(Params):
    run_id: RunId
    after: int = Field(0, ge=0, le=2**53, description="The seq of the last event that the client has seen.")
    session_key: SessionKey | None = None


class WireError(Message):
    """A JSON-RPC error object."""

    code: int
    message: str
    data: dict[str, Any]


class RunState(AgentOutcome):
    """A run's current state; `error` says why a failed one failed."""

    error: WireError | None = None


class RunList(Message):
    """Runs, newest first."""

    runs: list[dict[str, Any]] = Field(
        description="Each with at least run_id, session_id and status; with `status: needs_approval` asked for, staff "
        "get everybody's, each with its `approval`."
    )


class Subscribed(Message):
    """Events follow as notifications of the method `Events.event`, each with an event as its params."""

    run_id: str
    after: int


@method("Agent.run", result=RunOutcome, scopes=ANYONE, errors=(*RUN_ERRORS, Forbidden))
async def run(services: Services, caller: Caller, params: RunParams) -> AgentOutcome:
    """Run the agent on a prompt and wait for the end; the same run_id again answers the same run."""
    return await services.runs.run(params.prompt, params.agent_options(), caller)


@method("Agent.start", result=RunOutcome, scopes=ANYONE, errors=(Busy, Conflict, NotFound, Draining, Forbidden))
async def start(services: Services, caller: Caller, params: RunParams) -> AgentOutcome:
    """Start a run and answer at once with its run_id; follow it by Events.subscribe, GET /events or Agent.get."""
    return await services.runs.start(params.prompt, params.agent_options(), caller)


@method("Agent.get", result=RunState, scopes=ANYONE, errors=(NotFound,))
async def get(services: Services, caller: Caller, params: RunIdParams) -> dict[str, Any]:
    """The run's current state: queued, running, needs_approval, completed, cancelled or failed."""
    return await services.runs.get(params.run_id, caller)


@method("Agent.cancel", result=AgentOutcome, scopes=ANYONE, errors=(NotFound, Conflict))
async def cancel(services: Services, caller: Caller, params: RunIdParams) -> AgentOutcome:
    """Cancel a run, and with it the model's turn or the tool call under way."""
    return await services.runs.cancel(params.run_id, caller)


@method("Agent.approve", result=AgentOutcome, scopes=ANYONE, errors=(*RUN_ERRORS, Forbidden))
async def approve(services: Services, caller: Caller, params: ApproveParams) -> AgentOutcome:
    """Decide the call that a run waits with, and run on to the end; only staff may change its arguments."""
    return await services.runs.approve(params.run_id, params.approval_id, params.approved, params.arguments, caller)


@method("Agent.list", result=RunList, scopes=ANYONE, errors=(NotFound,))
async def list_runs(services: Services, caller: Caller, params: ListParams) -> dict[str, Any]:
    """The caller's runs, newest first; of those that wait, staff see everybody's. None for kiosk and chat callers."""
    return await services.runs.list(caller, params.session_id, params.status, params.limit, params.parked)


@method("Events.subscribe", result=Subscribed, scopes=ANYONE, errors=(InvalidRequest, NotFound))
async def subscribe(services: Services, caller: Caller, params: SubscribeParams) -> dict[str, Any]:
    """Follow a run's events (WebSocket /ws only; over plain HTTP use GET /events)."""
    # /ws replaces this function, since events need a connection
    raise InvalidRequest(
        "Events.subscribe needs a WebSocket (/ws); over HTTP read "
        f"GET /events?run_id={params.run_id}&after={params.after}"
    )


METHODS = (run, start, get, cancel, approve, list_runs)
