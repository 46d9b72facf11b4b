"""One MCP server and the task that owns it: starts, follows and restarts it when lost. Knows no other server."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

import anyio
from mcp import Client
from mcp_types import Implementation
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from agentd.messages import ServerSettings, ServerState, ToolInfo
from bridges.mcp import reasons
from bridges.mcp.backoff import Backoff
from bridges.mcp.calls import Calls, Live
from bridges.mcp.endpoint import Endpoint
from bridges.mcp.following import Follower
from bridges.mcp.limits import ServerLimits
from bridges.mcp.stdio import Subprocess

logger = logging.getLogger(__name__)
_CLIENT = Implementation(name="agentd", version=metadata.version("agentd"))


class Server:
    """Keeps one server up. Its `state` and `tools` can be read at any time; `on_change` is called after each change."""

    def __init__(
        self,
        settings: ServerSettings,
        on_change: Callable[[], None],
        limits: ServerLimits,
    ) -> None:
        self.settings = settings
        self.state = ServerState(name=settings.name, state="starting")
        self.tools: tuple[ToolInfo, ...] = ()
        self._on_change = on_change
        self._limits = limits
        self.calls = Calls(self, limits)
        self.live: Live | None = None
        """The connection, while the server is up."""
        self._mode = "auto"
        self._up_at: float | None = None
        self._lost_by: str | None = None
        self._ups = 0
        self._settled = asyncio.Event()
        self._leave = asyncio.Event()
        self.stopping = False
        self._owner: asyncio.Task[None] | None = None

    # ── lifecycle ────────────────────────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Start the owning task; returns at once."""
        self._owner = asyncio.create_task(self._own(), name=f"mcp {self.settings.name}")

    async def retire(self) -> None:
        """End the server after its calls have finished, or after `drain_s`: it is being replaced or removed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._limits.drain_s):
                await self.calls.ended()
        await self.stop()

    async def stop(self) -> None:
        """End the server and its owning task, within about five seconds."""
        self.stopping = True
        self._leave.set()
        if self._owner is not None:
            await asyncio.wait({self._owner}, timeout=3 * self._limits.grace_s + 2)
            self._owner.cancel()
            await asyncio.gather(self._owner, return_exceptions=True)

    async def restart(self) -> None:
        """Restart the server without waiting between; returns when it is up or down."""
        self._starting()
        self._leave.set()
        await self.settled()

    async def settled(self) -> None:
        """Wait until the server is up or down, at most its start timeout."""
        try:
            async with asyncio.timeout(self.settings.start_timeout_s + 1):
                await self._settled.wait()
        except TimeoutError:
            logger.info("server %s is still starting", self.settings.name)

    async def _own(self) -> None:
        backoff = Backoff(self._limits)
        try:
            while not self.stopping:
                if self.settings.blocked:
                    await self._stay_down(self.settings.blocked)
                else:
                    await self._once(backoff)
        finally:
            self.live = None
            self._set(state="down", error="agentd has ended it")
            self._settled.set()

    async def _once(self, backoff: Backoff) -> None:
        """Run one connection from start to end, and then wait before the next attempt."""
        self._leave.clear()
        self._up_at = None
        wire = self._wire()
        try:
            await self._connect_until_left(wire)
            why = wire.why
        except Exception as error:
            why = self._explain(error, wire)
        self.live = None
        wire.give_up(why)
        if self._leave.is_set():
            backoff.reset()
            self._starting()
        elif self._up_at is None and self._try_the_other_era(wire):
            await self._pause(why, wire, 0.0)
        else:
            lasted = None if self._up_at is None else time.monotonic() - self._up_at
            await self._pause(why, wire, backoff.after(lasted))

    async def _stay_down(self, why: str) -> None:
        """Report why the server is not started, and wait until it is ended or restarted."""
        logger.error("server %s is not started: %s", self.settings.name, why)
        self._leave.clear()
        self._set(state="down", error=why)
        self._settled.set()
        await self._leave.wait()

    async def _connect_until_left(self, wire: Subprocess | Endpoint) -> None:
        async with anyio.create_task_group() as tasks:

            async def leave() -> None:
                await self._leave.wait()
                wire.give_up("it is being ended" if self.stopping else "it is being restarted")
                if self._up_at is not None:  # gives a server behind a URL time to close the session
                    await anyio.sleep(self._limits.grace_s)
                tasks.cancel_scope.cancel()

            tasks.start_soon(leave)
            await self._connect(wire)

    def _wire(self) -> Subprocess | Endpoint:
        kind = Subprocess if self.settings.command is not None else Endpoint
        return kind(self.settings, self._limits)

    def _try_the_other_era(self, wire: Subprocess | Endpoint) -> bool:
        """Speak the old protocol next: a server that knows only that may fail at the new one's first request.

        Returns True if a retry at once makes sense.
        """
        was_auto, self._mode = self._mode == "auto", "auto"
        if was_auto and isinstance(wire, Subprocess) and wire.pid is not None:
            self._mode = "legacy"
            return True
        return False

    async def _pause(self, why: str, wire: Subprocess | Endpoint, wait: float) -> None:
        name = self.settings.name
        lost, said = wire.tail.struck(why), wire.tail.text()
        more = "" if said in lost else f"; stderr: {said}"
        level = logging.DEBUG if why == self._lost_by else logging.WARNING  # a repeated reason is no news
        self._lost_by = why
        logger.log(level, "server %s is lost: %s; next attempt in %.1f s%s", name, lost, wait, more)
        if wait == 0.0:
            return self._starting()
        self._set(state="down", error=why)
        self._settled.set()
        try:
            async with asyncio.timeout(wait):
                await self._leave.wait()
        except TimeoutError:
            return None
        return None

    def _explain(self, error: Exception, wire: Subprocess | Endpoint) -> str:
        cause = reasons.first_cause(error)
        if self._up_at is None and reasons.is_timeout(cause):
            why = f"it did not answer within {self.settings.start_timeout_s:g} s of being started"
        elif reasons.is_closed(cause) and wire.why:
            why = wire.why
        else:
            why = reasons.describe(error)
        words = wire.tail.last_line()
        return f"{why}: {words}" if words else why

    # ── one connection ───────────────────────────────────────────────────────────────────────────────────────────────

    async def _connect(self, wire: Subprocess | Endpoint) -> None:
        """Connect, publish the tools, and follow until cancelled. Raises (usually in a group) if the server is lost."""
        follower = Follower(self.settings.name, self._limits, self.calls.is_idle, self._read)
        with anyio.fail_after(self.settings.start_timeout_s) as starting:
            async with Client(
                wire.streams(),
                mode=self._mode,
                cache=None,
                client_info=_CLIENT,
                read_timeout_seconds=self.settings.start_timeout_s,
                message_handler=follower.heard,
            ) as client:
                client.session.validate_tool_result = follower.check_result  # type: ignore[method-assign]
                tools = await follower.read(client)
                starting.deadline = float("inf")
                self._mode = "auto" if client.protocol_version in MODERN_PROTOCOL_VERSIONS else "legacy"
                self._up(Live(client, wire, follower, lambda why: self._lose(wire, why)), tools)
                await follower.follow(client, wire)

    def _up(self, live: Live, tools: tuple[ToolInfo, ...]) -> None:
        version = live.client.protocol_version
        logger.info("server %s is up: protocol %s, %d tools", self.settings.name, version, len(tools))
        self.live = live
        self._up_at = time.monotonic()
        self._lost_by = None
        self._ups += 1
        self.tools = tools
        self._set(
            state="up",
            error=None,
            protocol_version=version,
            instructions=self._bounded(live.client.instructions or ""),
            restarts=self._ups - 1,
        )
        self._settled.set()

    def _read(self, tools: tuple[ToolInfo, ...], instructions: str) -> None:
        instructions = self._bounded(instructions)
        if tools != self.tools or instructions != self.state.instructions:
            self.tools = tools
            self._set(instructions=instructions)

    def _bounded(self, instructions: str) -> str:
        return instructions[: self._limits.description_chars]

    def _lose(self, wire: Subprocess | Endpoint, why: str) -> None:
        """Mark the connection as dead, as found by a call: later calls wait for the next connection."""
        if self.live is not None and self.live.wire is wire:
            self.live = None
            self._starting()
        wire.give_up(why)

    # ── what others see ──────────────────────────────────────────────────────────────────────────────────────────────

    def _starting(self) -> None:
        self._settled.clear()
        self._set(state="starting", error=None)

    def _set(self, **changes: Any) -> None:
        self.state = self.state.model_copy(update=changes)
        self._on_change()
