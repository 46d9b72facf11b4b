"""`agentd acp`: serves the agent to editors and terminals with the Agent Client Protocol, over stdio.

Sessions are the daemon's. Tool calls are shown, an approval asks the person at the client, and an answer is sent only
once it is checked, because this protocol can't retract text.
The client's files, terminals and MCP servers are not used: only client.toml decides what the agent may do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import stat
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, cast
from uuid import uuid4

from agentd.cli import options
from agentd.errors import CommandError
from clients.connected import with_client

STOP_REASONS = {"completed": "end_turn", "needs_approval": "end_turn", "cancelled": "cancelled", "failed": "refusal"}
YES, NO = "approve", "decline"
MAX_LINE = 1024 * 1024
"""Maximum bytes of a message; longer ones are skipped."""
PAUSE_S = 0.2
"""Seconds before a stream is requested again that ended before its run."""


def register(commands: Any) -> None:
    options.command(commands, "acp", "speak the Agent Client Protocol over stdio", run, listen=True)


def run(given: argparse.Namespace) -> int:
    """Serve one client until it closes the connection."""
    kind = os.fstat(0).st_mode
    if not (stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)):
        raise CommandError("an editor starts this command and writes to its pipe: add it to the editor's settings")
    return with_client(options.settings(given), _serve)


async def _serve(client: Any) -> int:
    from acp import Agent, run_agent
    from acp.stdio import stdio_streams

    lines, out = await stdio_streams(MAX_LINE)
    messages = asyncio.StreamReader()
    reading = asyncio.create_task(_copy_messages(lines, messages), name="acp: read messages")
    try:
        await run_agent(cast(Agent, AcpAgent(client)), out, messages)
    finally:
        reading.cancel()
    return 0


async def _copy_messages(lines: asyncio.StreamReader, messages: asyncio.StreamReader) -> None:
    """Copy valid messages and skip other lines, which would end the library's loop."""
    while True:
        try:
            line = await lines.readline()
        except ValueError:  # longer than MAX_LINE; the rest is no message either
            continue
        if not line:
            return messages.feed_eof()
        if _is_message(line):
            messages.feed_data(line)


def _is_message(line: bytes) -> bool:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and isinstance(message.get("error") or {}, dict)


@dataclass
class _Turn:
    run_id: str
    cancelled: bool = False


class AcpAgent:
    """The agent's side of the protocol, over a client of agentd."""

    def __init__(self, daemon: Any) -> None:
        self._daemon = daemon
        self._client: Any = None
        self._turns: dict[str, _Turn] = {}
        """{session id: its running turn}."""

    def on_connect(self, conn: Any) -> None:
        """Keep the connection to the client."""
        self._client = conn

    async def initialize(self, **_: Any) -> Any:
        """The protocol's version and the agent's capabilities."""
        from acp import PROTOCOL_VERSION, schema

        return schema.InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_capabilities=schema.AgentCapabilities(load_session=True),
            agent_info=schema.Implementation(name="agentd", title="agentd", version=version("agentd")),
        )

    async def new_session(self, **_: Any) -> Any:
        """Create a session; the client's folder is not used."""
        from acp import NewSessionResponse

        return NewSessionResponse(session_id=(await self._call("Session.create", {}))["session_id"])

    async def load_session(self, session_id: str, **_: Any) -> Any:
        """Continue a session; sends its earlier turns first."""
        from acp import LoadSessionResponse, update_agent_message_text, update_user_message_text

        for turn in (await self._call("Session.get", {"session_id": session_id}))["history"]:
            await self._client.session_update(session_id, update_user_message_text(turn["prompt"]))
            await self._client.session_update(session_id, update_agent_message_text(turn["response"]))
        return LoadSessionResponse()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> Any:
        """Run one turn. Embedded file text is refused, because the person did not say it."""
        from acp import PromptResponse, RequestError

        from agentd.cli.client import Refused

        text = "\n".join(block.text for block in prompt if block.type == "text" and block.text)
        if not text or any(block.type not in ("text", "resource_link") for block in prompt):
            raise RequestError.invalid_params({"prompt": "this agent reads text blocks only"})
        if session_id in self._turns:
            raise RequestError.invalid_request(
                {"session_id": "a turn of this session is still running; cancel it first"}
            )
        turn = self._turns[session_id] = _Turn(uuid4().hex)
        try:
            asked = {"prompt": text, "session_id": session_id, "run_id": turn.run_id}
            turn.run_id = (await self._call("Agent.start", asked))["run_id"]
            if turn.cancelled:
                await self._stop(turn)
            status = await self._follow(session_id, turn.run_id)
        except Refused as error:
            raise _request_error(error) from None
        finally:
            del self._turns[session_id]
        return PromptResponse(stop_reason=cast(Any, STOP_REASONS[status]))

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Cancel the running turn; if its run is still being started, it is cancelled afterwards."""
        if turn := self._turns.get(session_id):
            turn.cancelled = True
            await self._stop(turn)

    async def _stop(self, turn: _Turn) -> None:
        await self._call_ignoring("Agent.cancel", {"run_id": turn.run_id}, ignored=("conflict", "not_found"))

    async def _follow(self, session_id: str, run_id: str) -> str:
        """Send the run's events to the client until it ends. Returns its status."""
        from acp import update_agent_message_text

        after = 0
        while True:
            waits: dict[str, Any] | None = None
            before = after
            async for event in self._daemon.events(run_id, after):
                kind, data, after = event["type"], event["data"], max(after, event["seq"])
                if (update := _update(run_id, kind, data)) is not None:
                    await self._client.session_update(session_id, update)
                if kind == "approval.requested":
                    waits = data
                elif kind == "run.finished":
                    return await self._ended(session_id, run_id, data)
            if waits is not None and (notice := waits.get("notice")):  # the person agreed; an officer decides next
                await self._client.session_update(session_id, update_agent_message_text(notice))
                return "needs_approval"
            if waits is not None:
                await self._decide(session_id, run_id, waits)
            elif after == before:
                await asyncio.sleep(PAUSE_S)

    async def _ended(self, session_id: str, run_id: str, data: dict[str, Any]) -> str:
        """Send the answer. Returns the run's status; raises the run's own error."""
        from acp import update_agent_message_text

        if data.get("response"):
            await self._client.session_update(session_id, update_agent_message_text(data["response"]))
        if data["status"] == "failed":
            await self._raise_error_of(run_id)
        return str(data["status"])

    async def _decide(self, session_id: str, run_id: str, approval: dict[str, Any]) -> None:
        """Ask the person at the client to approve; anything but a yes declines."""
        from acp import RequestError, schema, update_agent_message_text
        from pydantic import ValidationError

        await self._client.session_update(session_id, update_agent_message_text(approval["summary"]))
        call = schema.ToolCallUpdate(
            tool_call_id=f"{run_id}:{approval['approval_id']}",
            title=approval["tool"],
            status="pending",
            raw_input=approval["arguments"],
        )
        options = [
            schema.PermissionOption(option_id=YES, name="Benar, lanjutkan", kind="allow_once"),
            schema.PermissionOption(option_id=NO, name="Batal", kind="reject_once"),
        ]
        try:
            asking = self._client.request_permission(session_id=session_id, tool_call=call, options=options)
            approved = getattr((await asking).outcome, "option_id", None) == YES
        except (RequestError, ValidationError):
            approved = False
        decision = {"run_id": run_id, "approval_id": approval["approval_id"], "approved": approved}
        await self._call_ignoring("Agent.approve", decision, ignored=("conflict",))  # cancelled or expired meanwhile

    async def _raise_error_of(self, run_id: str) -> None:
        from acp import RequestError

        error = (await self._call("Agent.get", {"run_id": run_id}))["error"]
        raise RequestError(error["code"], error["data"]["user_message"], error["data"])

    async def _call_ignoring(self, method: str, params: dict[str, Any], ignored: tuple[str, ...]) -> None:
        """Make a call that may come too early or too late: errors of these types are ignored."""
        from acp import RequestError

        try:
            await self._call(method, params)
        except RequestError as error:
            if not isinstance(error.data, dict) or error.data.get("type") not in ignored:
                raise

    async def _call(self, method: str, params: dict[str, Any]) -> Any:
        """Make a call. Raises a refusal as the protocol's error."""
        from agentd.cli.client import Refused

        try:
            return await self._daemon.call(method, params)
        except Refused as error:
            raise _request_error(error) from None


def _request_error(error: Any) -> Exception:
    """The daemon's refusal as the protocol's error."""
    from acp import RequestError

    return RequestError(error.error["code"], error.said, error.error.get("data"))


def _update(run_id: str, kind: str, data: dict[str, Any]) -> Any:
    """The update to send for an event; None for most events."""
    from acp import start_tool_call, update_tool_call

    call_id = f"{run_id}:{data.get('step')}"
    if kind == "tool.started":
        return start_tool_call(call_id, data["tool"], kind="other", status="in_progress")
    if kind == "tool.finished":
        status: Any = "completed" if data["success"] else "failed"
        given = {"raw_input": data["input"], "raw_output": data["output"]}
        return update_tool_call(call_id, title=data["tool"], status=status, **given)  # a declined call has not started
    return None
