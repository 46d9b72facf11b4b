"""Calls the tools of one server: applies time limits and explains failures. It starts and restarts nothing."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mcp import Client, MCPError
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import CallToolResult, RequestParamsMeta

from agentd.messages import ToolCall, ToolOutcome
from agentd.ports import ProgressSink
from bridges.mcp import reasons
from bridges.mcp.artifacts import Keeper
from bridges.mcp.endpoint import Endpoint
from bridges.mcp.following import Follower
from bridges.mcp.limits import ServerLimits
from bridges.mcp.outcome import failure, outcome_of
from bridges.mcp.stdio import Subprocess

if TYPE_CHECKING:
    from bridges.mcp.server import Server

logger = logging.getLogger(__name__)
RULES = ("agentd/official", "agentd/scope")
"""The daemon's checks of a call depend on these; a tool chosen before its server declared them was not checked."""


@dataclass(frozen=True)
class Live:
    """A server that is up: its client, and what to do when a call finds the connection lost."""

    client: Client
    wire: Subprocess | Endpoint
    follower: Follower
    lose: Callable[[str], None]
    """Marks the connection as lost for the given reason; later calls wait for the next one."""


class Calls:
    """The calls in progress at one server, across reconnections."""

    def __init__(self, server: Server, limits: ServerLimits) -> None:
        self._server = server
        self._settings = settings = server.settings
        self._limits = limits
        folder = Path(settings.artifacts_dir) if settings.artifacts_dir is not None else None
        self._keeper = Keeper(settings.name, folder, settings.command is not None, limits.artifact_bytes)
        self._calls = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def is_idle(self) -> bool:
        """Return True if no call is in progress."""
        return self._idle.is_set()

    async def ended(self) -> None:
        """Wait until no call is in progress."""
        await self._idle.wait()

    async def call(self, call: ToolCall, on_progress: ProgressSink | None) -> ToolOutcome | None:
        """Make one call; see ToolHost.call. If a restarted server can't have seen the call, it is made once more.

        Returns None if the server was ended meanwhile: its replacement repeats the call, under the same key.
        """
        began = time.perf_counter()
        outcome: ToolOutcome | None = None
        for last in (False, True):
            outcome = await self._once(call, on_progress, last)
            if outcome is not None or self._server.stopping:
                break
        if outcome is None:
            return None
        return outcome.model_copy(update={"duration_ms": round((time.perf_counter() - began) * 1000, 3)})

    async def _once(self, call: ToolCall, on_progress: ProgressSink | None, last: bool) -> ToolOutcome | None:
        server, name, tool = self._server, self._settings.name, call.tool.bare_name
        await server.settled()
        if (live := server.live) is None:
            why = server.state.error or f"not up within {self._settings.start_timeout_s:g} s"
            down = failure(f"The server `{name}` of the tool `{tool}` is {server.state.state}: {why}.")
            return None if server.stopping else down
        offered = next((known for known in self._server.tools if known.name == tool), None)
        if offered is None or (offered.identity and not call.tool.identity):
            return failure(f"The server `{name}` has no tool `{tool}`.", error_type="unknown_tool")
        if any(offered.meta.get(rule) and rule not in call.tool.meta for rule in RULES) and not offered.identity:
            return failure(f"The server `{name}` was not up when its tool `{tool}` was chosen; ask again.")
        return await self._made(live, call, on_progress, last)

    async def _made(
        self, live: Live, call: ToolCall, on_progress: ProgressSink | None, last: bool
    ) -> ToolOutcome | None:
        """Make one call; None if it may be repeated: the server has not seen it (unless `last`), or is being ended."""
        tool = call.tool.bare_name
        timeout = call.tool.timeout_s or self._settings.call_timeout_s
        live.wire.tail.confide(call.input)
        self._calls += 1
        self._idle.clear()
        try:
            async with asyncio.timeout(timeout):
                result = await live.client.call_tool(
                    tool,
                    given(call.tool.whole_schema or call.tool.input_schema, call.input),
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
            return outcome_of(result, ())
        artifacts = await asyncio.to_thread(self._keeper.collect, result.content, call.run_id)
        return outcome_of(result, artifacts)

    async def _failed(
        self, tool: str, live: Live, error: Exception, timeout_s: float, last: bool
    ) -> ToolOutcome | None:
        name, cause = self._settings.name, reasons.first_cause(error)
        if reasons.is_timeout(cause):
            live.follower.doubted.set()
            return failure(f"The tool `{tool}` of the server `{name}` gave no answer within {timeout_s:g} s.")
        if reasons.session_ended(cause):
            live.lose("its session ended")
            if not last:
                return None
        if reasons.is_closed(cause) and self._server.stopping:
            return None
        if reasons.is_closed(cause):
            try:
                async with asyncio.timeout(2 * self._limits.grace_s):
                    await live.wire.lost.wait()
            except TimeoutError:
                live.lose("it closed the connection")
            return failure(f"The server `{name}` was lost during the call of `{tool}`: {live.wire.why}.")
        if isinstance(cause, MCPError):
            text = reasons.one_line(cause.error.message)
            return failure(f"The server `{name}` refused the call of `{tool}`: {text or cause.code}")
        logger.warning("server %s: a result of %s could not be used (%s)", name, tool, type(cause).__name__)
        return failure(f"The server `{name}` gave a result of `{tool}` that can't be used: {reasons.describe(cause)}")


def given(schema: Any, value: Any) -> Any:
    """Return arguments without each null that an optional one can't be: models write it for what nobody gave."""
    rules = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(value, dict) or not isinstance(rules, dict):
        return value
    needed = schema.get("required", ())
    kinds = {name: rule.get("type") for name, rule in rules.items() if isinstance(rule, dict) and name not in needed}
    kept = (name for name, inner in value.items() if inner is not None or "null" in (kinds.get(name) or "null"))
    return {name: given(rules.get(name), value[name]) for name in kept}


def meta_of(call: ToolCall) -> RequestParamsMeta:
    """Return the metadata sent with the arguments; models never see it."""
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
    """Forward progress; of a message only the first line, and no more of it than of an error."""

    async def forward(progress: float, total: float | None, message: str | None) -> None:
        sink(progress, total, message and reasons.one_line(message))

    return forward
