"""Ollama (`type = "ollama"`) through its own client. `agentd models pull` fetches models: ollama_weights.py."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from pydantic import Field

from agentd.errors import ProviderFailure
from agentd.messages import Constraint, ModelRequest, ProviderSettings, Usage
from bridges.answers import Finish, Piece
from bridges.hosted import BOUNDED, CONNECT_S, HostedModel, OwnKeys, kind_of_status
from bridges.ollama_weights import ENDPOINT, OllamaWeights, reached

CHARS_A_TOKEN = 2.5
"""Lower than in our texts (Indonesian about 3.5, JSON about 3), so that a prompt's tokens are not underestimated."""


class OllamaKeys(OwnKeys):
    """Ollama's own keys in client.toml."""

    n_ctx: int = Field(default=8192, ge=1)
    """The context in tokens, doubled for longer prompts up to `n_ctx_max`: Ollama silently cuts what doesn't fit."""
    n_ctx_max: int = Field(default=32768, ge=1)
    keep_alive: str | int | float = "30m"
    """How long Ollama keeps the model loaded after a turn: the next citizen should not wait for loading."""
    think: bool | str = False
    """True, or a level that the model names; a model that thinks would spend the few tokens of an action on it."""


class OllamaModel(HostedModel):
    """The models of an Ollama server, by default on this machine."""

    default_model = "gemma3:4b"
    default_endpoint = ENDPOINT
    package = "ollama"
    keys = OllamaKeys

    @staticmethod
    def remote_weights(settings: ProviderSettings) -> OllamaWeights:
        """Return the store that `agentd models pull|list|rm` uses for this server."""
        return OllamaWeights(settings)

    def make_client(self, package: Any) -> Any:
        """Create a client with a timeout; by default it would wait forever."""
        import httpx

        return package.AsyncClient(
            **(BOUNDED | reached(self.settings)),
            timeout=httpx.Timeout(self.settings.timeout_s, connect=CONNECT_S),
        )

    def context_tokens(self) -> int:
        """Return the largest context that may be used."""
        return int(max(self.own.n_ctx, self.own.n_ctx_max))

    async def asked(self, request: ModelRequest, model: str, *, again: bool) -> dict[str, Any]:
        """Return the arguments of `/api/chat`."""
        del again  # nothing else to send
        return {
            "model": model,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "options": {
                "num_ctx": _context(request, self.own.n_ctx, self.own.n_ctx_max),
                "num_predict": self.most_tokens(request, model),
                "temperature": request.temperature,
            },
            "keep_alive": self.own.keep_alive,
            "think": self.own.think,
            **({} if request.json_schema is None else {"format": request.json_schema}),
        }

    async def pieces(self, client: Any, asked: dict[str, Any], *, streaming: bool) -> AsyncGenerator[Piece]:
        """Call `/api/chat`; streamed answers come as lines of JSON."""
        if streaming:
            async for chunk in await client.chat(stream=True, **asked):
                yield _piece(chunk)
        else:
            yield _piece(await client.chat(**asked))

    def honoured(self, asked: dict[str, Any]) -> Constraint:
        return "json_schema" if "format" in asked else "none"

    def refusal(self, error: Exception) -> ProviderFailure | None:
        import ollama

        if not isinstance(error, ollama.ResponseError):
            return None
        if error.status_code == 404:
            return ProviderFailure("not_found", f"{error.error}; run `agentd models pull MODEL`")
        kind = "unavailable" if error.status_code == -1 else kind_of_status(error.status_code)
        return ProviderFailure(kind, error.error or f"HTTP {error.status_code}")

    async def close_client(self, client: Any) -> None:
        await client.close()


def _context(request: ModelRequest, usual: int, most: int) -> int:
    """Return the context size for this prompt and its answer: the usual one, or a larger one.

    It grows in steps, since each other size makes Ollama reload the model. Raises ProviderFailure if the largest is too
    small: Ollama would silently cut the prompt.
    """
    needed = int(sum(len(message.content) for message in request.messages) / CHARS_A_TOKEN) + request.max_tokens
    size = usual
    while size < needed and size < most:
        size = min(most, size * 2)
    if size < needed:
        text = f"the prompt may have {needed} tokens and n_ctx_max is {most}; raise it in client.toml"
        raise ProviderFailure("unavailable", text)
    return size


def _piece(chunk: Any) -> Piece:
    """Convert an answer or a line of the stream. A stream that ends without `done` has no last piece: it was cut."""
    finish: Finish | None = None
    usage = None
    if chunk.done:
        finish = "cut" if chunk.done_reason == "length" else "whole"
        usage = Usage(input_tokens=chunk.prompt_eval_count or 0, output_tokens=chunk.eval_count or 0)
    said, detail = chunk.message, chunk.done_reason or ""
    return Piece(text=said.content or "", finish=finish, detail=detail, usage=usage, thought=bool(said.thinking))
