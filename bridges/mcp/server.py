"""One MCP server and the one task that owns it: started, followed, started again when lost. Knows no other server."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, cast

import anyio
from mcp import Client, MCPError
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import (
    INVALID_REQUEST,
    CallToolResult,
    DiscoverResult,
    Implementation,
    RequestParamsMeta,
    Tool,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from agentd.messages import ServerSettings, ServerState, ToolCall, ToolInfo, ToolOutcome
from agentd.ports import ProgressSink
from bridges.mcp import reasons
from bridges.mcp.artifacts import Keeper
from bridges.mcp.asks import OnElicit, OnSample, elicitation, sampling
from bridges.mcp.backoff import Backoff
from bridges.mcp.http import Endpoint
from bridges.mcp.limits import Limits
from bridges.mcp.outcome import failure, outcome_of, plain
from bridges.mcp.reasons import ServerGone
from bridges.mcp.stdio import Subprocess
from bridges.mcp.validation import check_large_results_aside

logger = logging.getLogger(__name__)
_CLIENT = Implementation(name="agentd", version=metadata.version("agentd"))


@dataclass(frozen=True)
class Live:
    """A server that is up: how to talk to it, and how to learn that it is lost."""

    client: Client
    wire: Subprocess | Endpoint


class Server:
    """Keeps one server up. Its `state` and `tools` are always at hand; `on_change` is called after each change."""

    def __init__(
        self,
        settings: ServerSettings,
        on_change: Callable[[], None],
        limits: Limits,
        on_elicit: OnElicit | None = None,
        on_sample: OnSample | None = None,
    ) -> None:
        self.settings = settings
        self.state = ServerState(name=settings.name, state="starting")
        self.tools: tuple[ToolInfo, ...] = ()
        self._on_change = on_change
        self._limits = limits
        self._on_elicit = on_elicit
        self._on_sample = on_sample
        folder = Path(settings.artifacts_dir) if settings.artifacts_dir is not None else None
        self._keeper = Keeper(settings.name, folder, settings.command is not None, limits.artifact_bytes)
        self._live: Live | None = None
        self._mode = "auto"
        self._up_at: float | None = None
        self._ups = 0
        self._calls = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._settled = asyncio.Event()
        self._leave = asyncio.Event()
        self._stopping = False
        self._changed = asyncio.Event()
        self._doubted = asyncio.Event()
        self._owner: asyncio.Task[None] | None = None

    # ── its life ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Begin; returns at once."""
        self._owner = asyncio.create_task(self._own(), name=f"mcp {self.settings.name}")

    async def retire(self) -> None:
        """Another takes its place, or none: end it once its calls are answered, or have had their time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._limits.drain_s):
                await self._idle.wait()
        await self.stop()

    async def stop(self) -> None:
        """End it, and the server with it, in at most some five seconds."""
        self._stopping = True
        self._leave.set()
        if self._owner is not None:
            await asyncio.wait({self._owner}, timeout=3 * self._limits.grace_s + 2)
            self._owner.cancel()
            await asyncio.gather(self._owner, return_exceptions=True)

    async def restart(self) -> None:
        """End the server and start it again, without a wait; returns when it is up or down."""
        self._starting()
        self._leave.set()
        await self.settled()

    async def settled(self) -> None:
        """Wait, at most as long as it may take to start, until it is either up or down."""
        try:
            async with asyncio.timeout(self.settings.start_timeout_s + 1):
                await self._settled.wait()
        except TimeoutError:
            logger.info("server %s is still starting", self.settings.name)

    async def _own(self) -> None:
        backoff = Backoff(self._limits)
        try:
            while not self._stopping:
                if self.settings.blocked:
                    await self._stay_down(self.settings.blocked)
                else:
                    await self._once(backoff)
        finally:
            self._live = None
            self._set(state="down", error="agentd has ended it")
            self._settled.set()

    async def _once(self, backoff: Backoff) -> None:
        """One connection from its start to its end, and the wait after it."""
        self._leave.clear()
        self._up_at = None
        wire = self._wire()
        try:
            await self._connect_until_left(wire)
            why = wire.why
        except Exception as error:
            why = self._explain(error, wire)
        self._live = None
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
        logger.error("server %s is not started: %s", self.settings.name, why)
        self._leave.clear()
        self._set(state="down", error=why)
        self._settled.set()
        await self._leave.wait()

    async def _connect_until_left(self, wire: Subprocess | Endpoint) -> None:
        async with anyio.create_task_group() as tasks:

            async def leave() -> None:
                await self._leave.wait()
                wire.give_up("it is being ended" if self._stopping else "it is being restarted")
                if self._up_at is not None:  # time to take leave of a server behind a URL
                    await anyio.sleep(self._limits.grace_s)
                tasks.cancel_scope.cancel()

            tasks.start_soon(leave)
            await self._connect(wire)

    def _wire(self) -> Subprocess | Endpoint:
        kind = Subprocess if self.settings.command is not None else Endpoint
        return kind(self.settings, self._limits)

    def _try_the_other_era(self, wire: Subprocess | Endpoint) -> bool:
        """A server of the old protocol may end, or say nothing, at the new one's first question: ask the old way next.

        True when that is worth doing at once.
        """
        was_auto, self._mode = self._mode == "auto", "auto"
        if was_auto and isinstance(wire, Subprocess) and wire.pid is not None:
            self._mode = "legacy"
            return True
        return False

    async def _pause(self, why: str, wire: Subprocess | Endpoint, wait: float) -> None:
        name = self.settings.name
        facts = (name, wire.tail.struck(why), wait, wire.tail.text())
        logger.warning("server %s is lost: %s; next attempt in %.1f s; stderr: %s", *facts)
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
        """Connect, publish, and follow until cancelled. Raises, mostly in a group, whatever loses the server."""
        with anyio.fail_after(self.settings.start_timeout_s) as starting:
            async with Client(
                wire.streams(),
                mode=self._mode,
                cache=None,
                client_info=_CLIENT,
                read_timeout_seconds=self.settings.start_timeout_s,
                message_handler=self._heard,
                elicitation_callback=elicitation(self.settings.name, self._on_elicit),
                sampling_callback=sampling(self.settings.name, self._on_sample),
            ) as client:
                check_large_results_aside(client.session)
                self._changed.clear()
                self._doubted.clear()
                tools = await self._list(client)
                starting.deadline = float("inf")
                self._mode = "auto" if client.protocol_version in MODERN_PROTOCOL_VERSIONS else "legacy"
                self._up(Live(client, wire), tools)
                await self._follow(client, wire)

    def _up(self, live: Live, tools: tuple[ToolInfo, ...]) -> None:
        version = live.client.protocol_version
        logger.info("server %s is up: protocol %s, %d tools", self.settings.name, version, len(tools))
        self._live = live
        self._up_at = time.monotonic()
        self._ups += 1
        self.tools = tools
        self._set(
            state="up",
            error=None,
            protocol_version=version,
            instructions=(live.client.instructions or "")[: self._limits.description_chars],
            restarts=self._ups - 1,
        )
        self._settled.set()

    async def _follow(self, client: Client, wire: Subprocess | Endpoint) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_until_lost, wire)
            tasks.start_soon(self._reread_when_changed, client)
            tasks.start_soon(self._probe_when_doubted, client)
            if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
                tasks.start_soon(self._listen, client)
            if isinstance(wire, Endpoint):
                tasks.start_soon(self._heartbeat, client)

    async def _heard(self, message: Any) -> None:
        """Old protocol: changes are pushed, also by servers that never declared it."""
        if isinstance(message, ToolListChangedNotification):
            self._changed.set()

    async def _listen(self, client: Client) -> None:
        """New protocol: changes come on a stream that we ask for; not every server has one."""
        while True:
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    async for _ in changes:
                        self._changed.set()
            except MCPError:
                return
            except (RuntimeError, TimeoutError):
                logger.info("server %s: its stream of changes ended", self.settings.name)
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
                if reasons.is_closed(error) or _session_ended(error):
                    raise
                why = reasons.describe(error)
                logger.warning("server %s: its changed tools could not be read: %s", self.settings.name, why)

    async def _reread(self, client: Client) -> None:
        """Read instructions (new protocol only: the old one tells them once) and tools; publish what changed."""
        if client.protocol_version in MODERN_PROTOCOL_VERSIONS:
            found = DiscoverResult.model_validate(await client.session.send_discover(client.protocol_version))
            client.session.adopt(found)
        tools = await self._list(client)
        instructions = client.instructions or ""
        if tools != self.tools or instructions != self.state.instructions:
            self.tools = tools
            self._set(instructions=instructions)

    async def _probe_when_doubted(self, client: Client) -> None:
        """A call ran out of time. If nothing else is under way, a server that doesn't even list its tools is stuck."""
        while True:
            await self._doubted.wait()
            self._doubted.clear()
            if self._calls == 0:
                await self._probe(client)

    async def _heartbeat(self, client: Client) -> None:
        """Nothing tells us when a server behind a URL ends or is replaced by another: look."""
        while True:
            await asyncio.sleep(self._limits.heartbeat_s)
            await self._probe(client)

    async def _probe(self, client: Client) -> None:
        try:
            async with asyncio.timeout(self._limits.probe_s):
                await self._reread(client)
        except TimeoutError:
            raise ServerGone("it no longer answers") from None

    async def _list(self, client: Client) -> tuple[ToolInfo, ...]:
        found: dict[str, ToolInfo] = {}
        cursor: str | None = None
        seen: set[str] = set()
        for _ in range(self._limits.tools):
            page = await client.list_tools(cursor=cursor)
            for tool in page.tools:
                found.setdefault(tool.name, tool_info(self.settings.name, tool))
            cursor = page.next_cursor
            if cursor is None or cursor in seen or len(found) >= self._limits.tools:
                break
            seen.add(cursor)
        return tuple(self._bounded(tool) for tool in list(found.values())[: self._limits.tools])

    def _bounded(self, tool: ToolInfo) -> ToolInfo:
        """The tool with as much of its description as anybody would read."""
        long, most = len(tool.description), self._limits.description_chars
        if long <= most:
            return tool
        name = self.settings.name
        logger.warning("server %s: the description of %s has %d characters; %d are kept", name, tool.name, long, most)
        return tool.model_copy(update={"description": tool.description[:most]})

    # ── calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def call(self, call: ToolCall, on_progress: ProgressSink | None) -> ToolOutcome | None:
        """Make one call; see ToolHost.call. A call that a restarted server can't have seen is made once more.

        None when it was cut off by `stop`: the server that takes this one's place makes it again, under its key.
        """
        began = time.perf_counter()
        outcome: ToolOutcome | None = None
        for last in (False, True):
            outcome = await self._call_once(call, on_progress, last)
            if outcome is not None or self._stopping:
                break
        if outcome is None:
            return None
        return outcome.model_copy(update={"duration_ms": round((time.perf_counter() - began) * 1000, 3)})

    async def _call_once(self, call: ToolCall, on_progress: ProgressSink | None, last: bool) -> ToolOutcome | None:
        name, tool = self.settings.name, call.tool.remote_name or call.tool.name
        await self.settled()
        live = self._live
        if live is None and self._stopping:
            return None
        if live is None:
            return failure(f"The server `{name}` of the tool `{tool}` is {self.state.state}: {self._error()}.")
        if not self._offers(call.tool, tool):
            return failure(f"The server `{name}` has no tool `{tool}`.", error_type="unknown_tool")
        timeout = call.tool.timeout_s or self.settings.call_timeout_s
        live.wire.tail.confide(call.input)
        self._calls += 1
        self._idle.clear()
        try:
            async with asyncio.timeout(timeout):
                result = await live.client.call_tool(
                    tool,
                    call.input,
                    read_timeout_seconds=timeout + self._limits.probe_s,
                    progress_callback=None if on_progress is None else _progress(on_progress),
                    meta=meta_of(call),
                )
        except Exception as error:
            return await self._failed(tool, live, error, timeout, last)
        finally:
            self._calls -= 1
            if not self._calls:
                self._idle.set()
        outcome = await self._succeeded(call, result)
        live.wire.tail.confide([outcome.output, outcome.message])
        return outcome

    async def _succeeded(self, call: ToolCall, result: CallToolResult) -> ToolOutcome:
        if all(block.type == "text" for block in result.content):
            return outcome_of(result, (), 0.0)
        artifacts = await asyncio.to_thread(self._keeper.collect, result.content, call.run_id)
        return outcome_of(result, artifacts, 0.0)

    async def _failed(
        self, tool: str, live: Live, error: Exception, timeout_s: float, last: bool
    ) -> ToolOutcome | None:
        name, cause = self.settings.name, reasons.first_cause(error)
        if reasons.is_timeout(cause):
            self._doubted.set()
            return failure(f"The tool `{tool}` of the server `{name}` gave no answer within {timeout_s:g} s.")
        if _session_ended(cause):
            self._lose(live, "its session ended")
            if not last:
                return None
        if reasons.is_closed(cause) and self._stopping:
            return None
        if reasons.is_closed(cause):
            try:
                async with asyncio.timeout(2 * self._limits.grace_s):
                    await live.wire.lost.wait()
            except TimeoutError:
                self._lose(live, "it closed the connection")
            return failure(f"The server `{name}` was lost during the call of `{tool}`: {live.wire.why}.")
        if isinstance(cause, MCPError):
            text = reasons.one_line(cause.error.message)
            return failure(f"The server `{name}` refused the call of `{tool}`: {text or cause.code}")
        logger.warning("server %s: a result of %s could not be used (%s)", name, tool, type(cause).__name__)
        return failure(f"The server `{name}` gave a result of `{tool}` that can't be used: {reasons.describe(cause)}")

    def _lose(self, live: Live, why: str) -> None:
        """A call found out that the connection is dead: later calls wait for the next one from this moment on."""
        if self._live is live:
            self._live = None
            self._starting()
        live.wire.give_up(why)

    def _offers(self, wanted: ToolInfo, name: str) -> bool:
        """Whether it has this tool. One that proves who somebody is answers only a caller who knew that of it: the
        others named it before its server was up, and what they send would be kept."""
        return any(known.name == name and (wanted.identity or not known.identity) for known in self.tools)

    # ── what others see ──────────────────────────────────────────────────────────────────────────────────────────────

    def _error(self) -> str:
        return self.state.error or f"not up within {self.settings.start_timeout_s:g} s"

    def _starting(self) -> None:
        self._settled.clear()
        self._set(state="starting", error=None)

    def _set(self, **changes: Any) -> None:
        self.state = self.state.model_copy(update=changes)
        self._on_change()


def tool_info(server: str, tool: Tool) -> ToolInfo:
    """A tool as its server lists it."""
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


def meta_of(call: ToolCall) -> RequestParamsMeta:
    """What travels beside the arguments: never shown to a model."""
    meta: dict[str, Any] = {
        **call.trace,
        "agentd/idempotency_key": call.key,
        "agentd/session_id": call.session_id,
        "agentd/language": call.language,
    }
    if call.caller is not None:
        meta |= {"agentd/caller": call.caller.id, "agentd/caller_scopes": sorted(call.caller.scopes)}
    if call.basis is not None:
        meta["agentd/basis"] = call.basis.model_dump(mode="json", exclude={"disputed"})
    if call.consent is not None:
        meta["agentd/approved_by"] = call.consent.by
        meta["agentd/approvals"] = [agreement.model_dump() for agreement in call.consent.approvals]
        if call.consent.proposed is not None:
            meta["agentd/proposed"] = call.consent.proposed
    return cast(RequestParamsMeta, meta)


def _progress(sink: ProgressSink) -> ProgressFnT:
    async def forward(progress: float, total: float | None, message: str | None) -> None:
        sink(progress, total, message)

    return forward


def _session_ended(error: BaseException) -> bool:
    """True for HTTP 404 on a known session: the server was restarted, and has not seen the request."""
    return isinstance(error, MCPError) and error.code == INVALID_REQUEST and error.error.message == "Session terminated"


async def _until_lost(wire: Subprocess | Endpoint) -> None:
    await wire.lost.wait()
    raise ServerGone(wire.why)
