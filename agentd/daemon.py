"""A running daemon: its parts, the callers' agent profiles, its health and its reload. app.py creates the parts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from inspect import isawaitable
from typing import Any
from uuid import uuid4

import structlog

from agentd import config
from agentd.access import Access, TokenStore
from agentd.agent.picking import PromptTools, select
from agentd.agent.policies import HostedArguments, PolicedTools
from agentd.agent.toolset import Toolset
from agentd.application import App, InternalCall
from agentd.audit import AuditTrail
from agentd.chain import Chain
from agentd.config import Settings
from agentd.errors import ConfigError, Forbidden, InvalidParams, MethodNotFound, UnknownTool, in_each_language
from agentd.messages import AgentOptions, Caller, ServerSettings, ToolCall, ToolOutcome
from agentd.observability.metrics import Metrics
from agentd.plugins import meaning
from agentd.ports import Clock, Meaning, ServerHost, ToolHost
from agentd.profiles import AgentProfile, KnownProfiles, toolset_for
from agentd.rpc.method import Method, Services
from agentd.rpc.params import read
from agentd.runs.agent_api import AgentRuns
from agentd.runs.engine import Engine
from agentd.runs.execution import Result
from agentd.runs.records import RunRecord
from agentd.runs.sessions import INTERNAL, SessionData, SessionService
from agentd.runs.store import RunStore

log = structlog.get_logger("agentd")
FORGET = "delete_session_data"
"""The tool of a server that keeps session data."""


@dataclass(slots=True)
class Daemon:
    """A running daemon's parts, for the code that drives it in this process (`agentd serve`, `agentd chat`, tests)."""

    settings: Settings
    clock: Clock
    chain: Chain
    host: ServerHost
    store: RunStore
    metrics: Metrics
    tokens: TokenStore
    access: Access
    audit: AuditTrail
    meaning: Meaning | None = field(default_factory=meaning)
    started: float = field(default_factory=time.monotonic)
    addresses: tuple[str, ...] = ()
    draining: bool = False
    apps: tuple[App, ...] = ()
    tools: ToolHost = field(init=False)
    """All tools behind all policies."""
    methods: tuple[Method, ...] = field(init=False)
    """The JSON-RPC methods, including the apps'."""
    runs: AgentRuns = field(init=False)
    sessions: SessionService = field(init=False)
    engine: Engine = field(init=False)
    services: Services = field(init=False)
    _profiles: KnownProfiles = field(default_factory=KnownProfiles, init=False)

    def profile(
        self, caller: Caller | None, options: AgentOptions, prompt_tools: PromptTools | None = None
    ) -> AgentProfile:
        """The caller's current agent profile."""
        return self._profiles.of(self.settings, self.tools.catalogue(), caller, options, prompt_tools)

    async def session_profile(
        self, session_id: str, caller: Caller | None, options: AgentOptions, prompt_tools: PromptTools | None
    ) -> AgentProfile:
        """The caller's current agent profile in this session."""
        fits = [fit for app in self.apps if (fit := await app.fitting(session_id)) is not None]
        profile = self.profile(caller, options, prompt_tools)
        return replace(profile, toolset=profile.toolset.fitted(fits)) if fits else profile

    async def select(self, request: str, toolset: Toolset, past: PromptTools | None) -> PromptTools | None:
        return await select(request, toolset, self.settings.agent.max_tools_in_prompt, self.meaning, past)

    def tools_of(self, caller: Caller | None) -> Toolset:
        """The tools that the caller may now call by hand."""
        return toolset_for(self.settings, self.tools.catalogue(), caller, "person")

    def own_tools_of(self, caller: Caller | None) -> Toolset:
        """The tools that the daemon's own workflows may now call for this caller."""
        return toolset_for(self.settings, self.tools.catalogue(), caller, "program")

    async def call(self, name: str, params: dict[str, Any], caller: Caller) -> Any:
        """Call a JSON-RPC method in this process. Raises what it raises, and MethodNotFound if no app provides it."""
        method = next((one for one in self.methods if one.name == name), None)
        if method is None:
            raise MethodNotFound()
        if not caller.may(*method.scopes):
            raise Forbidden(f"{name} is not for this caller")
        given = read(method.params, params, self.services.limits.max_prompt_bytes)
        answer = method.act(self.services, caller, given)
        return await answer if isawaitable(answer) else answer

    def internal_tools(self, server: Callable[[], str]) -> InternalCall:
        """Make the function for calls outside conversations (pages, identification): `await call(tool, arguments)`.

        `server` names the trusted server; other servers' tools are never called. The tool must be read-only, or one
        that proves an identity (`agentd/identity`), which nothing else can call; else it raises UnknownTool.
        """

        async def call(tool: str, arguments: dict[str, Any]) -> ToolOutcome:
            name = server()
            found = self.host.catalogue().tool_of(name, tool)
            if found is None or not (found.read_only or found.identity):
                raise UnknownTool(f"server `{name}` offers no read-only tool `{tool}`")
            call_id = f"{INTERNAL}{uuid4().hex}"
            made = ToolCall(tool=found, input=arguments, run_id=call_id, session_id=call_id, step=1)
            return await self.host.call(made)

        return call

    def reachable_servers(self) -> list[ServerSettings]:
        """All servers; those with `model = true` get the present or future address of the daemon's own models."""
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

    async def health(self) -> dict[str, Any]:
        """The daemon's health. It only checks whether the database is writable; the rest is known."""
        servers = self.host.catalogue().servers
        writable = await self.store.writable()
        well = writable and all(server.state != "down" for server in servers)
        return {
            "status": "draining" if self.draining else "ok" if well else "degraded",
            "version": version("agentd"),
            "uptime_s": round(time.monotonic() - self.started, 3),
            "runs": {"active": self.engine.active},
            "database": "up" if writable else "down",
            **({"cluster": cluster} if (cluster := self.engine.cluster) else {}),
            "servers": [server.model_dump(exclude={"instructions"}) for server in servers],
            "providers": [provider.model_dump() for provider in self.chain.states()],
        }

    async def reload(self, by: str) -> dict[str, Any]:
        """Read client.toml again and apply the difference. On problems it changes nothing and raises InvalidParams, or
        Busy if it can't be recorded."""
        try:
            new = await asyncio.to_thread(
                config.load, self.settings.file, state=str(self.settings.state), listen=self.settings.rpc.listen
            )
            old = self.settings
            other = (new.providers, new.default_provider) != (old.providers, old.default_provider)
            chain = self.chain.built(new) if other else None
        except ConfigError as error:
            problems = [f"line {problem.line}: {problem.text}" for problem in error.problems]
            wrong = "client.toml is wrong; nothing was changed"
            raise InvalidParams(wrong, problems=problems, user_message=in_each_language("configuration")) from None
        await self.audit.arecord("config.reloaded", actor=by)
        if chain is not None:
            await self.chain.replace(chain)
        self.settings = new
        await self.host.reconfigure(self.reachable_servers())
        return _difference(old, new)

    def run_ended(self, row: RunRecord, result: Result) -> None:
        """Count the run. A parked run is also recorded in the audit trail, unless that can't be written now."""
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
    changes["tools"] = any(getattr(old, said) != getattr(new, said) for said in ("tools", "audiences", "server_tools"))
    return changes


@dataclass(frozen=True, slots=True)
class ServersData(SessionData):
    """What the servers named in client.toml store about sessions."""

    daemon: Daemon

    async def forget(self, session_id: str) -> None:
        for tool in self.daemon.own_tools_of(None).tools:
            keeps = tool.server in (self.daemon.settings.store.session_servers or ())
            if keeps and tool.bare_name == FORGET:
                call = ToolCall(tool=tool, input={}, run_id=f"forget-{session_id}", session_id=session_id, step=1)
                outcome = await PolicedTools(self.daemon.host, (HostedArguments(),)).call(call)
                if not outcome.success:
                    log.warning("session.not_forgotten", server=tool.server, reason=outcome.message)
