"""The tool host that agentd uses: all configured MCP servers side by side. Each server's lifecycle is in server.py."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from agentd.messages import Catalogue, ServerSettings, ToolCall, ToolOutcome
from agentd.ports import ProgressSink
from bridges.mcp.discreet import quiet_the_sdk
from bridges.mcp.limits import ServerLimits
from bridges.mcp.outcome import failure
from bridges.mcp.server import Server


class McpToolHost:
    """A ToolHost over MCP servers, started by command (stdio) or reached by URL (Streamable HTTP).

    An async context manager: entering starts all servers and returns at once; leaving ends them and all their
    processes. Tools keep their servers' names for them; two servers may offer the same name.
    """

    def __init__(
        self,
        settings: Sequence[ServerSettings] = (),
        *,
        limits: ServerLimits | None = None,
    ) -> None:
        self._settings = tuple(settings)
        self._limits = limits or ServerLimits()
        self._servers: dict[str, Server] = {}
        self._catalogue = Catalogue()
        self._news = asyncio.Event()
        self._reconfiguring = asyncio.Lock()

    async def __aenter__(self) -> Self:
        quiet_the_sdk()
        await self.reconfigure(self._settings)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.gather(*(server.stop() for server in self._servers.values()))

    async def ready(self) -> Catalogue:
        """Wait until each server is up or has failed, at most its `start_timeout_s`; return the catalogue."""
        await asyncio.gather(*(server.settled() for server in self._servers.values()))
        return self._catalogue

    def catalogue(self) -> Catalogue:
        """Return what the servers last reported. A lost server keeps its tools; a call to one explains the loss."""
        return self._catalogue

    async def changed(self, since_version: int) -> Catalogue:
        """Wait for a catalogue newer than this version: some server's state, instructions or tools changed."""
        while self._catalogue.version <= since_version:
            await self._news.wait()
        return self._catalogue

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """Make one call; every failure is returned as an outcome. Cancelling also cancels the call at the server.

        A call to a starting server waits for it, at most its `start_timeout_s`. If a reload replaces the server during
        the call, the call is repeated at the new one, under the same key.
        """
        name, before = call.tool.server, None
        while (server := self._servers.get(name)) is not None and server is not before:
            if (outcome := await server.calls.call(call, on_progress)) is not None:
                return outcome
            before = server  # ended meanwhile: if the server was replaced, repeat the call there under the same key
        if before is not None:
            return failure(f"The server `{name}` of the tool `{call.tool.name}` is down: agentd has ended it.")
        return failure(f"No server `{name}` is configured.", error_type="unknown_tool")

    async def reconfigure(self, settings: Sequence[ServerSettings]) -> None:
        """Switch to new settings: only servers that were added, removed or changed are started or ended.

        A changed server's tools stay in the catalogue meanwhile, and calls to it wait for the new process.
        """
        async with self._reconfiguring:
            before = self._servers
            kept = {name: server for name, server in before.items() if server.settings in settings}
            made = {item.name: Server(item, self._publish, self._limits) for item in settings if item.name not in kept}
            for name in made.keys() & before.keys():
                made[name].tools = before[name].tools
            self._servers = {item.name: kept.get(item.name) or made[item.name] for item in settings}
            self._publish()
            await asyncio.gather(*(server.retire() for name, server in before.items() if name not in kept))
            for server in made.values():
                server.start()

    async def restart(self, name: str) -> None:
        """Restart the server; returns when it is up or down. Raises KeyError for an unknown name."""
        await self._servers[name].restart()

    def _publish(self) -> None:
        self._catalogue = Catalogue(
            tools=tuple(tool for server in self._servers.values() for tool in server.tools),
            servers=tuple(server.state for server in self._servers.values()),
            version=self._catalogue.version + 1,
        )
        news, self._news = self._news, asyncio.Event()
        news.set()
