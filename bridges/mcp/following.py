"""Follows one connection: reads its tools again when they change, and probes a server that may be stuck."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import anyio
from mcp import Client, MCPError
from mcp_types import DiscoverResult, Tool, ToolListChangedNotification
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from agentd.messages import ToolInfo
from bridges.mcp import reasons
from bridges.mcp.endpoint import Endpoint
from bridges.mcp.limits import ServerLimits
from bridges.mcp.outcome import plain
from bridges.mcp.reasons import ServerGone
from bridges.mcp.stdio import Subprocess

logger = logging.getLogger(__name__)


class Follower:
    """Watches one connection. `on_read` receives the tools and instructions whenever they have been read again."""

    def __init__(
        self,
        name: str,
        limits: ServerLimits,
        is_idle: Callable[[], bool],
        on_read: Callable[[tuple[ToolInfo, ...], str], None],
    ) -> None:
        self._name = name
        self._limits = limits
        self._is_idle = is_idle
        self._on_read = on_read
        self._changed = asyncio.Event()
        self.doubted = asyncio.Event()
        """Set when a call has timed out."""

    async def follow(self, client: Client, wire: Subprocess | Endpoint) -> None:
        """Watch until cancelled; raises when the server is lost."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_until_lost, wire)
            tasks.start_soon(self._reread_when_changed, client)
            tasks.start_soon(self._probe_when_doubted, client)
            if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                tasks.start_soon(self._listen, client)
            if isinstance(wire, Endpoint):
                tasks.start_soon(self._heartbeat, client)

    async def heard(self, message: Any) -> None:
        """Handle change notifications of the old protocol, even from servers that didn't declare them."""
        if isinstance(message, ToolListChangedNotification):
            self._changed.set()

    async def _listen(self, client: Client) -> None:
        """Listen to the new protocol's change stream, which not every server has."""
        while True:
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    async for _ in changes:
                        self._changed.set()
            except MCPError:
                return
            except (RuntimeError, TimeoutError):
                logger.info("server %s: its stream of changes ended", self._name)
            self._changed.set()
            await asyncio.sleep(self._limits.probe_s)

    async def _reread_when_changed(self, client: Client) -> None:
        while True:
            await self._changed.wait()
            await asyncio.sleep(self._limits.settle_s)
            self._changed.clear()
            try:
                await self._reread(client)
            except (MCPError, ValidationError) as error:
                if reasons.is_closed(error) or reasons.session_ended(error):
                    raise
                why = reasons.describe(error)
                logger.warning("server %s: its changed tools could not be read: %s", self._name, why)

    async def _reread(self, client: Client) -> None:
        """Read the tools, and in the new protocol the instructions too (the old one sends them only once)."""
        if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
            found = DiscoverResult.model_validate(await client.session.send_discover(client.protocol_version))
            client.session.adopt(found)
        tools = await self.read(client)
        instructions = client.instructions or ""
        self._on_read(tools, instructions)

    async def _probe_when_doubted(self, client: Client) -> None:
        """After a call has timed out and no other is in progress, list the tools: a server that can't is stuck."""
        while True:
            await self.doubted.wait()
            self.doubted.clear()
            if self._is_idle():
                await self._probe(client)

    async def _heartbeat(self, client: Client) -> None:
        """Probe regularly: no event reports that a server behind a URL ended or was replaced."""
        while True:
            await asyncio.sleep(self._limits.heartbeat_s)
            await self._probe(client)

    async def _probe(self, client: Client) -> None:
        try:
            async with asyncio.timeout(self._limits.probe_s):
                await self._reread(client)
        except TimeoutError:
            raise ServerGone("it no longer answers") from None

    async def read(self, client: Client) -> tuple[ToolInfo, ...]:
        """Return the tools that the server lists now."""
        self._changed.clear()
        found: dict[str, ToolInfo] = {}
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(self._limits.tools):
            page = await client.list_tools(cursor=cursor)
            for tool in page.tools:
                found.setdefault(tool.name, tool_info(self._name, tool))
            cursor = page.next_cursor
            if cursor is None or cursor in seen or len(found) >= self._limits.tools:
                break
            seen.add(cursor)
        return tuple(self._bounded(tool) for tool in list(found.values())[: self._limits.tools])

    def _bounded(self, tool: ToolInfo) -> ToolInfo:
        """Return the tool with its description cut to the limit."""
        long, most = len(tool.description), self._limits.description_chars
        if long <= most:
            return tool
        name = self._name
        logger.warning("server %s: the description of %s has %d characters; %d are kept", name, tool.name, long, most)
        return tool.model_copy(update={"description": tool.description[:most]})


def tool_info(server: str, tool: Tool) -> ToolInfo:
    """Convert the SDK's tool to a ToolInfo."""
    annotations = tool.annotations.model_dump(by_alias=True, exclude_none=True) if tool.annotations else {}
    if tool.title and "title" not in annotations:
        annotations["title"] = tool.title
    return ToolInfo(
        name=tool.name,
        server=server,
        description=tool.description or tool.title or "",
        input_schema=plain(tool.input_schema),
        annotations=annotations,
        meta=plain(dict(tool.meta or {})),
    )


async def _until_lost(wire: Subprocess | Endpoint) -> None:
    await wire.lost.wait()
    raise ServerGone(wire.why)
