"""The daemon's own policies around a tool host: a call has the arguments of its tool's schema, and the session's id
where it takes one; where no app judges official calls, none is made."""

from __future__ import annotations

from collections.abc import Iterable

from agentd.agent.toolset import SESSION_ARGUMENT
from agentd.messages import ToolCall, ToolInfo, ToolOutcome
from agentd.ports import ProgressSink, ToolHostWrapper

OPEN = ("additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref")
"""Where a schema has one of these at its top, its `properties` may not be all that it takes."""


class HostedArguments(ToolHostWrapper):
    """Adds the session's id to each call of a tool whose schema has such an argument; refuses arguments there are none
    of: a server that passed over `location` would answer for another place."""

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """The call, with what the host knows; or a failed outcome that names the arguments there are."""
        if wrong := unknown_arguments(call.tool, call.input):
            return ToolOutcome(success=False, message=wrong, error_type="tool_execution")
        if call.tool.meta.get("agentd/takes_session"):
            call = call.model_copy(update={"input": {**call.input, SESSION_ARGUMENT: call.session_id}})
        return await self._inner.call(call, on_progress)


def unknown_arguments(tool: ToolInfo, given: Iterable[str]) -> str:
    """Names the arguments that the tool's schema doesn't have; empty where the schema names none or is open."""
    schema = tool.whole_schema or tool.input_schema
    known = schema.get("properties")
    if not isinstance(known, dict) or not known or any(key in schema for key in OPEN):
        return ""
    unknown = ", ".join(f"`{name[:100]}`" for name in given if name not in known and name != SESSION_ARGUMENT)
    there = ", ".join(tool.input_schema.get("properties", ()))
    return f"`{tool.name}` has no argument {unknown}; it has: {there}" if unknown else ""


REASON = "official calls need an app that judges them, and none is installed: pip install 'agentd[letters]'"


class NoOfficialCalls(ToolHostWrapper):
    """Refuses every official call: a stale or partial installation must not issue what nobody checks."""

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """Delegate, or refuse."""
        if call.tool.official:
            return ToolOutcome(success=False, message=REASON, error_type="tool_execution")
        return await self._inner.call(call, on_progress)
