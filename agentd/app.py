"""Wires the parts together: settings in, a running daemon out. The only module that knows all the others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from socket import gethostname, socket
from typing import Any

import structlog

from agentd import config
from agentd.access import Access, LastUse, RateLimiter, TokenStore
from agentd.access.pairing import Pairing
from agentd.agent.hosted_arguments import HostedArguments
from agentd.agent.picking import PromptTools, fits, select
from agentd.agent.toolset import Toolset
from agentd.agent.turn_policy import TurnPolicies
from agentd.application import App, InternalCall, Wiring, policed
from agentd.audit import AuditTrail
from agentd.chain import Chain
from agentd.clock import clock_of
from agentd.config import Settings
from agentd.config.proxy import behind_proxy
from agentd.errors import ConfigError, InvalidParams
from agentd.http.agent_model import AgentModel
from agentd.http.internal_tools import ServerTools
from agentd.http.login import LoginEndpoint
from agentd.http.openai_api import OpenAIApi
from agentd.http.pair import PairEndpoint
from agentd.http.routes import application
from agentd.http.server import serving
from agentd.meaning import BundledMeaning
from agentd.messages import AgentOptions, Caller, ServerSettings, ToolCall
from agentd.observability.metrics import MeteredModel, MeteredTools, Metrics
from agentd.plugins import apps
from agentd.ports import ChatModel, Clock, Meaning, ServerHost, ToolHost
from agentd.profiles import AgentProfile, agent_profile, toolset_for
from agentd.rpc.dispatch import Dispatcher
from agentd.rpc.method import Method
from agentd.rpc.methods import table
from agentd.rpc.services import Limits, Services
from agentd.runs.agent_api import AgentRuns, Agents
from agentd.runs.agent_executor import AgentExecutor
from agentd.runs.approvals import Approvals
from agentd.runs.cluster import Cluster
from agentd.runs.databases import postgresql_engine, sqlite_engine
from agentd.runs.engine import Engine, EngineLimits, Node
from agentd.runs.execution import Executor, Result
from agentd.runs.questions import Questions
from agentd.runs.records import RunRecord
from agentd.runs.retention import Ages, retention
from agentd.runs.sessions import SessionService
from agentd.runs.store import RunStore
from agentd.runs.tool_api import DirectTools
from agentd.runs.tool_executor import ToolExecutor
from agentd.web import pages

log = structlog.get_logger("agentd")
FORGET = "delete_session_data"
SERVERS_WAIT_S = 10.0
"""How long the start waits for MCP servers; one that is slower comes up later."""


@dataclass(slots=True)
class Daemon:
    """A running daemon's parts, for whoever drives it in this process (`agentd serve`, `agentd chat`, tests)."""

    settings: Settings
    clock: Clock
    chain: Chain
    host: ServerHost
    store: RunStore
    metrics: Metrics
    book: TokenStore
    access: Access
    audit: AuditTrail
    meaning: Meaning = field(default_factory=BundledMeaning)
    started: float = field(default_factory=time.monotonic)
    addresses: tuple[str, ...] = ()
    draining: bool = False
    apps: tuple[App, ...] = ()
    tools: ToolHost = field(init=False)
    """Every tool behind every policy."""
    runs: AgentRuns = field(init=False)
    sessions: SessionService = field(init=False)
    engine: Engine = field(init=False)
    services: Services = field(init=False)

    def profile(
        self, caller: Caller | None, options: AgentOptions, prompt_tools: PromptTools | None = None
    ) -> AgentProfile:
        """What this caller's agent is now."""
        return agent_profile(self.settings, self.tools.catalogue(), caller, options, prompt_tools)

    async def session_profile(
        self, session_id: str, caller: Caller | None, options: AgentOptions, prompt_tools: PromptTools | None
    ) -> AgentProfile:
        """What this caller's agent is now in this session."""
        fits = [fit for app in self.apps if (fit := await app.fitting(session_id)) is not None]
        return agent_profile(self.settings, self.tools.catalogue(), caller, options, prompt_tools, fits)

    def fits_prompt(self, toolset: Toolset) -> bool:
        """Whether every session's prompt starts alike, describing all these tools."""
        return fits(toolset, self.settings.agent.max_tools_in_prompt)

    async def select(self, request: str, toolset: Toolset, past: PromptTools | None) -> PromptTools | None:
        """The tools that the prompt of this request describes."""
        return await select(request, toolset, self.settings.agent.max_tools_in_prompt, self.meaning, past)

    def tools_of(self, caller: Caller | None) -> Toolset:
        """The tools that this caller may call by hand now."""
        return toolset_for(self.settings, self.tools.catalogue(), caller, "person")

    def own_tools_of(self, caller: Caller | None) -> Toolset:
        """The tools that the daemon's own workflows call for this caller now."""
        return toolset_for(self.settings, self.tools.catalogue(), caller, "program")

    @property
    def methods(self) -> tuple[Method, ...]:
        """The JSON-RPC methods, those of the apps too."""
        return table(method for app in self.apps for method in app.methods)

    def reachable_servers(self) -> list[ServerSettings]:
        """All servers, those with `model = true` told where the daemon's own models are, or will be."""
        listen = self.settings.rpc.listen
        guess = () if listen.endswith(":0") else (f"http://{listen}",)
        base = next((address for address in self.addresses or guess if address.startswith("http")), None)
        address = {"AGENTD_MODEL_URL": f"{base}/v1", "AGENTD_MODEL_TOKEN": self.access.model_token} if base else {}
        return [
            server.model_copy(update={"env": {**server.env, **address}})
            if server.name in self.settings.servers_with_model
            else server
            for server in self.settings.servers
        ]

    def known_models(self) -> dict[str, list[str]]:
        """{provider id: names of its models}."""
        return {provider.id: [model.name for model in provider.models] for provider in self.settings.providers}

    def health(self) -> dict[str, Any]:
        """How it stands, from what is known without asking anybody."""
        servers = self.host.catalogue().servers
        providers = self.chain.states()
        down = any(server.state == "down" for server in servers)
        status = "draining" if self.draining else "degraded" if down else "ok"
        return {
            "status": status,
            "version": version("agentd"),
            "uptime_s": round(time.monotonic() - self.started, 3),
            "runs": {"active": self.engine.active},
            **({"cluster": cluster} if (cluster := self.engine.cluster) else {}),
            "servers": [server.model_dump(exclude={"instructions"}) for server in servers],
            "providers": [provider.model_dump() for provider in providers],
        }

    async def reload(self, by: str) -> dict[str, Any]:
        """Read client.toml again and apply the difference. Raises InvalidParams with every problem; nothing changes."""
        try:
            new = await asyncio.to_thread(
                config.load, self.settings.file, state=str(self.settings.state), listen=self.settings.rpc.listen
            )
            if new.providers != self.settings.providers or new.default_provider != self.settings.default_provider:
                await self.chain.replace(new)
        except ConfigError as error:
            problems = [f"line {problem.line}: {problem.text}" for problem in error.problems]
            raise InvalidParams("client.toml is wrong; nothing was changed", problems=problems) from None
        await self.audit.arecord("config.reloaded", actor=by)
        old, self.settings = self.settings, new
        await self.host.reconfigure(self.reachable_servers())
        return _difference(old, new)

    def run_ended(self, row: RunRecord, result: Result) -> None:
        """Count it; one that was parked stands in the audit trail, unless that can't be written now."""
        self.metrics.run_ended(row, result)
        if result.error is None or not result.error.data.get("parked"):
            return
        try:
            self.audit.record("run.parked", actor="recovery", subject=row.run_id, kind=row.kind)
        except OSError as error:
            log.error("audit.unwritten", action="run.parked", reason=error.strerror)


def _difference(old: Settings, new: Settings) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    for name, key in (("servers", "name"), ("providers", "id"), ("profiles", "name")):
        before = {getattr(entry, key): entry for entry in getattr(old, name)}
        after = {getattr(entry, key): entry for entry in getattr(new, name)}
        changes[name] = {
            "added": sorted(after.keys() - before.keys()),
            "removed": sorted(before.keys() - after.keys()),
            "changed": sorted(each for each in before.keys() & after.keys() if before[each] != after[each]),
        }
    changes["prompt"] = old.prompt_template != new.prompt_template or old.agent != new.agent
    changes["tools"] = old.tools != new.tools
    return changes


def _node(settings: Settings, store: RunStore, clock: Clock) -> Node:
    """This process: one among several where client.toml names a shared database."""
    shared = settings.store.url
    if not shared:
        return Node(sqlite_engine(settings.state / "dbos.db"), settings.store.node or "local")
    name = settings.store.node or f"{gethostname()}-{settings.state}"
    cluster = Cluster(
        store,
        name,
        clock,
        lease_s=settings.store.lease_s,
        node_concurrency=settings.store.concurrency,
        global_concurrency=settings.store.global_concurrency,
    )
    return Node(postgresql_engine(shared), name, cluster)


async def _forget_at_servers(made: Daemon, session_id: str) -> None:
    """Tell the servers that keep session data, as client.toml names them, to let go of it."""
    for tool in made.own_tools_of(None).tools:
        if (tool.remote_name or tool.name) == FORGET and tool.server in made.settings.store.session_servers:
            call = ToolCall(tool=tool, input={}, run_id=f"forget-{session_id}", session_id=session_id, step=1)
            outcome = await HostedArguments(made.host).call(call)
            if not outcome.success:
                log.warning("session.not_forgotten", server=tool.server, reason=outcome.message)


@dataclass(frozen=True, slots=True)
class _SessionApps:
    """The apps' part in sessions."""

    apps: Sequence[App]

    async def shown(self, session_id: str) -> dict[str, Any]:
        said = [await app.session_shown(session_id) for app in self.apps]
        return {name: value for one in said for name, value in one.items()}

    async def leaving(self, session_id: str) -> None:
        for app in self.apps:
            await app.leaving(session_id)


def _wiring(made: Daemon, model: ChatModel) -> Wiring:
    """What apps get of this daemon."""

    def internal_tools(server: Callable[[], str]) -> InternalCall:
        return ServerTools(made.host, server)

    return Wiring(
        settings=lambda: made.settings,
        clock=made.clock,
        model=model,
        tools=lambda: made.tools,
        tools_of=made.own_tools_of,
        barred=lambda caller: made.profile(caller, AgentOptions()).barred,
        store=made.store,
        audit=made.audit,
        internal_tools=internal_tools,
    )


def _as_the_loop_asks(model: ChatModel, apps: Sequence[App]) -> ChatModel:
    for app in apps:
        model = app.wrap_model(model)
    return model


@dataclass(frozen=True, slots=True)
class Seen:
    """The ports with whoever watches them around."""

    model: ChatModel
    tools: ToolHost
    executor: Callable[[Executor], Executor] = lambda inner: inner

    def executors(self, inner: Mapping[str, Executor]) -> dict[str, Executor]:
        """Each kind's executor, watched."""
        return {kind: self.executor(execute) for kind, execute in inner.items()}


@asynccontextmanager
async def _traced(endpoint: str, seen: Seen) -> AsyncIterator[Seen]:
    """The same with traces; OpenTelemetry is loaded only where it is on."""
    from agentd.observability.tracing import TracedModel, TracedTools, tracing

    async with tracing(endpoint) as traces:
        yield Seen(TracedModel(seen.model, traces), TracedTools(seen.tools, traces), traces.executor)


def _door(settings: Settings, clock: Clock, stack: AsyncExitStack) -> tuple[TokenStore, Access]:
    """Who comes in. Raises ConfigError when the settings speak of a proxy and there is no token."""
    book = TokenStore(settings.state / "access.json", clock.now)
    used = LastUse(settings.state, clock)
    stack.push_async_callback(_ended, asyncio.create_task(used.keep(), name="access.used"))
    proxied = behind_proxy(settings)
    if proxied is not None and not (settings.admin_token or book.closed):
        raise ConfigError([proxied])
    access = Access(
        book,
        admin_token=settings.admin_token,
        origins=frozenset(settings.rpc.allowed_origins),
        required=proxied is not None,
        used=used,
    )
    if not access.closed:
        log.warning("access.open", told="every program of this machine is admin; `agentd token add` ends that")
    return book, access


@asynccontextmanager
async def daemon(settings: Settings, host: ServerHost) -> AsyncIterator[Daemon]:
    """Everything but the wire, over a host that `agentd.startup` began. Recovery begins once its servers are up."""
    clock = clock_of(settings.clock)
    async with AsyncExitStack() as stack:
        chain = Chain(settings, clock)
        stack.push_async_callback(chain.aclose)
        metrics = Metrics()
        seen = Seen(MeteredModel(chain, metrics), MeteredTools(host, metrics))
        if settings.telemetry.otlp_endpoint:
            seen = await stack.enter_async_context(_traced(settings.telemetry.otlp_endpoint, seen))
        shared = settings.store.url
        store = RunStore(postgresql_engine(shared) if shared else sqlite_engine(settings.state / "agentd.db"))
        stack.callback(store.close)
        book, access = _door(settings, clock, stack)
        audit = AuditTrail(settings.state, clock)
        stack.callback(audit.close)
        made = Daemon(settings, clock, chain, host, store, metrics, book, access, audit)
        made.apps = tuple(make(_wiring(made, seen.model)) for make in apps())
        made.tools = policed(HostedArguments(seen.tools), made.apps)
        kinds = {kind: question for app in made.apps for kind, question in app.questions().items()}
        policy = TurnPolicies([app.turns for app in made.apps])
        agent = AgentExecutor(
            store,
            _as_the_loop_asks(seen.model, made.apps),
            made.tools,
            made.profile,
            policy,
            settings.agent.history_tokens,
            made.session_profile,
        )
        made.engine = Engine(
            store,
            _node(settings, store, clock),
            seen.executors(
                {
                    "agent": agent.execute,
                    "call": ToolExecutor(made.tools, made.tools_of).execute,
                    **{kind: question.execute for kind, question in kinds.items()},
                }
            ),
            clock,
            EngineLimits(
                concurrency=settings.store.concurrency,
                queue_limit=settings.store.queue_limit,
                deadline_s=settings.agent.deadline_s,
                approval_ttl_s=settings.agent.approval_ttl_s,
                max_recoveries=settings.agent.max_recoveries,
            ),
            made.run_ended,
        )
        metrics.watch(lambda: made.engine.active, host.catalogue)
        made.runs = AgentRuns(
            store,
            made.engine,
            Agents(made.profile, made.select, settings.agent.language, made.known_models),
            Approvals(
                made.engine,
                made.tools,
                made.profile,
                clock,
                audit,
                policy,
                next((app.reviews for app in made.apps if app.reviews is not None), None),
                settings.agent.review_ttl_s,
            ),
            clock,
        )
        calls = Questions("call", store, made.engine, clock, deadline_s=settings.agent.deadline_s)
        questions = {
            kind: Questions(kind, store, made.engine, clock, deadline_s=question.deadline_s).ask
            for kind, question in kinds.items()
        }

        async def forget(session_id: str) -> None:
            for app in made.apps:
                await app.forget(session_id)
            await _forget_at_servers(made, session_id)

        seen_by = _SessionApps(made.apps)
        made.sessions = SessionService(store, made.engine, clock, forget, audit, settings.state / "artifacts", seen_by)
        made.services = Services(
            runs=made.runs,
            sessions=made.sessions,
            tools=DirectTools(made.tools, made.tools_of, audit, calls),
            models=chain,
            questions=questions,
            health=made.health,
            reload=made.reload,
            clock=clock,
            letters_server=lambda: made.settings.letters.server,
            limits=Limits(
                max_body_bytes=settings.rpc.max_body_bytes,
                max_batch=settings.rpc.max_batch,
                max_prompt_bytes=settings.rpc.max_prompt_bytes,
                rate_per_minute=settings.rpc.rate_per_minute,
            ),
            parts={type(part): part for app in made.apps for part in app.parts()},
        )
        await host.ready(SERVERS_WAIT_S)
        await host.reconfigure(made.reachable_servers())
        await stack.enter_async_context(made.engine)
        kept = settings.store
        ages = Ages(timedelta(hours=kept.keep_visitors_h), timedelta(days=kept.keep_d))
        await stack.enter_async_context(retention(store, made.sessions, clock, ages, kept.purge_every_s))
        yield made


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait((task,))


@asynccontextmanager
async def served(made: Daemon, sockets: Sequence[socket] = ()) -> AsyncIterator[tuple[str, ...]]:
    """The daemon on the wire; gives its addresses."""
    rpc = made.settings.rpc
    limiter = RateLimiter(made.book, rpc.rate_per_minute, made.clock)
    pair = PairEndpoint(Pairing(made.settings.state, made.book), made.audit, made.clock.now)
    app = application(
        made.services,
        Dispatcher(made.methods, made.services, limiter=limiter, observe=made.metrics.rpc_answered),
        made.access,
        limiter,
        metrics=made.metrics.exposition,
        hosts=frozenset(rpc.allowed_hosts),
        pages=[
            *pages.routes(app.static for app in made.apps if app.static),
            *pair.routes(),
            *(page for app in made.apps for page in app.pages()),
        ],
        mounted=[
            *LoginEndpoint(made.audit).routes(),
            *OpenAIApi(made.chain, made.chain.states, AgentModel(made.runs, rpc.max_prompt_bytes)).routes(),
            *(route for app in made.apps for route in app.routes(made.runs)),
        ],
    )
    host, _, port = rpc.listen.rpartition(":")
    async with serving(
        app,
        listen=(host.strip("[]"), int(port)),
        unix_path=Path(rpc.unix_socket) if rpc.unix_socket else None,
        unix_mode=int(rpc.unix_socket_mode, 8),
        sockets=sockets,
    ) as addresses:
        made.addresses = addresses
        await made.host.reconfigure(made.reachable_servers())
        yield addresses
