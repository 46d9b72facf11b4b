"""The daemon's wire on in-memory twins: real HTTP, no model, no database. Not a test itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aiohttp import web

from agentd.access import Access, RateLimiter, TokenStore
from agentd.apps.analytics import method as analytics
from agentd.apps.graph import method as graph
from agentd.apps.letters.app import Letters
from agentd.apps.residents.app import Residents
from agentd.errors import UnknownTool
from agentd.http.guard import Guard
from agentd.http.routes import application
from agentd.http.server import serving
from agentd.messages import AgentStep, Caller, Catalogue, ModelInfo, ProviderState, ServerState, ToolInfo
from agentd.rpc.dispatch import Dispatcher
from agentd.rpc.method import Method, Services, WireLimits
from agentd.rpc.methods import table
from agentd.testing import ManualClock
from tests.agentd.memory_runs import MemoryRuns, Work, echo

ADMIN = Caller(id="local", scopes=frozenset({"admin"}))
KIOSK = Caller(id="kiosk", scopes=frozenset({"kiosk"}))
STAFF = Caller(id="siti", scopes=frozenset({"staff"}))

TOOLS = Catalogue(
    tools=(
        ToolInfo(name="get_current_time", server="time", annotations={"readOnlyHint": True}),
        ToolInfo(name="generate_surat_keterangan_domisili", server="certificate", official=True, approval="citizen"),
    ),
    servers=(
        ServerState(name="time", state="up", protocol_version="2025-06-18"),
        ServerState(name="certificate", state="down", error="the command was not found"),
    ),
)


class TwinSessions:
    """A session can be made, and is not stored."""

    async def create(self, caller: Caller, title: str | None = None) -> dict[str, Any]:
        return {"session_id": "session-1", "created_at": "2026-01-05T02:00:00+00:00", "title": title}


class TwinTools:
    """Two tools; a call returns its input. Who may call which is none of its rules."""

    def catalogue(self, caller: Caller) -> Catalogue:
        return TOOLS

    async def call(self, tool: str, tool_input: dict[str, Any], server: str | None, caller: Caller) -> AgentStep:
        found = TOOLS.tool(tool)
        if found is None:
            raise UnknownTool(f"No configured server offers {tool}")
        return AgentStep(tool=found.name, server=found.server, input=tool_input, success=True, output=tool_input)


def providers() -> Sequence[ProviderState]:
    """The state of the embedded provider only."""
    return [ProviderState(id="llamacpp", type="llamacpp", models=(ModelInfo(name="qwen"),), state="ready")]


METHODS = table((analytics.ask, graph.ask, *Letters.methods, *Residents.methods))
"""All methods of a daemon with the shipped apps."""


async def ask(question: str, **given: Any) -> dict[str, Any]:
    """Stands in for analytics and graph: the answer is the question."""
    return {"run_id": given["run_id"] or "run-1", "session_id": "s-1", "status": "completed", "answer": question}


def stands(status: str = "ok", database: str = "up") -> Callable[[], Awaitable[dict[str, Any]]]:
    """A function that returns a daemon's health."""

    async def health() -> dict[str, Any]:
        servers = [server.model_dump() for server in TOOLS.servers]
        providers = [{"id": "llamacpp", "state": "ready"}]
        return {"status": status, "database": database, "servers": servers, "providers": providers}

    return health


async def reload(by: str) -> dict[str, Any]:
    """A reload that changes nothing."""
    return {"servers": {"added": [], "removed": [], "changed": []}}


def services(work: Work = echo, limits: WireLimits | None = None, **changes: Any) -> Services:
    """Services made of twins; `changes` replace some of them."""
    made = Services(
        runs=MemoryRuns(work),
        sessions=TwinSessions(),
        tools=TwinTools(),
        providers=providers,
        questions={"analytics": ask, "graph": ask},
        health=stands(),
        reload=reload,
        letters_server=lambda: "certificate",
        asked_here=lambda: ["analytics", "graph"],
        limits=limits or WireLimits(),
    )
    return replace(made, **changes)


@dataclass(frozen=True)
class Wire:
    """A listening wire: its address and the services behind it."""

    url: str
    services: Services
    tokens: TokenStore
    access: Access
    runs: MemoryRuns
    addresses: tuple[str, ...]
    clock: ManualClock


@asynccontextmanager
async def wire(
    state: Path,
    *,
    work: Work = echo,
    limits: WireLimits | None = None,
    admin_token: str | None = None,
    origins: frozenset[str] = frozenset(),
    hosts: frozenset[str] = frozenset(),
    proxies: frozenset[str] = frozenset(),
    methods: Sequence[Method] = METHODS,
    pages: Sequence[web.AbstractRouteDef] = (),
    mounted: Sequence[web.AbstractRouteDef] = (),
    unix_path: Path | None = None,
    **changes: Any,
) -> AsyncIterator[Wire]:
    """Serve on a free loopback port while the block runs."""
    behind = services(work, limits, **changes)
    tokens = TokenStore(state / "access.json")
    clock = ManualClock()
    limiter = RateLimiter(tokens, 600, clock)
    access = Access(tokens, admin_token=admin_token, origins=origins)

    async def exposition() -> tuple[bytes, str]:
        return b"agentd_up 1\n", "text/plain; version=0.0.4"

    app = application(
        Guard(access, limiter, hosts, proxies, behind.limits.body_timeout_s),
        behind,
        Dispatcher(methods, behind, limiter=limiter),
        metrics=exposition,
        pages=pages,
        mounted=mounted,
    )
    async with serving(app, listen=("127.0.0.1", 0), unix_path=unix_path, shutdown_s=1) as addresses:
        runs = behind.runs
        assert isinstance(runs, MemoryRuns)
        yield Wire(addresses[0], behind, tokens, access, runs, addresses, clock)
