"""Ollama (`type = "ollama"`) through its own client. It pulls no models: `ollama pull` does.

Settings of its own in client.toml: `n_ctx` (context in tokens, default 8192; Ollama cuts longer prompts silently),
`keep_alive` (how long Ollama holds the model after a turn, e.g. "30m").
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import urlsplit

from agentd.errors import ProviderFailure
from agentd.messages import ModelRequest, Usage
from bridges.hosted import CONNECT_S, Finish, HostedModel, Piece, kind_of_status

ENDPOINT = "http://127.0.0.1:11434"
N_CTX = 8192
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class OllamaModel(HostedModel):
    """The models of an Ollama server, this machine's by default."""

    default_model = "gemma3:4b"
    package = "ollama"

    def make_client(self, package: Any) -> Any:
        """A client that gives up: its own default is to wait for ever."""
        import httpx

        host = (self.settings.endpoint or ENDPOINT).rstrip("/").removesuffix("/api").removesuffix("/v1")
        headers = {"Authorization": f"Bearer {self.settings.api_key}"} if self.settings.api_key else {}
        return package.AsyncClient(
            host=host,
            headers=headers,
            timeout=httpx.Timeout(self.settings.timeout_s, connect=CONNECT_S),
            trust_env=urlsplit(host).hostname not in LOOPBACK,  # no proxy reaches this machine's own server
        )

    async def pieces(self, client: Any, request: ModelRequest, model: str, *, streaming: bool) -> AsyncGenerator[Piece]:
        """`/api/chat`, as lines of JSON when streaming."""
        own = self.settings.settings
        asked: dict[str, Any] = {
            "model": model,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "options": {
                "num_ctx": own.get("n_ctx", N_CTX),
                "num_predict": request.max_tokens,
                "temperature": request.temperature,
            },
        }
        if request.json_schema is not None:
            asked["format"] = request.json_schema
        if "keep_alive" in own:
            asked["keep_alive"] = own["keep_alive"]
        if streaming:
            async for chunk in await client.chat(stream=True, **asked):
                yield _piece(chunk)
        else:
            yield _piece(await client.chat(**asked))

    def failure(self, error: Exception) -> ProviderFailure:
        """ollama's errors, and those of httpx below it."""
        import httpx
        import ollama

        if isinstance(error, ollama.ResponseError):
            if error.status_code == 404:
                return ProviderFailure("not_found", f"{error.error}; on that machine run `ollama pull MODEL`")
            kind = "unavailable" if error.status_code == -1 else kind_of_status(error.status_code)
            return ProviderFailure(kind, error.error or f"HTTP {error.status_code}")
        if isinstance(error, ConnectionError | httpx.ConnectError | httpx.ConnectTimeout):
            return ProviderFailure("connect", f"cannot reach Ollama at {self.settings.endpoint or ENDPOINT}")
        if isinstance(error, httpx.TimeoutException):
            return ProviderFailure("timeout", f"Ollama was silent for {self.settings.timeout_s:g} s")
        if isinstance(error, httpx.TransportError):
            return ProviderFailure("unavailable", f"the connection broke off ({type(error).__name__})")
        return ProviderFailure("unavailable", f"an answer that cannot be read ({type(error).__name__})")

    async def close_client(self, client: Any) -> None:
        """Its connections."""
        await client.close()


def _piece(chunk: Any) -> Piece:
    """One answer or one line of a stream. A stream may end without `done`: then no piece is the last, and it is cut."""
    finish: Finish | None = None
    usage = None
    if chunk.done:
        finish = "cut" if chunk.done_reason == "length" else "whole"
        usage = Usage(input_tokens=chunk.prompt_eval_count or 0, output_tokens=chunk.eval_count or 0)
    return Piece(text=chunk.message.content or "", finish=finish, detail=chunk.done_reason or "", usage=usage)
