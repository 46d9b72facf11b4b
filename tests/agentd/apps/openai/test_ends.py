"""/v1 where no answer comes to its end: failures, clients that leave, callers who may not ask."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import openai
import pytest

from agentd.apps.openai.api import OpenAIApi
from agentd.errors import ProviderFailure, ProviderUnavailable
from agentd.messages import Caller, ModelReply, ModelRequest
from agentd.ports import RESTART, TextChunk, TextSink
from tests.agentd.apps.openai.conftest import HELLO, Model
from tests.agentd.twins import wire


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

    async def ask() -> None:
        answer = await client.chat.completions.create(model="raw", messages=HELLO, stream=stream)
        async for _ in answer:
            pass

    asking = asyncio.create_task(ask())
    await asyncio.wait_for(model.hangs.wait(), 300)
    asking.cancel()
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
