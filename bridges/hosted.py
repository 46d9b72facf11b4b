"""The common part of providers reached over HTTP: time limits, error mapping, and when a turn counts as complete.

Not a provider itself: `gemini.py`, `ollama.py` and `openai.py` say only how to call their client and what its errors
mean. Neither retries: the fallback chain has the only retry loop. Error messages never contain keys.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from email.utils import mktime_tz, parsedate_tz
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from agentd.errors import FaultKind, ProviderFailure
from agentd.messages import Constraint, ModelInfo, ModelReply, ModelRequest, ProviderSettings, ProviderState
from agentd.ports import TextSink
from bridges.answers import Answer, Piece

CONNECT_S = 5.0
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
MESSAGE_CHARS = 300
MOST_BYTES = 64_000_000
"""The longest body: a client would keep a line without end in memory."""
ROOM_TO_THINK = 8192
"""Tokens that a model which thinks may write besides the answer: providers count both against one limit."""


class OwnKeys(BaseModel, frozen=True, strict=True, allow_inf_nan=False):
    """The keys of one provider type in client.toml, beside those that every provider has; others are ignored."""

    n_ctx: int | None = Field(default=None, ge=1)
    """The context in tokens."""


class HostedModel(ABC):
    """A ChatModel over somebody's HTTP API. The client package is imported at the first turn, off the event loop."""

    default_model: str
    default_endpoint: str
    """The address if client.toml has none."""
    package: str
    """The module of the client."""
    extra: str = ""
    """The extra of `agentd` that installs the package, if any."""
    keys: type[OwnKeys] = OwnKeys

    def __init__(self, settings: ProviderSettings) -> None:
        """Raises ValidationError for a key of its own with a value of the wrong kind."""
        self.settings = settings
        self.own: Any = self.keys.model_validate(settings.settings)
        self.model = settings.model or (settings.models[0].name if settings.models else self.default_model)
        self._client: Any = None
        self._last: ProviderFailure | None = None
        self._answered = False
        self._thinkers: set[str] = set()
        """The models whose thoughts have used up an answer's tokens."""

    @property
    def provider(self) -> str:
        """The provider's id in client.toml."""
        return self.settings.id

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """Return one complete turn; a stream that breaks off raises ProviderFailure, even after some text."""
        try:
            reply = await self._turn(request, on_text)
        except ProviderFailure as failure:
            self._last = failure
            raise
        self._last, self._answered = None, True
        return reply

    def state(self) -> ProviderState:
        """Report the state after the last turn: `unknown` before any, `no_key` without a key, `down` if it failed."""
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
        client, self._client = self._client, None
        if client is not None:
            await self.close_client(client)

    @abstractmethod
    def make_client(self, package: Any) -> Any:
        """Create the client, with its own retries off."""

    @abstractmethod
    async def asked(self, request: ModelRequest, model: str, *, again: bool) -> dict[str, Any]:
        """Return the client's arguments for the request; `again`: the service has refused others in this turn."""

    @abstractmethod
    def pieces(self, client: Any, asked: dict[str, Any], *, streaming: bool) -> AsyncGenerator[Piece]:
        """Call the client and yield what arrives; in one piece without streaming."""

    def most_tokens(self, request: ModelRequest, model: str) -> int:
        """Return how many tokens the model may write."""
        return request.max_tokens + (ROOM_TO_THINK if model in self._thinkers else 0)

    def weakened(self, error: Exception, asked: dict[str, Any]) -> bool:
        """Leave out from now on what the service refused of these arguments; False if it refused the request itself."""
        del error, asked  # nothing that could be left out
        return False

    @abstractmethod
    def refusal(self, error: Exception) -> ProviderFailure | None:
        """Map the client's exception for an answer that is an error; None for any other."""

    @abstractmethod
    async def close_client(self, client: Any) -> None:
        """Close the client."""

    def constraint(self) -> Constraint:
        """Return the strongest constraint the provider can enforce: a schema, if its API takes one."""
        return "json_schema"

    def context_tokens(self) -> int | None:
        """Return the context size in tokens, or None if client.toml doesn't say it."""
        said: int | None = self.own.n_ctx
        return said

    def missing_key(self) -> str | None:
        """Return why the required key is missing, or None. A key is required if client.toml names one."""
        name = self.settings.api_key_name
        return f"no API key: {name} is not set" if name and not self.settings.api_key else None

    async def _turn(self, request: ModelRequest, on_text: TextSink | None) -> ModelReply:
        if missing := self.missing_key():
            raise ProviderFailure("auth", missing)
        limit = min(self.settings.timeout_s, request.timeout_s or self.settings.timeout_s)
        model = request.model or self.model
        try:
            async with asyncio.timeout(limit):
                answer, asked = await self._answer(await self._connected(), request, model, on_text)
        except TimeoutError:
            raise ProviderFailure("timeout", f"no whole answer within {limit:g} s") from None
        except ProviderFailure:
            raise
        except Exception as error:
            raise self._tellable(self._failure(error)) from None
        answer.require_whole(request)
        return ModelReply(
            text=answer.text,
            provider=self.provider,
            model=model,
            usage=answer.usage,
            cut=answer.last.finish == "cut",
            constraint=self.honoured(asked),
        )

    async def _answer(
        self, client: Any, request: ModelRequest, model: str, on_text: TextSink | None
    ) -> tuple[Answer, dict[str, Any]]:
        """Return the answer and the arguments that gave it: without what the service has refused of the first ones."""
        again = False
        while True:
            asked = await self.asked(request, model, again=again)
            answer = Answer(on_text)
            try:
                async with aclosing(self.pieces(client, asked, streaming=on_text is not None)) as arriving:
                    async for piece in arriving:
                        answer.add(piece)
            except Exception as error:
                if answer.text or not self.weakened(error, asked):
                    raise
            else:
                if not self._has_thought_too_long(model, answer) or answer.text:
                    return answer, asked
            again = True

    def _has_thought_too_long(self, model: str, answer: Answer) -> bool:
        """Whether thoughts have used up the tokens of a model that had no room for them; it has from now on."""
        too_long = answer.thought and answer.last.finish == "cut" and model not in self._thinkers
        if too_long:
            self._thinkers.add(model)
        return too_long

    @abstractmethod
    def honoured(self, asked: dict[str, Any]) -> Constraint:
        """Return which constraint of the request these arguments contain."""

    async def _connected(self) -> Any:
        if self._client is None:
            try:
                package = await asyncio.to_thread(importlib.import_module, self.package)
            except ModuleNotFoundError:
                how = f"pip install 'agentd[{self.extra}]'" if self.extra else f"pip install {self.package}"
                raise ProviderFailure("unavailable", f"its client is not installed; run: {how}") from None
            self._client = self._client or self.make_client(package)
        return self._client

    def _failure(self, error: Exception) -> ProviderFailure:
        """What the service refused, or what happened on the way: the HTTP client's exceptions are known by name."""
        if (refused := self.refusal(error)) is not None:
            return refused
        below = type(error.__cause__ or error).__name__
        if isinstance(error, ConnectionError) or below in ("ConnectError", "ConnectTimeout"):
            return ProviderFailure("connect", f"cannot reach {self.settings.endpoint or self.default_endpoint}")
        if below.endswith(("Timeout", "TimeoutError")):
            return ProviderFailure("timeout", f"the endpoint was silent for {self.settings.timeout_s:g} s")
        return ProviderFailure("unavailable", f"the answer broke off or cannot be read ({below})")

    def _tellable(self, failure: ProviderFailure) -> ProviderFailure:
        """The failure with its message cut to MESSAGE_CHARS and without the key, which a service may repeat in it."""
        message = failure.message
        if key := self.settings.api_key:
            message = message.replace(key, "[key]")
        if len(message) > MESSAGE_CHARS:
            message = f"{message[:MESSAGE_CHARS]}…"
        return ProviderFailure(failure.kind, message, retry_after_s=failure.retry_after_s)


async def _within_bytes(response: Any) -> None:
    """Bound the response's body; a hook of httpx and its successor. A compressed one could grow a thousandfold."""
    from bridges.bounded import bound  # imports the HTTP client, like a provider's package

    if response.headers.get("content-encoding", "identity") != "identity":
        raise ProviderFailure("unavailable", "it sends compressed answers, though asked not to")
    bound(response, MOST_BYTES)


PLAIN = {"Accept-Encoding": "identity"}
BOUNDED: dict[str, Any] = {"headers": PLAIN, "event_hooks": {"response": [_within_bytes]}}
"""What each provider's HTTP client is made with."""


def kind_of_status(status: int) -> FaultKind:
    """Map an HTTP status to a kind of failure. 402 is an empty account: like a wrong key, only people can fix it.

    409 means a lock was not acquired in time; Groq answers 413 when a request exceeds the account's tokens per minute.
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
    """Return the seconds until the time of a `Retry-After` header, which may be a date; None if it says no time."""
    value = (headers or {}).get("Retry-After") or (headers or {}).get("retry-after") or ""
    try:
        date = parsedate_tz(value)
        seconds = float(value) if date is None else max(0.0, mktime_tz(date) - time.time())
    except (ValueError, OverflowError):
        return None
    return seconds if 0 <= seconds < float("inf") else None
