"""/v1 as its clients see it: the real openai package against a real server. (design.md, models for servers)"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import openai
import pytest
from aiohttp import web

from agentd.apps.openai.answer import Spoken
from agentd.apps.openai.api import AgentHook, OpenAIApi
from agentd.errors import ProviderFailure, ProviderUnavailable
from agentd.http.guard import CALLER
from agentd.messages import Caller, ChatMessage, Fallback, ModelInfo, ModelReply, ModelRequest, ProviderState, Usage
from agentd.ports import RESTART, TextChunk, TextSink
from tests.agentd.twins import wire

ADMIN = Caller(id="local", scopes=frozenset({"admin"}))
HELLO: Any = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Selamat pagi"}]
SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}


class Model:
    """A chain of one provider that writes these pieces, or raises what stands among them."""

    provider = "local"

    def __init__(self, *pieces: str | TextChunk | Exception) -> None:
        self.pieces = pieces or ("Selamat ", "pagi.")
        self.asked: list[ModelRequest] = []
        self.left = asyncio.Event()
        self.hang = False

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        self.asked.append(request)
        try:
            for piece in self.pieces:
                if isinstance(piece, Exception):
                    raise piece
                if on_text is not None:
                    on_text(TextChunk(piece) if isinstance(piece, str) else piece)
            if self.hang:
                await asyncio.Event().wait()
        finally:
            self.left.set()
        again = self.pieces.index(RESTART) + 1 if RESTART in self.pieces else 0
        said = "".join(str(piece) for piece in self.pieces[again:])
        passed = (Fallback(provider="gemini", kind="auth", message="no API key"),)
        usage = Usage(input_tokens=7, output_tokens=3)
        return ModelReply(
            text=said,
            provider="local",
            model=request.model or "m-1",
            usage=usage,
            fallbacks=passed,
            constraint="grammar",
        )

    def state(self) -> ProviderState:
        infos = (ModelInfo(name="m-1"), ModelInfo(name="org/m-2"))
        return ProviderState(id="local", type="test", models=infos, state="ready", constraint="grammar")

    async def aclose(self) -> None:
        """Nothing to close."""


@pytest.fixture
async def serve() -> AsyncIterator[Any]:
    """A function from a model (and more) to an openai client of a server that offers it."""
    servers: list[web.AppRunner] = []  # as the daemon starts it: a client that leaves cancels no handler
    clients: list[openai.AsyncOpenAI] = []

    async def start(model: Model, agent: AgentHook | None = None, caller: Caller = ADMIN) -> openai.AsyncOpenAI:
        @web.middleware
        async def admit(request: web.Request, handler: Any) -> web.StreamResponse:
            request[CALLER] = caller
            answer: web.StreamResponse = await handler(request)
            return answer

        app = web.Application(middlewares=[admit])
        app.add_routes(OpenAIApi(model, lambda: [model.state()], agent).routes())
        servers.append(web.AppRunner(app))
        await servers[-1].setup()
        await web.TCPSite(servers[-1], "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{servers[-1].addresses[0][1]}/v1"
        clients.append(openai.AsyncOpenAI(api_key="x", base_url=url, max_retries=0))
        return clients[-1]

    start.servers = servers
    yield start
    for client in clients:
        await client.close()
    for server in servers:
        await server.cleanup()


async def test_a_completion_is_answered_with_usage_and_who_wrote_it(serve: Any) -> None:
    model = Model()
    client = await serve(model)
    answer = await client.chat.completions.create(model="raw", messages=HELLO, max_tokens=50, temperature=0.5)
    assert answer.choices[0].message.content == "Selamat pagi."
    assert (answer.choices[0].finish_reason, answer.model) == ("stop", "local/m-1")
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens) == (7, 3, 10)
    assert answer.agentd["fallbacks"] == [{"provider": "gemini", "kind": "auth", "message": "no API key"}]
    asked = model.asked[0]
    assert [message.role for message in asked.messages] == ["system", "user"]
    assert (asked.max_tokens, asked.temperature, asked.provider, asked.stable) == (50, 0.5, None, 0)


async def test_a_model_says_what_it_can_be_held_to_and_an_answer_what_it_was(serve: Any) -> None:
    client = await serve(Model())
    listed = {model.id: model.constraint for model in (await client.models.list()).data}
    assert listed == {"raw": "grammar", "local/m-1": "grammar", "local/org/m-2": "grammar"}
    assert (await client.models.retrieve("local/m-1")).constraint == "grammar"
    answer = await client.chat.completions.create(model="raw", messages=HELLO)
    assert answer.agentd["constraint"] == "grammar"


async def test_a_stream_brings_the_pieces_then_the_end_then_the_usage(serve: Any) -> None:
    client = await serve(Model())
    options = {"include_usage": True}
    stream = await client.chat.completions.create(model="raw", messages=HELLO, stream=True, stream_options=options)
    chunks = [chunk async for chunk in stream]
    texts = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices and chunk.choices[0].delta.content]
    assert texts == ["Selamat ", "pagi."]
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage.total_tokens == 10


async def test_the_schema_and_the_grammar_reach_the_model(serve: Any) -> None:
    model = Model()
    client = await serve(model)
    named = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA, "strict": True}}
    await client.chat.completions.create(model="raw", messages=HELLO, response_format=named)
    await client.chat.completions.create(model="raw", messages=HELLO, response_format={"type": "json_object"})
    await client.chat.completions.create(model="raw", messages=HELLO, extra_body={"grammar": 'start: "a"'})
    assert [asked.json_schema for asked in model.asked] == [SCHEMA, {"type": "object"}, None]
    assert model.asked[2].grammar == 'start: "a"'


@pytest.mark.parametrize(
    ("name", "wish"),
    [
        ("raw", (None, None)),
        ("local", ("local", None)),
        ("local/m-1", ("local", "m-1")),
        ("local/org/m-2", ("local", "org/m-2")),
    ],
)
async def test_a_models_name_chooses_provider_and_model(serve: Any, name: str, wish: Any) -> None:
    model = Model()
    client = await serve(model)
    await client.chat.completions.create(model=name, messages=HELLO)
    assert (model.asked[0].provider, model.asked[0].model) == wish


async def test_the_list_names_everything_that_can_be_asked(serve: Any) -> None:
    async def agent(*_: Any) -> Spoken:
        raise AssertionError

    client = await serve(Model(), agent)
    assert [model.id async for model in client.models.list()] == ["agent", "raw", "local/m-1", "local/org/m-2"]
    assert (await client.models.retrieve("local/org/m-2")).id == "local/org/m-2"


async def test_the_agent_answers_where_it_is_offered(serve: Any) -> None:
    heard: list[Any] = []

    async def agent(messages: Sequence[ChatMessage], caller: Caller, metadata: Any, sink: TextSink | None) -> Spoken:
        heard.append((messages[-1].content, caller.id, metadata))
        return Spoken(text="Surat jadi.", model="agent", extra={"run_id": "r-1"})

    client = await serve(Model(), agent)
    answer = await client.chat.completions.create(model="agent", messages=HELLO, metadata={"session_id": "s"})
    assert (answer.choices[0].message.content, answer.agentd) == ("Surat jadi.", {"run_id": "r-1"})
    assert heard == [("Selamat pagi", "local", {"session_id": "s"})]
    stream = await client.chat.completions.create(model="agent", messages=HELLO, stream=True)
    texts = [chunk.choices[0].delta.content async for chunk in stream if chunk.choices]
    assert "".join(text or "" for text in texts) == "Surat jadi."
    without = await serve(Model())
    with pytest.raises(openai.NotFoundError):
        await without.chat.completions.create(model="agent", messages=HELLO)


async def test_an_unknown_model_lists_the_known_ones(serve: Any) -> None:
    client = await serve(Model())
    with pytest.raises(openai.NotFoundError, match="there are: raw, local/m-1, local/org/m-2"):
        await client.chat.completions.create(model="gpt-9", messages=HELLO)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"n": 2}, "n: one answer a request"),
        ({"stop": ["\n"]}, "stop: not offered here"),
        ({"response_format": {"type": "xml"}}, "response_format: its 'type' should be one of 'text'"),
        ({"messages": []}, "messages"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"temperature": 3}, "temperature"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools: not offered here"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages.0.content: it should be text"),
    ],
)
async def test_what_cannot_be_honoured_is_refused_by_name(serve: Any, wrong: dict[str, Any], named: str) -> None:
    model = Model()
    client = await serve(model)
    with pytest.raises(openai.BadRequestError, match=named):
        await client.chat.completions.create(**{"model": "raw", "messages": HELLO, **wrong})
    assert model.asked == []


async def test_parts_and_newer_roles_are_read(serve: Any) -> None:
    model = Model()
    client = await serve(model)
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    messages = [{"role": "developer", "content": "d"}, {"role": "user", "content": parts}]
    await client.chat.completions.create(model="raw", messages=messages)
    assert [(message.role, message.content) for message in model.asked[0].messages] == [("system", "d"), ("user", "ab")]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("error", "raised", "code"),
    [
        (ProviderUnavailable("No provider answered."), openai.InternalServerError, "provider_unavailable"),
        (ProviderFailure("bad_request", "too long"), openai.BadRequestError, "bad_request"),
        (ProviderFailure("blocked", "no"), openai.BadRequestError, "blocked"),
    ],
)
async def test_a_failure_is_a_typed_error(serve: Any, stream: bool, error: Exception, raised: Any, code: str) -> None:
    client = await serve(Model(error))
    with pytest.raises(raised) as caught:
        await client.chat.completions.create(model="raw", messages=HELLO, stream=stream)
    assert caught.value.code == code


@pytest.mark.parametrize("later", [RESTART, ProviderFailure("unavailable", "gone")])
async def test_a_stream_that_must_start_over_ends_with_an_error(serve: Any, later: Any) -> None:
    client = await serve(Model("half an ", later, "other"))
    stream = await client.chat.completions.create(model="raw", messages=HELLO, stream=True)
    with pytest.raises(openai.APIError, match=r"broke off|gone"):
        async for _ in stream:
            pass


async def test_starting_over_before_anything_was_written_is_not_seen(serve: Any) -> None:
    client = await serve(Model(RESTART, "whole"))
    stream = await client.chat.completions.create(model="raw", messages=HELLO, stream=True)
    texts = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
    assert "".join(texts) == "whole"


@pytest.mark.parametrize("stream", [True, False])
async def test_a_client_that_leaves_frees_the_model_and_is_no_error_in_the_log(
    serve: Any, stream: bool, caplog: pytest.LogCaptureFixture
) -> None:
    model = Model()
    model.hang = True
    client = await serve(model)
    with pytest.raises(openai.APITimeoutError):
        answer = await client.chat.completions.create(model="raw", messages=HELLO, stream=stream, timeout=0.3)
        if stream:
            async for _ in answer:
                pass
    await asyncio.wait_for(model.left.wait(), 300)
    await serve.servers[0].cleanup()  # when its requests have ended
    assert not [one for one in caplog.records if one.levelname == "ERROR"]


async def test_only_callers_with_the_scope_may_ask(serve: Any) -> None:
    model = Model()
    client = await serve(model, caller=Caller(id="kiosk", scopes=frozenset({"kiosk"})))
    with pytest.raises(openai.PermissionDeniedError):
        await client.chat.completions.create(model="raw", messages=HELLO)
    assert model.asked == []
    server = await serve(model, caller=Caller(id="graphiti", scopes=frozenset({"model"})))
    assert (await server.chat.completions.create(model="raw", messages=HELLO)).choices


@pytest.mark.parametrize("busy", [False, True])
async def test_a_revoked_tokens_stream_ends_with_why(tmp_path: Path, busy: bool) -> None:
    class Endless(Model):
        async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
            assert on_text is not None
            on_text(TextChunk("Selamat "))
            try:
                while True:
                    await asyncio.sleep(0.01 if busy else 3600)
                    on_text(TextChunk("pagi "))
            finally:
                self.left.set()

    model = Endless()
    async with wire(tmp_path, mounted=OpenAIApi(model, lambda: [model.state()]).routes()) as at:
        token = at.tokens.add("page", frozenset({"model"}), now=datetime(2026, 1, 5, tzinfo=UTC))
        at.tokens.add("other", frozenset({"admin"}), now=datetime(2026, 1, 5, tzinfo=UTC))
        client = openai.AsyncOpenAI(api_key=token, base_url=f"{at.url}/v1", max_retries=0)
        stream = await client.chat.completions.create(model="raw", messages=HELLO, stream=True)
        await anext(stream)
        at.tokens.revoke("page")
        with pytest.raises(openai.APIError, match=r"rights of this connection|not known"):
            async for _ in stream:
                pass
        await model.left.wait()
        await client.close()
