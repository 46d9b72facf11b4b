"""Follows one connection: reads its tools again when they change, and probes a server that may be stuck."""

from __future__ import annotations

import asyncio
import logging
import time
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
from bridges.mcp.schemas import whole
from bridges.mcp.stdio import Subprocess
from bridges.mcp.validation import ResultCheck
from hardening.texts import json_size

logger = logging.getLogger(__name__)
REST = 19
"""A server whose tools change all the time is read in a twentieth of the event loop's time."""


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
        self.check_result = ResultCheck(limits.check_s)
        self._warned: set[str] = set()

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
        took_s = 0.0
        while True:
            await self._changed.wait()
            await asyncio.sleep(self._limits.settle_s + REST * took_s)
            self._changed.clear()
            began = time.thread_time()
            try:
                await self._reread(client)
            except (MCPError, ValidationError) as error:
                if reasons.is_closed(error) or reasons.session_ended(error):
                    raise
                why = reasons.describe(error)
                logger.warning("server %s: its changed tools could not be read: %s", self._name, why)
            took_s = time.thread_time() - began

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
        outputs: dict[str, Any] = {}
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(self._limits.tools):
            page = await client.list_tools(cursor=cursor)
            for tool in page.tools:
                if not tool.name.isprintable() or not tool.name:
                    self._warn(ascii(tool.name[:100]), "is left out: its name can't be shown")
                    continue
                if json_size(tool.input_schema) > self._limits.schema_bytes:
                    self._warn(tool.name, f"is left out: its schema has over {self._limits.schema_bytes} bytes")
                    continue
                if tool.execution is not None and tool.execution.task_support == "required":
                    self._warn(tool.name, "is left out: it can only be called as a task")
                    continue
                found.setdefault(tool.name, self._info(tool))
                if json_size(tool.output_schema) <= self._limits.schema_bytes:
                    outputs.setdefault(tool.name, tool.output_schema)
            cursor = page.next_cursor
            if cursor is None or cursor in seen or len(found) >= self._limits.tools:
                break
            seen.add(cursor)
        self.check_result.know(outputs)
        return tuple(self._bounded(tool) for tool in list(found.values())[: self._limits.tools])

    def _info(self, tool: Tool) -> ToolInfo:
        annotations = tool.annotations.model_dump(by_alias=True, exclude_none=True) if tool.annotations else {}
        if tool.title and "title" not in annotations:
            annotations["title"] = tool.title
        meta = plain(dict(tool.meta or {}))
        if isinstance(shown := meta.get("ui"), dict) and shown.get("visibility") == ["app"]:
            meta["agentd/for"] = "app"  # MCP Apps: only a page of the server calls it
        return ToolInfo(
            name=tool.name,
            server=self._name,
            description=tool.description or tool.title or "",
            input_schema=whole(plain(tool.input_schema), self._limits.schema_bytes),
            annotations=annotations,
            meta=meta,
        )

    def _bounded(self, tool: ToolInfo) -> ToolInfo:
        """Return the tool with its description cut to the limit."""
        long, most = len(tool.description), self._limits.description_chars
        if long <= most:
            return tool
        self._warn(tool.name, f"has a description of {long} characters; {most} are kept")
        return tool.model_copy(update={"description": tool.description[:most]})

    def _warn(self, tool: str, says: str) -> None:
        """Log a fault of a tool once, however often the tools are read."""
        if tool not in self._warned and len(self._warned) < self._limits.tools:
            self._warned.add(tool)
            logger.warning("server %s: its tool %s %s", self._name, tool, says)


async def _until_lost(wire: Subprocess | Endpoint) -> None:
    await wire.lost.wait()
    raise ServerGone(wire.why)
