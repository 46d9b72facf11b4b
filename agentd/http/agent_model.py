"""The agent as the model `agent` of the OpenAI face: a stateless conversation finds its session again. No HTTP here.

A client that sends the whole conversation each time is recognised by what it has heard so far; one may also name its
session in `metadata.session_id`. A conversation that is not known begins a session with its last message.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from agentd.errors import InvalidParams
from agentd.http.openai_api import Spoken
from agentd.messages import AgentOptions, Caller, ChatMessage
from agentd.ports import TextSink
from agentd.rpc.params import MAX_PROMPT_BYTES, Params, ParamsReader, Prompt
from agentd.runs.api import Runs

REMEMBERED = 4096
"""Conversations that can be taken up again; the oldest are forgotten first."""


class _Words(Params):
    messages: Prompt


class AgentModel:
    """Call it as OpenAIApi's agent hook. The last message is bound as every prompt is."""

    def __init__(self, runs: Runs, max_prompt_bytes: int = MAX_PROMPT_BYTES) -> None:
        self._runs = runs
        self._words = ParamsReader(_Words, max_prompt_bytes)
        self._sessions: OrderedDict[str, str] = OrderedDict()

    async def __call__(
        self, messages: Sequence[ChatMessage], caller: Caller, metadata: dict[str, Any], on_text: TextSink | None
    ) -> Spoken:
        """Run the last message in its session; the answer's text streams as it is made."""
        if not messages or messages[-1].role != "user":
            raise InvalidParams("the last of `messages` must be the user's", field="messages")
        session_id = metadata.get("session_id") or self._sessions.get(_heard(caller, messages[:-1])) or uuid4().hex
        options = AgentOptions(session_id=str(session_id), run_id=uuid4().hex)
        prompt = self._words({"messages": messages[-1].content}).messages
        if on_text is not None:
            started = await self._runs.start(prompt, options, caller)
            async for event in self._runs.events(started.run_id, caller):
                if event.type == "model.delta" and event.data["text"]:
                    on_text(event.data["text"])
        outcome = await self._runs.run(prompt, options, caller)
        answer = ChatMessage(role="assistant", content=outcome.response)
        self._remember(_heard(caller, [*messages, answer]), outcome.session_id)
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

    def _remember(self, heard: str, session_id: str) -> None:
        self._sessions[heard] = session_id
        self._sessions.move_to_end(heard)
        while len(self._sessions) > REMEMBERED:
            self._sessions.popitem(last=False)


def _heard(caller: Caller, messages: Sequence[ChatMessage]) -> str:
    spoken = [[message.role, message.content] for message in messages if message.role != "system"]
    return hashlib.sha256(json.dumps([caller.id, spoken]).encode()).hexdigest()
