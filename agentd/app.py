"""Wires the parts together: settings in, a running daemon out. Only this module knows all the others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from socket import gethostname, socket

import structlog

from agentd.access import Access, LastUse, RateLimiter, TokenStore
from agentd.agent.courtesies import Courtesies
from agentd.agent.languages import own
from agentd.agent.turn_policy import TurnPolicies
from agentd.application import Wiring, policed
from agentd.audit import AuditTrail
from agentd.chain import Chain
from agentd.clock import clock_of
from agentd.config import Settings
from agentd.config.proxy import behind_proxy
from agentd.daemon import Daemon, ServersData
from agentd.errors import ConfigError
from agentd.http.guard import Guard
from agentd.http.login import login_route
from agentd.http.routes import application
from agentd.http.server import serving
from agentd.messages import AgentOptions
from agentd.observability.metrics import MeteredModel, Metrics
from agentd.plugins import apps
from agentd.ports import ChatModel, Clock, ServerHost, ToolHost
from agentd.rpc.dispatch import Dispatcher
from agentd.rpc.method import Services, WireLimits
from agentd.rpc.methods import table
from agentd.runs.agent_api import AgentRuns, Agents
from agentd.runs.agent_executor import AgentExecutor, Past
from agentd.runs.approvals import ApprovalRules, Approvals
from agentd.runs.cluster import Cluster, EngineLimits, Node
from agentd.runs.engine import Engine
from agentd.runs.execution import Executor
from agentd.runs.questions import Questions
from agentd.runs.records import RunBrief
from agentd.runs.retention import Ages, retention
from agentd.runs.run_database import postgresql_engine, sqlite_engine
from agentd.runs.sessions import SessionService
from agentd.runs.store import RunStore
from agentd.runs.tool_api import DirectTools, ToolExecutor
from agentd.runs.usage import UsageLog
from agentd.web import pages
from hardening.tasks import beside

log = structlog.get_logger("agentd")


def _node(settings: Settings, store: RunStore, clock: Clock) -> Node:
    """This process as a node; part of a cluster if client.toml names a shared database."""
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


def _wiring(made: Daemon, model: ChatModel) -> Wiring:
    return Wiring(
        settings=lambda: made.settings,
        clock=made.clock,
        model=model,
        providers=made.chain.states,
        tools=lambda: made.tools,
        tools_of=made.own_tools_of,
        barred=lambda caller: made.profile(caller, AgentOptions()).barred,
        store=made.store,
        audit=made.audit,
        tokens=made.tokens,
        internal_tools=made.internal_tools,
        call=made.call,
        meaning=made.meaning,
    )


async def _admission(settings: Settings, clock: Clock, stack: AsyncExitStack) -> tuple[TokenStore, Access]:
    """Build the access control. Raises ConfigError if the settings name a proxy but there is no token."""
    tokens = TokenStore(settings.state / "access.json", clock.now)
    used = LastUse(settings.state, clock)
    await stack.enter_async_context(beside(last_use=used.keep()))
    proxied = behind_proxy(settings)
    if proxied is not None and not (settings.admin_token or tokens.closed):
        raise ConfigError([proxied])
    access = Access(
        tokens,
        admin_token=settings.admin_token,
        origins=frozenset(settings.rpc.allowed_origins),
        required=proxied is not None,
        used=used,
    )
    if not access.closed:
        log.warning("access.open", to_do="every program of this machine is admin; `agentd token add` ends that")
    return tokens, access


@asynccontextmanager
async def daemon(settings: Settings, host: ServerHost) -> AsyncIterator[Daemon]:
    """Everything but the network, on a host started by `agentd.startup`. Recovery begins once its servers are up."""
    clock = clock_of(settings.clock)
    async with AsyncExitStack() as stack:
        chain = Chain(settings, clock)
        stack.push_async_callback(chain.aclose)
        metrics = Metrics()
        shared = settings.store.url
        store = RunStore(postgresql_engine(shared) if shared else sqlite_engine(settings.state / "agentd.db"))
        stack.callback(store.close)
        usage = UsageLog(store, clock, settings.zone)
        await stack.enter_async_context(usage.kept())
        model: ChatModel = MeteredModel(chain, metrics)
        tools: ToolHost = host
        traces = None
        if settings.telemetry.otlp_endpoint:  # only then OpenTelemetry is loaded
            from agentd.observability.tracing import TracedModel, TracedTools, tracing

            traces = await stack.enter_async_context(tracing(settings.telemetry.otlp_endpoint))
            model, tools = TracedModel(model, traces), TracedTools(tools, traces)
        tokens, access = await _admission(settings, clock, stack)
        audit = AuditTrail(settings.state, clock)
        stack.callback(audit.close)
        made = Daemon(settings, clock, chain, host, store, metrics, tokens, access, audit)
        made.apps = tuple(make(_wiring(made, model)) for make in apps())
        made.methods = table(method for app in made.apps for method in app.methods)
        made.tools = policed(tools, made.apps, lambda server, s: metrics.tool_seconds.labels(server).observe(s))
        kinds = {kind: question for app in made.apps for kind, question in app.questions().items()}
        policy = TurnPolicies([*(app.turns for app in made.apps), Courtesies()])
        for app in made.apps:
            model = app.wrap_model(model)
        agent = AgentExecutor(
            store, model, made.tools, made.session_profile, policy, Past(settings.agent.history_tokens, settings.zone)
        )
        executors: dict[str, Executor] = {
            "agent": agent.execute,
            "call": ToolExecutor(made.tools, made.tools_of).execute,
            **{kind: question.execute for kind, question in kinds.items()},
        }
        made.engine = Engine(
            store,
            _node(settings, store, clock),
            {kind: traces.executor(one) for kind, one in executors.items()} if traces else executors,
            clock,
            EngineLimits(
                **settings.store.model_dump(include={"concurrency", "queue_limit"}),
                **settings.agent.model_dump(include={"deadline_s", "approval_ttl_s", "max_recoveries"}),
            ),
            made.run_ended,
        )
        metrics.watch(lambda: made.engine.active, host.catalogue, usage, lambda: made.settings.providers)
        made.runs = AgentRuns(
            store,
            made.engine,
            Agents(made.profile, made.select, settings.agent.language, lambda: made.settings.providers),
            Approvals(
                made.engine,
                made.tools,
                made.profile,
                clock,
                audit,
                ApprovalRules(
                    policy,
                    next((app.reviews for app in made.apps if app.reviews is not None), None),
                    settings.agent.review_ttl_s,
                ),
            ),
            clock,
        )
        calls = Questions("call", store, made.engine, clock, RunBrief(language=own(settings.agent.language) or "id"))
        questions = {
            kind: Questions(kind, store, made.engine, clock, question.brief).ask for kind, question in kinds.items()
        }

        files = settings.state / "artifacts"
        made.sessions = SessionService(store, made.engine, clock, audit, files, (*made.apps, ServersData(made)))
        made.services = Services(
            runs=made.runs,
            sessions=made.sessions,
            tools=DirectTools(made.tools, made.tools_of, audit, calls),
            providers=chain.states,
            questions=questions,
            health=made.health,
            reload=made.reload,
            letters_server=lambda: made.settings.server_of("letters"),
            asked_here=lambda: [
                kind for kind, held in kinds.items() if held.servers <= {one.name for one in made.settings.servers}
            ],
            limits=WireLimits(**settings.rpc.model_dump(include={"max_body_bytes", "max_batch", "max_prompt_bytes"})),
            parts={type(part): part for app in made.apps for part in app.parts()},
        )
        await host.ready()
        await host.reconfigure(made.reachable_servers())
        for app in made.apps:
            await stack.enter_async_context(app.serving())
        await stack.enter_async_context(made.engine)
        kept = settings.store
        ages = Ages(timedelta(hours=kept.keep_visitors_h), timedelta(days=kept.keep_d))
        await stack.enter_async_context(retention(made.sessions, ages, kept.purge_every_s))
        yield made


@asynccontextmanager
async def served(
    made: Daemon, sockets: Sequence[socket] = (), *, for_one: bool = False
) -> AsyncIterator[tuple[str, ...]]:
    """Serve the daemon on the network, for all clients or only `for_one`; yields its addresses."""
    rpc = made.settings.rpc
    limiter = RateLimiter(made.tokens, rpc.rate_per_minute, made.clock)
    body_s = made.services.limits.body_timeout_s
    app = application(
        Guard(made.access, limiter, frozenset(rpc.allowed_hosts), frozenset(rpc.trusted_proxies), body_s),
        made.services,
        Dispatcher(made.methods, made.services, limiter=limiter, observe=made.metrics.rpc_answered),
        metrics=made.metrics.exposition,
        pages=[
            *pages.routes(
                (app.static for app in made.apps if app.static), made.settings.zone.key, made.settings.agent.language
            ),
            *(page for app in made.apps for page in app.pages()),
        ],
        mounted=[
            login_route(made.audit),
            *(route for app in made.apps if not (for_one and app.reaches_out) for route in app.routes(made.runs)),
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
