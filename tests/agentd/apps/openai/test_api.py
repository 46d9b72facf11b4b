"""/v1 as its clients see it: the real openai package against a real server. (design.md, models for servers)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import openai
import pytest

from agentd.apps.openai.answer import Spoken
from agentd.messages import Caller, ChatMessage
from tests.agentd.apps.openai.conftest import HELLO, Model

SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}


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


@pytest.mark.parametrize("cut", [True, False])
async def test_whether_an_answer_was_cut_is_the_providers_word_whatever_it_counts(serve: Any, cut: bool) -> None:
    """Not every endpoint counts tokens, and thoughts count among a model's."""
    model = Model()
    model.cut = cut
    answer = await (await serve(model)).chat.completions.create(
        model="raw", messages=HELLO, max_tokens=1 if not cut else 50
    )
    assert answer.choices[0].finish_reason == ("length" if cut else "stop")


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

    async def agent(messages: Sequence[ChatMessage], caller: Caller, metadata: Any) -> Spoken:
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
