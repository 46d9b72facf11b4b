"""The agent as the model `agent` of OpenAI's protocol: maps stateless conversations to sessions. No HTTP here.

A client that sends the whole conversation each time is recognised by what it has received so far; it may also name its
session in `metadata.session_id`. An unknown conversation starts a session with its last message; the earlier ones, as
the client tells them, are added as a quotation, from which no official value is taken.

Visitors of one chat token differ by the header Agentd-Session-Key. Without it, a visitor gets a secret key, and each
conversation can be continued once from each point: a client that received the same words can go on with them, but never
sees what another said later.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from agentd.apps.openai.answer import Spoken
from agentd.errors import Conflict, InvalidParams, NotFound
from agentd.messages import AgentOptions, Caller, ChatMessage
from agentd.rpc.params import MAX_PROMPT_BYTES, Params, Prompt, read
from agentd.runs.agent_api import AgentRuns
from agentd.runs.visibility import new_key

REMEMBERED = 4096
"""Maximum number of conversations that can be continued; the oldest are dropped first."""


class _Words(Params):
    messages: Prompt


QUOTED_CHARS = 2000
"""Characters quoted from the end of a conversation that was not held here."""
ALIKE = 64
"""Maximum number of conversations with the same words that can be continued."""


@dataclass(frozen=True, slots=True)
class _Conversation:
    """A session that may be continued; `key` is set if only this object knows it."""

    session_id: str
    key: str | None = field(default=None, repr=False)
    known: bool = True
    """Whether its conversation was held here."""


class AgentModel:
    """The agent hook of OpenAIApi. The last message has the length limits of every prompt."""

    def __init__(self, runs: AgentRuns, max_prompt_bytes: int = MAX_PROMPT_BYTES) -> None:
        self._runs = runs
        self._max_prompt_bytes = max_prompt_bytes
        self._sessions: OrderedDict[str, list[_Conversation]] = OrderedDict()

    async def __call__(self, messages: Sequence[ChatMessage], caller: Caller, metadata: dict[str, Any]) -> Spoken:
        """Run the last message in its session. Cancelling this call cancels the run.

        No text is streamed: an answer may be withheld once it is complete, and this protocol can't retract text.
        """
        if not messages or messages[-1].role != "user":
            raise InvalidParams("the last of `messages` must be the user's", field="messages")
        # A visitor's client that sends no key can't be told apart: each conversation gets a key, known here alone.
        keyless = caller.is_visitor and caller.session_key is None
        conversation = self._conversation(_heard(caller, messages[:-1]), once=keyless)
        if keyless:
            caller = caller.with_key(conversation.key or new_key())
        named = metadata.get("session_id")
        quoted = None if conversation.known or named else _quoted(messages[:-1])
        run_id = uuid4().hex
        options = AgentOptions(session_id=str(named or conversation.session_id), run_id=run_id, quoted=quoted)
        prompt = read(_Words, {"messages": messages[-1].content}, self._max_prompt_bytes).messages
        try:
            outcome = await self._runs.run(prompt, options, caller)
        except asyncio.CancelledError:  # the client that left doesn't know the run
            with suppress(Conflict, NotFound):
                await self._runs.cancel(run_id, caller)
            raise
        answer = ChatMessage(role="assistant", content=outcome.response)
        key = caller.session_key if keyless else None
        heard = _heard(caller.model_copy(update={"session_key": None}) if keyless else caller, [*messages, answer])
        self._remember(heard, _Conversation(outcome.session_id, key), once=keyless)
        return Spoken(
            text=outcome.response,
            model=f"{outcome.provider}/{outcome.model}",
            usage=outcome.usage,
            extra={
                "run_id": outcome.run_id,
                "session_id": outcome.session_id,
                "status": outcome.status,
                "steps": [step.model_dump(mode="json") for step in outcome.steps],
                "artifacts": [artifact.model_dump(mode="json") for artifact in outcome.artifacts],
                "approval": None if outcome.approval is None else outcome.approval.model_dump(),
            },
        )

    def _conversation(self, heard: str, *, once: bool) -> _Conversation:
        """The conversation with this digest, else a new one; with `once`, it is removed."""
        known = self._sessions.get(heard)
        if not known:
            return _Conversation(uuid4().hex, known=False)
        return known.pop() if once else known[-1]

    def _remember(self, heard: str, conversation: _Conversation, *, once: bool) -> None:
        known = self._sessions.setdefault(heard, [])
        known[:] = [*known[-ALIKE:], conversation] if once else [conversation]
        self._sessions.move_to_end(heard)
        while len(self._sessions) > REMEMBERED:
            self._sessions.popitem(last=False)


def _quoted(messages: Sequence[ChatMessage]) -> str | None:
    """The end of a conversation as a quotation; None if it is empty."""
    speakers = {"user": "citizen", "assistant": "agent"}
    lines = [f"{speakers[one.role]}: {one.content}" for one in messages if one.role in speakers]
    return "\n".join(lines)[-QUOTED_CHARS:] or None


def _heard(caller: Caller, messages: Sequence[ChatMessage]) -> str:
    """The digest of a caller and a conversation."""
    spoken = [[message.role, message.content] for message in messages if message.role != "system"]
    return hashlib.sha256(json.dumps([caller.id, caller.session_key, spoken]).encode()).hexdigest()
