"""Defines what an app provides to the daemon and gets from it. The daemon names no app: plugins.py finds them.

An app is a class under the entry point group `agentd.apps`, created once with a `Wiring`. Its policies run before
approval: first whether a call is allowed, then whether a human agrees, then the call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import structlog

from agentd.access import TokenStore
from agentd.agent.approval import Approved
from agentd.agent.policies import REASON, HostedArguments, KnownArguments, NoOfficialCalls, PolicedTools
from agentd.agent.toolset import Fit, Toolset
from agentd.agent.turn_policy import UNRESTRICTED, TurnPolicy
from agentd.audit import AuditTrail
from agentd.config import Settings
from agentd.messages import Caller, ProviderState, ToolInfo, ToolOutcome
from agentd.ports import CallPolicy, ChatModel, Clock, Meaning, OwnTool, ToolHost
from agentd.rpc.method import Method
from agentd.runs.agent_api import AgentRuns
from agentd.runs.approvals import Reviews
from agentd.runs.execution import Executor
from agentd.runs.records import RunBrief
from agentd.runs.sessions import SessionData
from agentd.runs.store import RunStore

if TYPE_CHECKING:
    from aiohttp import web

log = structlog.get_logger("agentd")
InternalCall = Callable[[str, dict[str, Any]], Awaitable[ToolOutcome]]
"""Calls a tool of one server outside any conversation, as for a page: (tool, arguments)."""
InternalTools = Callable[[Callable[[], str]], InternalCall]
"""Makes an InternalCall to the server that a function names; the function is called each time."""
MethodCall = Callable[[str, dict[str, Any], Caller], Awaitable[Any]]
"""Calls one of the daemon's JSON-RPC methods in this process: (name, params, caller). Raises what the method raises."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """The parts of the daemon that an app may use. Those that a reload can change are functions."""

    settings: Callable[[], Settings]
    clock: Clock
    model: ChatModel
    providers: Callable[[], Sequence[ProviderState]]
    tools: Callable[[], ToolHost]
    """All tools behind all policies, for calls by an app's own runs."""
    tools_of: Callable[[Caller | None], Toolset]
    barred: Callable[[Caller], frozenset[str]]
    """The providers that the caller's profile does not use."""
    store: RunStore
    audit: AuditTrail
    tokens: TokenStore
    internal_tools: InternalTools
    call: MethodCall
    meaning: Meaning | None = None
    """Compares texts by meaning; None if nothing does."""


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """A kind of question that becomes a durable run: its executor, the servers it needs, and its brief."""

    execute: Executor
    servers: frozenset[str]
    brief: RunBrief = field(default_factory=RunBrief)


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in a tool's schema: the path (`address.street`), the key and what is wrong."""

    path: str
    key: str
    text: str


@dataclass(frozen=True, slots=True)
class SchemaReading:
    """An app's reading of a tool's schema, for the schema's author."""

    lines: tuple[str, ...]
    mistakes: tuple[Mistake, ...]


class App(SessionData):
    """The base of all apps. It provides nothing and stores nothing; apps override what they do."""

    methods: ClassVar[tuple[Method, ...]] = ()
    """Its JSON-RPC methods. They ask its kinds of question by `services.questions[KIND]`."""
    static: ClassVar[Path | None] = None
    """The folder of its pages' files, which are served with the daemon's own (`agentd.web.pages`)."""
    turns: TurnPolicy = UNRESTRICTED
    reviews: Reviews | None = None
    """The requests for calls that an officer must approve after the citizen."""
    reaches_out: ClassVar[bool] = False
    """Whether it connects to other systems by itself from `routes` on; a daemon for one client omits its routes."""
    judges_official_calls: ClassVar[bool] = False
    """Whether its `policies` judge the arguments of official calls. Without such an app the daemon refuses them."""

    def __init__(self, wiring: Wiring) -> None:
        self.wiring = wiring

    @staticmethod
    async def read_schema(tool: ToolInfo, meaning: Meaning | None) -> SchemaReading:
        """Explain how the app reads the tool's schema, and the mistakes in it."""
        del tool, meaning  # unused by an app that reads no schemas
        return SchemaReading((), ())

    def own_tools(self) -> Iterable[OwnTool]:
        """The tools that the app implements itself, without a server."""
        return ()

    def policies(self) -> Iterable[CallPolicy]:
        """Its rules about calls, in the order in which they are applied."""
        return ()

    async def fitting(self, session_id: str) -> Fit | None:
        """How to adapt the tools to this session, if data of its visitor is known; else None."""
        return None

    def wrap_model(self, inner: ChatModel) -> ChatModel:
        """The model that the agent's loop gets, by default `inner`."""
        return inner

    def questions(self) -> Mapping[str, QuestionKind]:
        """The kinds of question that it answers, by name."""
        return {}

    def pages(self) -> Iterable[web.AbstractRouteDef]:
        """Pages open to everybody that are made at each request. Files in `static` are served without it."""
        return ()

    def routes(self, runs: AgentRuns) -> Iterable[web.AbstractRouteDef]:
        """Routes behind the guard; they check scopes themselves."""
        return ()

    def serving(self) -> AbstractAsyncContextManager[None]:
        """A context for background work while the daemon serves."""
        return nullcontext()

    def parts(self) -> Iterable[object]:
        """Objects for its methods, which get each by `services.part(TYPE)`."""
        return ()


def policed(host: ToolHost, apps: Sequence[App], timed: Callable[[str, float], None] = lambda *_: None) -> PolicedTools:
    """The host behind all policies: known arguments, the apps' (last app first), approval, then the host's arguments.

    Without an app that judges official calls, those are refused.
    """
    policies = [policy for app in reversed(apps) for policy in app.policies()]
    if not any(app.judges_official_calls for app in apps):
        log.error("official.refused", reason=REASON)
        policies.append(NoOfficialCalls())
    own = [tool for app in apps for tool in app.own_tools()]
    hosted = PolicedTools(host, [HostedArguments()], own, timed)
    return PolicedTools(hosted, [KnownArguments(), *policies, Approved(hosted)])
