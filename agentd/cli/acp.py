"""`agentd acp`: the agent for editors and terminals that speak the Agent Client Protocol, over stdio.

Sessions are the daemon's own; text streams as it is written, tool calls are shown, an approval asks the person there.
The client's files, terminals and MCP servers are not used: what the agent may do is client.toml's business.
"""

from __future__ import annotations

import argparse
import asyncio
from importlib.metadata import version
from typing import Any, cast
from uuid import uuid4

from agentd.cli import options

STOPS = {"completed": "end_turn", "cancelled": "cancelled", "failed": "refusal"}
YES, NO = "approve", "decline"


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

    from agentd.cli.client import opened

    async with opened(settings) as client:
        await run_agent(cast(Agent, AcpAgent(client)))
    return 0


class AcpAgent:
    """The protocol's agent side, over a client of agentd."""

    def __init__(self, daemon: Any) -> None:
        self._daemon = daemon
        self._client: Any = None
        self._runs: dict[str, str] = {}
        """{session_id: the run under way}"""

    def on_connect(self, conn: Any) -> None:
        """The client is there."""
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> Any:
        """Which version of the protocol, and what this agent can."""
        from acp import PROTOCOL_VERSION, schema

        return schema.InitializeResponse(
            protocol_version=min(protocol_version, PROTOCOL_VERSION),
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
        """One turn, from the words to the answer."""
        from acp import PromptResponse, RequestError

        text = "\n".join(words for block in prompt if (words := _words(block)))
        if not text:
            raise RequestError.invalid_params({"prompt": "needs at least one block of text"})
        run_id = uuid4().hex
        started = await self._call("Agent.start", {"prompt": text, "session_id": session_id, "run_id": run_id})
        run_id = self._runs[session_id] = started["run_id"]
        try:
            status = await self._follow(session_id, run_id)
        finally:
            self._runs.pop(session_id, None)
        return PromptResponse(stop_reason=STOPS[status])

    async def cancel(self, session_id: str, **_: Any) -> None:
        """Stop the turn under way."""
        from agentd.cli.client import Refused

        if run_id := self._runs.get(session_id):
            try:
                await self._daemon.call("Agent.cancel", {"run_id": run_id})
            except Refused as error:
                if (error.error.get("data") or {}).get("type") != "conflict":  # it has ended: nothing to stop
                    raise

    async def _follow(self, session_id: str, run_id: str) -> str:
        """Tell the client what happens until the run ends; its status."""
        from acp import start_tool_call, update_agent_message_text, update_tool_call

        after, streamed = 0, False
        while True:
            waits: dict[str, Any] | None = None
            async for event in self._daemon.events(run_id, after):
                kind, data, after = event["type"], event["data"], max(after, event["seq"])
                update: Any = None
                if kind == "model.delta" and data["text"]:
                    streamed, update = True, update_agent_message_text(data["text"])
                elif kind == "tool.started":
                    call_id = f"{run_id}:{data['step']}"
                    update = start_tool_call(call_id, data["tool"], kind="other", status="in_progress")
                elif kind == "tool.finished":
                    status: Any = "completed" if data["success"] else "failed"
                    asked, got = data["input"], data["output"]
                    call_id = f"{run_id}:{data['step']}"
                    update = update_tool_call(call_id, status=status, raw_input=asked, raw_output=got)
                elif kind == "approval.requested":
                    waits = data
                elif kind == "run.finished":
                    if not streamed and data.get("response"):
                        await self._say(session_id, update_agent_message_text(data["response"]))
                    if data["status"] == "failed":
                        await self._raise(run_id)
                    return str(data["status"])
                if update is not None:
                    await self._say(session_id, update)
            if waits is not None:
                await self._decide(session_id, run_id, waits)
                streamed = False

    async def _decide(self, session_id: str, run_id: str, approval: dict[str, Any]) -> None:
        """Ask the person at the client; no answer is a no."""
        from acp import schema, update_agent_message_text

        await self._say(session_id, update_agent_message_text(approval["summary"]))
        answer = await self._client.request_permission(
            session_id=session_id,
            tool_call=schema.ToolCallUpdate(
                tool_call_id=f"{run_id}:{approval['approval_id']}",
                title=approval["tool"],
                status="pending",
                raw_input=approval["arguments"],
            ),
            options=[
                schema.PermissionOption(option_id=YES, name="Benar, lanjutkan", kind="allow_once"),
                schema.PermissionOption(option_id=NO, name="Batal", kind="reject_once"),
            ],
        )
        approved = getattr(answer.outcome, "option_id", None) == YES
        decision = {"run_id": run_id, "approval_id": approval["approval_id"], "approved": approved}
        await self._call("Agent.approve", decision)

    async def _say(self, session_id: str, update: Any) -> None:
        await self._client.session_update(session_id, update)

    async def _raise(self, run_id: str) -> None:
        from acp import RequestError

        error = (await self._call("Agent.get", {"run_id": run_id}))["error"]
        raise RequestError(error["code"], error["data"]["user_message"], error["data"])

    async def _call(self, method: str, params: dict[str, Any]) -> Any:
        """One call; a refusal becomes the protocol's own error."""
        from acp import RequestError

        from agentd.cli.client import Refused

        try:
            return await self._daemon.call(method, params)
        except Refused as error:
            raise RequestError(error.error["code"], str(error), error.error.get("data")) from None


def _words(block: Any) -> str:
    """A prompt block's text; blocks of other kinds have none."""
    if block.type == "resource":
        return str(getattr(block.resource, "text", ""))
    return str(getattr(block, "text", ""))
