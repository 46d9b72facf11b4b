"""What the providers reached over HTTP share: time limits, one error shape, and when a turn counts as whole.

Not a provider itself: `gemini.py`, `ollama.py` and `openai.py` say only how their client is asked and what its errors
mean. Nothing is retried here nor there: the fallback chain has the one retry loop. Messages never carry keys.
"""

from __future__ import annotations

import asyncio
import importlib
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from agentd.errors import FaultKind, ProviderFailure
from agentd.messages import Constraint, ModelInfo, ModelReply, ModelRequest, ProviderSettings, ProviderState, Usage
from agentd.ports import TextChunk, TextSink

CONNECT_S = 5.0
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
MESSAGE_CHARS = 300
MOST_CHARS = 1_000_000
"""An answer that is longer has no end."""
Finish = Literal["whole", "cut", "blocked", "broken"]


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a turn as it arrives: text, and with the last one how it ended (`detail`) and the usage."""

    text: str = ""
    finish: Finish | None = None
    detail: str = ""
    usage: Usage | None = None


class HostedModel(ABC):
    """A ChatModel over somebody's HTTP API. The client package is imported at the first turn, off the event loop."""

    default_model: str
    default_endpoint: str = ""
    """Where it is when client.toml doesn't say, if that could be this machine."""
    package: str
    extra: str = ""
    """The extra of `agentd` that brings the package, if one does."""
    """The module that holds the client."""

    def __init__(self, settings: ProviderSettings) -> None:
        self.settings = settings
        self.model = settings.model or (settings.models[0].name if settings.models else self.default_model)
        self._client: Any = None
        self._last: ProviderFailure | None = None
        self._answered = False

    @property
    def provider(self) -> str:
        """The id in client.toml."""
        return self.settings.id

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """Answer one turn, whole: a stream that breaks off is a ProviderFailure, whatever it had brought."""
        try:
            reply = await self._turn(request, on_text)
        except ProviderFailure as failure:
            self._last = failure
            raise
        self._last, self._answered = None, True
        return reply

    def state(self) -> ProviderState:
        """From the last turn: `unknown` before any, `no_key` without the key it needs, `down` after a failure."""
        models = self.settings.models
        if self.model not in {info.name for info in models}:
            models = (ModelInfo(name=self.model), *models)
        state: Any = "ready" if self._answered else "unknown"
        error = None
        if missing := self.missing_key():
            state, error = "no_key", missing
        elif self._last is not None and self._last.kind != "bad_output":
            state, error = "down", f"{self._last.kind}: {self._last.message}"
        return ProviderState(
            id=self.provider,
            type=self.settings.type,
            models=models,
            state=state,
            error=error,
            constraint=self.constraint(),
            context_tokens=self.context_tokens(),
            local=urlsplit(self.settings.endpoint or self.default_endpoint).hostname in LOOPBACK,
            price=self.settings.price,
        )

    async def aclose(self) -> None:
        """Close the client's connections."""
        client, self._client = self._client, None
        if client is not None:
            await self.close_client(client)

    @abstractmethod
    def make_client(self, package: Any) -> Any:
        """The client, its own retries off."""

    @abstractmethod
    def pieces(self, client: Any, request: ModelRequest, model: str, *, streaming: bool) -> AsyncGenerator[Piece]:
        """Ask, and give what arrives; without streaming in one piece."""

    @abstractmethod
    def failure(self, error: Exception) -> ProviderFailure:
        """What an exception of the client means."""

    @abstractmethod
    async def close_client(self, client: Any) -> None:
        """Close the client."""

    def constraint(self) -> Constraint:
        """The strongest form that an answer can be held to: a schema, where the provider's API takes one."""
        return "json_schema"

    def context_tokens(self) -> int | None:
        """How many tokens it reads at once, where that is known: what client.toml says (`n_ctx`)."""
        said = self.settings.settings.get("n_ctx")
        return said if isinstance(said, int) else None

    def missing_key(self) -> str | None:
        """Why it cannot be asked without a key; None when it can. A key is needed where one is named."""
        name = self.settings.api_key_name
        return f"no API key: {name} is not set" if name and not self.settings.api_key else None

    async def _turn(self, request: ModelRequest, on_text: TextSink | None) -> ModelReply:
        if missing := self.missing_key():
            raise ProviderFailure("auth", missing)
        limit = min(self.settings.timeout_s, request.timeout_s or self.settings.timeout_s)
        model = request.model or self.model
        text: list[str] = []
        last = Piece()
        usage, size = Usage(), 0
        try:
            async with asyncio.timeout(limit):
                client = await self._connected()
                async with aclosing(self.pieces(client, request, model, streaming=on_text is not None)) as arriving:
                    async for piece in arriving:
                        if piece.text:
                            text.append(piece.text)
                            size += len(piece.text)
                            if size > MOST_CHARS:
                                raise ProviderFailure("bad_output", f"the answer has over {MOST_CHARS} characters")
                            if on_text is not None:
                                on_text(TextChunk(piece.text))
                        last = piece if piece.finish and last.finish != "blocked" else last
                        usage = piece.usage or usage
        except TimeoutError:
            raise ProviderFailure("timeout", f"no whole answer within {limit:g} s") from None
        except ProviderFailure:
            raise
        except Exception as error:
            raise self._without_key(self.failure(error)) from None
        self._require_whole("".join(text), last, request)
        return ModelReply(
            text="".join(text), provider=self.provider, model=model, usage=usage, constraint=self.honoured(request)
        )

    def honoured(self, request: ModelRequest) -> Constraint:
        """What of the request's grammar or schema is passed on."""
        return "json_schema" if request.json_schema is not None else "none"

    async def _connected(self) -> Any:
        if self._client is None:
            try:
                package = await asyncio.to_thread(importlib.import_module, self.package)
            except ModuleNotFoundError:
                how = f"pip install 'agentd[{self.extra}]'" if self.extra else f"pip install {self.package}"
                raise ProviderFailure("unavailable", f"its client is not installed; run: {how}") from None
            self._client = self._client or self.make_client(package)
        return self._client

    @staticmethod
    def _require_whole(text: str, last: Piece, request: ModelRequest) -> None:
        if last.finish is None:
            raise ProviderFailure("unavailable", "the answer broke off before its end")
        if last.finish == "blocked":
            raise ProviderFailure("blocked", f"the provider refused to answer ({last.detail})")
        if last.finish == "broken":
            raise ProviderFailure("bad_output", f"no answer that can be used ({last.detail})")
        if last.finish == "cut" and (request.json_schema is not None or not text):
            raise ProviderFailure("bad_output", f"the answer was cut at {request.max_tokens} tokens")
        if not text.strip():
            raise ProviderFailure("bad_output", f"an empty answer{f' ({last.detail})' if last.detail else ''}")

    def _without_key(self, failure: ProviderFailure) -> ProviderFailure:
        message = failure.message
        if key := self.settings.api_key:
            message = message.replace(key, "[key]")
        if len(message) > MESSAGE_CHARS:
            message = f"{message[:MESSAGE_CHARS]}…"
        return ProviderFailure(failure.kind, message, retry_after_s=failure.retry_after_s)


def kind_of_status(status: int) -> FaultKind:
    """What an HTTP status says of a provider. 402 is an empty account: like a wrong key, only people can fix it.

    409 is a lock that was not had in time; 413 is Groq's word for more tokens than the account has in a minute.
    """
    known: dict[int, FaultKind] = {
        401: "auth",
        402: "auth",
        403: "auth",
        404: "not_found",
        408: "timeout",
        409: "unavailable",
        413: "rate_limit",
        429: "rate_limit",
        504: "timeout",
    }
    if status in known:
        return known[status]
    return "bad_request" if 400 <= status < 500 else "unavailable"


def retry_after(headers: Mapping[str, str] | None) -> float | None:
    """Seconds of a `Retry-After` header; None when there is none or it is a date (nobody here sends dates)."""
    value = (headers or {}).get("Retry-After") or (headers or {}).get("retry-after") or ""
    try:
        seconds = float(value)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
