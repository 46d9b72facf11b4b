"""An answer of a hosted model, put together from the pieces that arrive, and whether it is one. It asks nobody."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from agentd.errors import ProviderFailure
from agentd.messages import ModelRequest, Usage
from agentd.ports import TextChunk, TextSink

MOST_CHARS = 100_000
"""A longer answer is taken for an endless one: no model writes as much in a turn, and checking it takes time."""
Finish = Literal["whole", "cut", "blocked", "broken"]


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a turn as it arrives: text, or a sign that the model thinks (`thought`); the last has
    also the turn's end (`finish`, `detail`) and usage."""

    text: str = ""
    finish: Finish | None = None
    detail: str = ""
    usage: Usage | None = None
    thought: bool = False


@dataclass(slots=True)
class Answer:
    """The pieces of one turn, put together as they arrive."""

    on_text: TextSink | None
    texts: list[str] = field(default_factory=list)
    chars: int = 0
    last: Piece = Piece()
    usage: Usage = field(default_factory=Usage)
    thought: bool = False

    @property
    def text(self) -> str:
        """What has arrived."""
        return "".join(self.texts)

    def add(self, piece: Piece) -> None:
        """Raises ProviderFailure for an answer without end."""
        if piece.text:
            self.texts.append(piece.text)
            self.chars += len(piece.text)
            if self.chars > MOST_CHARS:
                raise ProviderFailure("bad_output", f"the answer has over {MOST_CHARS} characters")
            if self.on_text is not None:
                self.on_text(TextChunk(piece.text))
        self.last = piece if piece.finish and self.last.finish != "blocked" else self.last
        self.usage = piece.usage or self.usage
        self.thought |= piece.thought

    def require_whole(self, request: ModelRequest) -> None:
        """Raise ProviderFailure if this is no answer to the request, but its beginning, a refusal or nothing."""
        detail = self.last.detail
        if self.last.finish is None:
            raise ProviderFailure("unavailable", "the answer broke off before its end")
        if self.last.finish == "blocked":
            raise ProviderFailure("blocked", f"the provider refused to answer ({detail})")
        if self.last.finish == "broken":
            raise ProviderFailure("bad_output", f"no answer that can be used ({detail})")
        if self.last.finish == "cut" and (request.json_schema is not None or not self.text):
            raise ProviderFailure("bad_output", f"the answer was cut at {request.max_tokens} tokens")
        if not self.text.strip():
            raise ProviderFailure("bad_output", f"an empty answer{f' ({detail})' if detail else ''}")
