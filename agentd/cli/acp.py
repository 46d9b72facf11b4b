"""`agentd acp`: the agent for editors and terminals that speak the Agent Client Protocol, over stdio.

Sessions are the daemon's own; text streams as it is written, tool calls are shown, an approval asks the person there.
The client's files, terminals and MCP servers are not used: what the agent may do is client.toml's business.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, cast
from uuid import uuid4

from agentd.cli import options

STOPS = {"completed": "end_turn", "needs_approval": "end_turn", "cancelled": "cancelled", "failed": "refusal"}
YES, NO = "approve", "decline"
LINE = 1024 * 1024
"""Bytes of a message; longer ones are passed over."""
PAUSE_S = 0.2
"""Before a stream that ended without an end of its run is asked for again."""


def register(commands: Any) -> None:
    """Add the command's words."""
    parser = commands.add_parser("acp", help="speak the Agent Client Protocol over stdio")
    options.add(parser, listen=True)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Serve one client until it hangs up."""
    settings = options.settings(given)
    return asyncio.run(_serve(settings))


async def _serve(settings: Any) -> int:
    from acp import Agent, run_agent
    from acp.stdio import stdio_streams

    from agentd.cli.client import opened

    async with opened(settings) as client:
        lines, out = await stdio_streams(LINE)
        messages = asyncio.StreamReader()
        reading = asyncio.create_task(_pass_on(lines, messages), name="acp: read messages")
        try:
            await run_agent(cast(Agent, AcpAgent(client)), out, messages)
        finally:
            reading.cancel()
    return 0


async def _pass_on(lines: asyncio.StreamReader, messages: asyncio.StreamReader) -> None:
    """Leaves out what is no message: anything but an object, or a response's error, ends the library's loop."""
    while True:
        try:
            line = await lines.readline()
        except ValueError:  # longer than LINE; what is left of it is no message either
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
    """The protocol's agent side, over a client of agentd."""

    def __init__(self, daemon: Any) -> None:
        self._daemon = daemon
        self._client: Any = None
        self._turns: dict[str, _Turn] = {}
        """By session."""

    def on_connect(self, conn: Any) -> None:
        """The client is there."""
        self._client = conn

    async def initialize(self, **_: Any) -> Any:
        """Which version of the protocol, and what this agent can."""
        from acp import PROTOCOL_VERSION, schema

        return schema.InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_capabilities=schema.AgentCapabilities(load_session=True),
            agent_info=schema.Implementation(name="agentd", title="agentd", version=version("agentd")),
        )

    async def new_session(self, **_: Any) -> Any:
        """A new conversation; the client's folder means nothing to this agent."""
        from acp import NewSessionResponse

        return NewSessionResponse(session_id=(await self._call("Session.create", {}))["session_id"])

    async def load_session(self, session_id: str, **_: Any) -> Any:
        """Go on with a conversation: its turns are shown again first."""
        from acp import LoadSessionResponse, update_agent_message_text, update_user_message_text

        for turn in (await self._call("Session.get", {"session_id": session_id}))["history"]:
            await self._client.session_update(session_id, update_user_message_text(turn["prompt"]))
            await self._client.session_update(session_id, update_agent_message_text(turn["response"]))
        return LoadSessionResponse()

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any) -> Any:
        """One turn, from the words to the answer. A file's text is not what the person says: it is refused."""
        from acp import PromptResponse, RequestError

        from agentd.cli.client import Refused

        text = "\n".join(block.text for block in prompt if block.type == "text" and block.text)
        if not text or any(block.type not in ("text", "resource_link") for block in prompt):
            raise RequestError.invalid_params({"prompt": "this agent reads blocks of text alone"})
        if session_id in self._turns:
            raise RequestError.invalid_request({"session_id": "a turn of it is under way; cancel it first"})
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
        return PromptResponse(stop_reason=cast(Any, STOPS[status]))

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Stop the turn under way; one whose run is just being started stops itself then."""
        if turn := self._turns.get(session_id):
            turn.cancelled = True
            await self._stop(turn)

    async def _stop(self, turn: _Turn) -> None:
        await self._tried("Agent.cancel", {"run_id": turn.run_id}, but=("conflict", "not_found"))

    async def _follow(self, session_id: str, run_id: str) -> str:
        """Tell the client what happens until the run ends; its status."""
        from acp import update_agent_message_text

        after, streamed = 0, False
        while True:
            waits: dict[str, Any] | None = None
            before = after
            async for event in self._daemon.events(run_id, after):
                kind, data, after = event["type"], event["data"], max(after, event["seq"])
                if (update := _update(run_id, kind, data)) is not None:
                    await self._say(session_id, update)
                streamed = streamed or (kind == "model.delta" and update is not None)
                if kind == "approval.requested":
                    waits = data
                elif kind == "run.finished":
                    return await self._ended(session_id, run_id, data, streamed=streamed)
            if waits is not None and (notice := waits.get("notice")):  # the person agreed; an officer decides
                await self._say(session_id, update_agent_message_text(notice))
                return "needs_approval"
            if waits is not None:
                await self._decide(session_id, run_id, waits)
                streamed = False
            elif after == before:
                await asyncio.sleep(PAUSE_S)

    async def _ended(self, session_id: str, run_id: str, data: dict[str, Any], *, streamed: bool) -> str:
        """The run's status, its answer said if it was not streamed. Raises the run's own error."""
        from acp import update_agent_message_text

        if not streamed and data.get("response"):
            await self._say(session_id, update_agent_message_text(data["response"]))
        if data["status"] == "failed":
            await self._raise(run_id)
        return str(data["status"])

    async def _decide(self, session_id: str, run_id: str, approval: dict[str, Any]) -> None:
        """Ask the person at the client; an answer that is no yes is a no."""
        from acp import RequestError, schema, update_agent_message_text
        from pydantic import ValidationError

        await self._say(session_id, update_agent_message_text(approval["summary"]))
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
        await self._tried("Agent.approve", decision, but=("conflict",))  # cancelled or expired meanwhile

    async def _say(self, session_id: str, update: Any) -> None:
        await self._client.session_update(session_id, update)

    async def _raise(self, run_id: str) -> None:
        from acp import RequestError

        error = (await self._call("Agent.get", {"run_id": run_id}))["error"]
        raise RequestError(error["code"], error["data"]["user_message"], error["data"])

    async def _tried(self, method: str, params: dict[str, Any], but: tuple[str, ...]) -> None:
        """A call that may come too late, or too early: errors of these types say so."""
        from acp import RequestError

        try:
            await self._call(method, params)
        except RequestError as error:
            if not isinstance(error.data, dict) or error.data.get("type") not in but:
                raise

    async def _call(self, method: str, params: dict[str, Any]) -> Any:
        """One call; a refusal becomes the protocol's own error."""
        from agentd.cli.client import Refused

        try:
            return await self._daemon.call(method, params)
        except Refused as error:
            raise _request_error(error) from None


def _request_error(error: Any) -> Exception:
    """The daemon's refusal as the editor's protocol has it."""
    from acp import RequestError

    return RequestError(error.error["code"], str(error), error.error.get("data"))


def _update(run_id: str, kind: str, data: dict[str, Any]) -> Any:
    """What the client is shown of an event; None for most."""
    from acp import start_tool_call, update_agent_message_text, update_tool_call

    call_id = f"{run_id}:{data.get('step')}"
    if kind == "model.delta" and data["text"]:
        return update_agent_message_text(data["text"])
    if kind == "tool.started":
        return start_tool_call(call_id, data["tool"], kind="other", status="in_progress")
    if kind == "tool.finished":
        status: Any = "completed" if data["success"] else "failed"
        return update_tool_call(call_id, status=status, raw_input=data["input"], raw_output=data["output"])
    return None
