"""Runs tool calls through policies in order, and defines the daemon's own policies. Apps bring theirs; approval.py
holds the one on consent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agentd.agent.toolset import SESSION_ARGUMENT
from agentd.messages import Catalogue, ToolCall, ToolInfo, ToolOutcome
from agentd.ports import CallPolicy, OwnTool, ProgressSink, ToolHost


@dataclass(eq=False)
class PolicedTools:
    """A tool host behind policies: runs each `before` in order, then the call, then each `after` in reverse order.

    `timed` is called with (server, seconds) after each call that was made.
    """

    host: ToolHost
    policies: Sequence[CallPolicy]
    own: Iterable[OwnTool] = ()
    timed: Callable[[str, float], None] = lambda *_: None

    def __post_init__(self) -> None:
        self._own = {(tool.info.server, tool.info.name): tool for tool in self.own}

    def catalogue(self) -> Catalogue:
        """The host's tools and the daemon's own."""
        catalogue = self.host.catalogue()
        states = {state.name: state for state in catalogue.servers}
        own = [(tool.info, state) for tool in self._own.values() if (state := tool.state(states)) is not None]
        if not own:
            return catalogue
        servers = {**states, **{state.name: state for _, state in own}}
        tools = (*catalogue.tools, *(info for info, _ in own))
        return catalogue.model_copy(update={"tools": tools, "servers": tuple(servers.values())})

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        passed: list[tuple[CallPolicy, ToolCall]] = []
        for policy in self.policies:
            answer = await policy.before(call)
            if isinstance(answer, ToolOutcome):
                outcome = answer
                break
            call = answer
            passed.append((policy, call))
        else:
            outcome = await self._made(call, on_progress)
        for policy, let_pass in reversed(passed):
            outcome = await policy.after(let_pass, outcome)
        return outcome

    async def _made(self, call: ToolCall, on_progress: ProgressSink | None) -> ToolOutcome:
        host = self._own.get((call.tool.server, call.tool.bare_name), self.host)
        started = time.perf_counter()
        try:
            return await host.call(call, on_progress)
        finally:
            self.timed(call.tool.server, time.perf_counter() - started)


OPEN = ("additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref")
"""A schema with one of these at its top (other than as false) may accept more than its `properties`."""

MOST_NAMED = 8
"""How many unknown arguments one message names."""


class KnownArguments(CallPolicy):
    """Refuses unknown arguments before other policies read them: a server that ignored `location` would answer for
    another place."""

    async def before(self, call: ToolCall) -> ToolCall | ToolOutcome:
        wrong = unknown_arguments(call.tool, call.input)
        return ToolOutcome(success=False, message=wrong, error_type="tool_execution") if wrong else call


class HostedArguments(CallPolicy):
    """Adds the session's id to calls of tools whose schema has that argument."""

    async def before(self, call: ToolCall) -> ToolCall | ToolOutcome:
        if call.tool.meta.get("agentd/takes_session"):
            return call.model_copy(update={"input": {**call.input, SESSION_ARGUMENT: call.session_id}})
        return call


def unknown_arguments(tool: ToolInfo, given: Iterable[str]) -> str:
    """The error text for arguments that the tool's schema lacks; empty if none, or if the schema is open or empty."""
    schema = tool.whole_schema or tool.input_schema
    known = schema.get("properties")
    if not isinstance(known, dict) or not known or any(schema.get(key, False) is not False for key in OPEN):
        return ""
    strange = [f"`{name[:100]}`" for name in given if name not in known and name != SESSION_ARGUMENT]
    unknown = ", ".join(strange[:MOST_NAMED]) + (" …" if len(strange) > MOST_NAMED else "")
    there = ", ".join(tool.input_schema.get("properties", ()))
    return f"`{tool.name}` has no argument {unknown}; it has: {there}" if unknown else ""


REASON = "official calls need an app that judges them, and none is installed: pip install 'agentd[letters]'"


class NoOfficialCalls(CallPolicy):
    """Refuses every official call, so that a partial installation never issues anything unchecked."""

    async def before(self, call: ToolCall) -> ToolCall | ToolOutcome:
        return ToolOutcome(success=False, message=REASON, error_type="tool_execution") if call.tool.official else call
