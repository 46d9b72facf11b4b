"""The OpenAI-compatible face: /v1/chat/completions and /v1/models. It runs nothing: models and agent are given.

Models: `raw` is the chain of providers, `PROVIDER/MODEL` (or `PROVIDER`) the chain with that one first, `agent` the
agent with its tools, where a hook for it is given. Anything a field can't be honoured for is refused, not ignored,
when ignoring it would change the answer (`n`, `stop`, `tools`). Each listed model says what its output can be held to
(`constraint`: grammar, json_schema, none), each answer what it was held to (`agentd.constraint`).
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentd.errors import AgentdError, Forbidden, InvalidParams, NotFound, ProviderFailure
from agentd.http.guard import CALLER
from agentd.http.leases import STILL_ADMITTED
from agentd.http.refusals import STATUS
from agentd.messages import Caller, ChatMessage, Constraint, Fallback, ModelRequest, ProviderState, Role, Usage
from agentd.ports import ChatModel, TextChunk, TextSink

T = TypeVar("T")
AGENT, RAW = "agent", "raw"
MAX_TOKENS = 1024
"""When the caller names no limit."""
GONE_CHECK_S = 0.5
"""How often a request that writes nothing looks whether its client is still there."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """An answer for the wire. `extra` stands beside it under the key `agentd`."""

    text: str
    model: str
    usage: Usage = field(default_factory=Usage)
    cut: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


AgentHook = Callable[[Sequence[ChatMessage], Caller, dict[str, Any], TextSink | None], Awaitable[Spoken]]
"""Runs the agent on a conversation: (messages, who asks, the request's `metadata`, sink of the answer's text)."""


class _Ask(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _TextPart(_Ask):
    type: Literal["text"]
    text: str


class _Message(_Ask):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[_TextPart] | None = None

    def as_chat(self) -> ChatMessage:
        """Roles that the port doesn't know become the nearest it does."""
        roles: dict[str, Role] = {"developer": "system", "tool": "user"}
        text = self.content if isinstance(self.content, str) else "".join(part.text for part in self.content or [])
        known: Any = self.role
        return ChatMessage(role=roles.get(self.role, known), content=text)


class _NamedSchema(_Ask):
    schema_: dict[str, Any] = Field(alias="schema")


class _TextFormat(_Ask):
    type: Literal["text"]


class _ObjectFormat(_Ask):
    type: Literal["json_object"]


class _SchemaFormat(_Ask):
    type: Literal["json_schema"]
    json_schema: _NamedSchema


class _StreamOptions(_Ask):
    include_usage: bool = False


class _Completion(_Ask):
    """The fields of a chat completion request that are honoured."""

    model: str
    messages: Annotated[list[_Message], Field(min_length=1)]
    stream: bool = False
    stream_options: _StreamOptions | None = None
    response_format: _TextFormat | _ObjectFormat | _SchemaFormat | None = Field(default=None, discriminator="type")
    grammar: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    metadata: dict[str, Any] | None = None
    n: Literal[1] | None = None
    stop: None = None
    tools: Annotated[list[Any], Field(max_length=0)] | None = None

    def limit(self) -> int:
        """Tokens that may be written."""
        return self.max_completion_tokens or self.max_tokens or MAX_TOKENS

    def constraint(self) -> dict[str, Any]:
        """`json_schema` and `grammar` as the port wants them."""
        schema: dict[str, Any] | None = None
        if isinstance(self.response_format, _SchemaFormat):
            schema = self.response_format.json_schema.schema_
        elif isinstance(self.response_format, _ObjectFormat):
            schema = {"type": "object"}
        return {"json_schema": schema, "grammar": self.grammar}


class OpenAIApi:
    """The endpoints over one ChatModel. `states` are the providers to list. Callers need the scope `model`."""

    def __init__(
        self, model: ChatModel, states: Callable[[], Sequence[ProviderState]], agent: AgentHook | None = None
    ) -> None:
        self._model = model
        self._states = states
        self._agent = agent

    def routes(self) -> list[web.RouteDef]:
        """For `web.Application.add_routes`, behind the guard (`mounted` of agentd.http.routes)."""
        return [
            web.post("/v1/chat/completions", self.complete),
            web.get("/v1/models", self.models),
            web.get("/v1/models/{model:.+}", self.one_model),
        ]

    async def models(self, request: web.Request) -> web.Response:
        """Every model that can be asked for by name."""
        _require_scope(request)
        return web.json_response({"object": "list", "data": [self._listed(name) for name in self._names()]})

    async def one_model(self, request: web.Request) -> web.Response:
        """One of them."""
        _require_scope(request)
        name = request.match_info["model"]
        if name not in self._names():
            return _refusal(self._unknown(name))
        return web.json_response(self._listed(name))

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Answer one chat completion, at once or as server-sent events. A client that leaves stops it."""
        try:
            asked = await _read(request)
            _require_scope(request, asked.model)
            speak = self._speaker(asked, request[CALLER])
            if asked.stream:
                return await _streamed(request, asked, speak)
            return web.json_response(_whole(await _while_there(request, speak(None))))
        except (AgentdError, ProviderFailure) as error:
            return _refusal(error)

    def _speaker(self, asked: _Completion, caller: Caller) -> Callable[[TextSink | None], Coroutine[Any, Any, Spoken]]:
        """What answers this request, not yet begun. Raises NotFound for a model that isn't there."""
        messages = tuple(message.as_chat() for message in asked.messages)
        agent = self._agent
        if asked.model == AGENT and agent is not None:

            async def by_agent(on_text: TextSink | None) -> Spoken:
                return await agent(messages, caller, asked.metadata or {}, on_text)

            return by_agent
        provider, model = self._wished(asked.model)
        ask = ModelRequest(
            messages=messages,
            stable=0,  # nobody promises that these come again
            provider=provider,
            model=model,
            max_tokens=asked.limit(),
            temperature=asked.temperature or 0.0,
            **asked.constraint(),
        )

        async def by_model(on_text: TextSink | None) -> Spoken:
            reply = await self._model.turn(ask, on_text)
            return Spoken(
                text=reply.text,
                model=f"{reply.provider}/{reply.model}",
                usage=reply.usage,
                cut=reply.usage.output_tokens >= asked.limit(),
                extra={
                    "fallbacks": [_shown(fallback) for fallback in reply.fallbacks],
                    "constraint": reply.constraint,
                },
            )

        return by_model

    def _wished(self, name: str) -> tuple[str | None, str | None]:
        """(provider, model) of a model's name here."""
        if name == RAW:
            return None, None
        for state in self._states():
            if name == state.id:
                return state.id, None
            if name.startswith(f"{state.id}/"):
                model = name.removeprefix(f"{state.id}/")
                if model in {info.name for info in state.models}:
                    return state.id, model
        raise self._unknown(name)

    def _names(self) -> list[str]:
        named = [f"{state.id}/{info.name}" for state in self._states() for info in state.models]
        return [*([AGENT] if self._agent else []), RAW, *named]

    def _listed(self, name: str) -> dict[str, Any]:
        able: Constraint = "none"
        if name == RAW:
            able = self._model.state().constraint
        elif name != AGENT:
            provider, _ = self._wished(name)
            able = next(state.constraint for state in self._states() if state.id == provider)
        return {"id": name, "object": "model", "created": 0, "owned_by": "agentd", "constraint": able}

    def _unknown(self, name: str) -> NotFound:
        return NotFound(f"no model is named {name}; there are: {', '.join(self._names())}")


# ── reading a request ────────────────────────────────────────────────────────────────────────────────────────────────


def _require_scope(request: web.Request, model: str = AGENT) -> None:
    if model == AGENT and request[CALLER].may("model", "chat", "staff"):
        return
    if not request[CALLER].may("model"):
        raise Forbidden("This needs the scope admin or model (chat or staff for the model `agent`)")


async def _read(request: web.Request) -> _Completion:
    """The request's body. Raises InvalidParams naming the field."""
    if request.content_type != "application/json":
        raise InvalidParams("Content-Type must be application/json")
    try:
        return _Completion.model_validate_json(await request.read())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the body"
        hints = {
            "n": "one answer a request",
            "stop": "not offered here; cut the text at the caller",
            "tools": "not offered here; the model `agent` calls tools itself",
        }
        raise InvalidParams(f"{where}: {hints.get(where, first['msg'])}", field=where) from None


# ── writing an answer ────────────────────────────────────────────────────────────────────────────────────────────────


async def _streamed(
    request: web.Request, asked: _Completion, speak: Callable[[TextSink | None], Coroutine[Any, Any, Spoken]]
) -> web.StreamResponse:
    """Server-sent events. An error before the first piece is an ordinary refusal, a later one an event `error`."""
    pieces: asyncio.Queue[TextChunk | None] = asyncio.Queue()
    head = {"id": _new_id(), "object": "chat.completion.chunk", "created": int(time.time()), "model": asked.model}
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    wrote = False

    async def send(event: dict[str, Any]) -> None:
        if not response.prepared:
            await response.prepare(request)
            await response.write(_event({**head, "choices": [_choice({"role": "assistant", "content": ""})]}))
        await response.write(_event(event))

    async with _task(speak(pieces.put_nowait)) as task:
        task.add_done_callback(lambda _: pieces.put_nowait(None))
        try:
            while (piece := await _while_there(request, pieces.get())) is not None:
                if piece.restart and wrote:
                    raise ProviderFailure("unavailable", "the provider broke off in the middle; ask again")
                if not piece.restart:
                    wrote = True
                    await send({**head, "choices": [_choice({"content": piece.text})]})
            spoken = await task
        except (AgentdError, ProviderFailure) as error:
            if not response.prepared:
                raise
            await send({"error": _error(error)[1]})
            await response.write_eof()
            return response
    if not wrote and spoken.text:
        await send({**head, "choices": [_choice({"content": spoken.text})]})
    finish = "length" if spoken.cut else "stop"
    await send({**head, "model": spoken.model, "choices": [_choice({}, finish)], "agentd": spoken.extra})
    if asked.stream_options and asked.stream_options.include_usage:
        await send({**head, "model": spoken.model, "choices": [], "usage": _usage(spoken.usage)})
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


@asynccontextmanager
async def _task(work: Coroutine[Any, Any, Spoken]) -> AsyncIterator[asyncio.Task[Spoken]]:
    """A task that doesn't outlive the block."""
    task = asyncio.create_task(work, name="openai-api")
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, AgentdError, ProviderFailure):
            await task


async def _while_there(request: web.Request, work: Coroutine[Any, Any, T]) -> T:
    """Do it unless the client leaves or loses its rights first: then it is cancelled, and the model free for others."""
    task = asyncio.create_task(work, name="openai-api")
    still_admitted = request.get(STILL_ADMITTED, lambda: None)
    try:
        while not (await asyncio.wait({task}, timeout=GONE_CHECK_S))[0]:
            if request.transport is None or request.transport.is_closing():
                raise ConnectionResetError("the client has left")
            still_admitted()
        still_admitted()
        return task.result()
    finally:
        task.cancel()


def _whole(spoken: Spoken) -> dict[str, Any]:
    message = {"role": "assistant", "content": spoken.text}
    finish = "length" if spoken.cut else "stop"
    return {
        "id": _new_id(),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": spoken.model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": _usage(spoken.usage),
        "agentd": spoken.extra,
    }


def _choice(delta: dict[str, str], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _usage(usage: Usage) -> dict[str, int]:
    read, written = usage.input_tokens, usage.output_tokens
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def _shown(fallback: Fallback) -> dict[str, str]:
    return {"provider": fallback.provider, "kind": fallback.kind, "message": fallback.message}


def _event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _new_id() -> str:
    return f"chatcmpl-{secrets.token_hex(12)}"


def _error(error: AgentdError | ProviderFailure) -> tuple[int, dict[str, Any]]:
    """(HTTP status, OpenAI's error object)."""
    param, code = None, ""
    if isinstance(error, ProviderFailure):
        status, code = 400 if error.kind in ("bad_request", "blocked") else 503, error.kind
    else:
        status, code, param = STATUS.get(type(error), 500), error.type, error.data.get("field")
    kind = "invalid_request_error" if status < 500 else "server_error"
    body = {"message": error.message, "type": kind, "param": param, "code": code}
    if isinstance(error, AgentdError) and "user_message" in error.data:
        body["user_message"] = error.data["user_message"]
    return status, body


def _refusal(error: AgentdError | ProviderFailure) -> web.Response:
    status, body = _error(error)
    response = web.json_response({"error": body}, status=status)
    if isinstance(error, ProviderFailure) and error.retry_after_s is not None:
        response.headers["Retry-After"] = str(int(error.retry_after_s) + 1)
    return response
