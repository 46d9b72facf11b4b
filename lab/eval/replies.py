"""Stores the shipped model's replies to an evaluation, so that checks can be measured without it.

A question's turns are replayed in order. A turn that was not recorded (because a check now rejects a plan it accepted
before) fails like an unavailable model and is counted.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from agentd.errors import ProviderFailure
from agentd.messages import ModelReply, ModelRequest, ProviderState, Usage
from agentd.ports import ChatModel


class Replies:
    """A model that records the replies of `model` in `file`, or without `model` replays those in `file`.

    `ask` sets the question of the next turns. The file is {question: [{text, prompt, usage, read, seconds}]}; `prompt`
    is a digest of the request, `read` the number of its tokens not cached.
    """

    provider = "replayed"

    def __init__(self, file: Path, model: ChatModel | None = None) -> None:
        self._file = file
        self._model = model
        self._kept: dict[str, list[dict[str, Any]]] = json.loads(file.read_text()) if file.is_file() else {}
        self._asked = ""
        self.said = self.lacking = self.changed = 0
        """Number of turns replayed, of turns not recorded, and of turns replayed to a different prompt."""

    def ask(self, question: str) -> None:
        """Set the question of the next turns; when recording, discard its earlier replies."""
        self._asked = question
        if self._model is not None:
            self._kept[question] = []

    async def turn(self, request: ModelRequest, on_text: Any = None) -> ModelReply:
        """The next reply. Raises ProviderFailure when none is recorded."""
        written = request.model_dump_json(include={"messages", "json_schema"})
        prompt, turns = hashlib.sha256(written.encode()).hexdigest()[:12], self._kept.get(self._asked, [])
        if self._model is not None:
            return await self._recorded(request, prompt, turns)
        if request.attempt >= len(turns):
            self.lacking += 1
            raise ProviderFailure("not_found", "this turn was not recorded")
        kept = turns[request.attempt]
        self.said += 1
        self.changed += kept["prompt"] != prompt
        usage = Usage(input_tokens=kept["usage"][0], output_tokens=kept["usage"][1])
        return ModelReply(text=kept["text"], provider="replayed", model="replayed", usage=usage, constraint="grammar")

    async def _recorded(self, request: ModelRequest, prompt: str, turns: list[dict[str, Any]]) -> ModelReply:
        assert self._model is not None
        began = time.monotonic()
        reply = await self._model.turn(request)
        usage = [reply.usage.input_tokens, reply.usage.output_tokens]
        seconds = round(time.monotonic() - began, 1)
        turns.append({"text": reply.text, "prompt": prompt, "usage": usage, "read": reply.read, "seconds": seconds})
        lines = [f"{json.dumps(ask)}: {json.dumps(said)}" for ask, said in sorted(self._kept.items())]
        self._file.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return reply

    def __str__(self) -> str:
        counted = f"{self.said} turns said again, {self.changed} of them to another prompt than then"
        return f"{counted}; {self.lacking} that were not recorded"

    def state(self) -> ProviderState:
        """The embedded model's state: output is constrained by a grammar."""
        return ProviderState(id="replayed", type="scripted", state="ready", constraint="grammar")

    async def aclose(self) -> None:
        if self._model is not None:
            await self._model.aclose()
