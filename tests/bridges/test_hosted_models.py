"""What some hosted models refuse or do with their tokens, and what they are asked from then on."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.bridges.test_hosted import SCHEMA, STREAMING, kind_of_wire, provider
from tests.bridges.wires import Answer
from tests.waiting import until

__all__ = ["kind_of_wire", "provider"]


@pytest.mark.parametrize("kind_of_wire", ["openai"], indirect=True)
async def test_citizens_who_come_at_once_to_an_endpoint_without_schemas_are_all_answered(provider: Any) -> None:
    """Each turn weakens what it has itself sent: the second must not give up the form that the first has just tried."""
    held = asyncio.Event()
    refused = {"error": {"message": "This response_format type is unavailable now"}}
    one = await provider(*[Answer(status=400, body=refused, held=held)] * 3, Answer())
    turns = [asyncio.create_task(one.turn(False, json_schema=SCHEMA)) for _ in range(3)]
    await asyncio.to_thread(until, lambda: len(one.wire.requests) == 3, "all three have asked")
    held.set()
    assert [reply.constraint for reply in await asyncio.gather(*turns)] == ["none"] * 3
    forms = [sent["response_format"]["type"] for sent in one.wire.requests]
    assert forms == ["json_schema"] * 3 + ["json_object"] * 3


@STREAMING
@pytest.mark.parametrize("kind_of_wire", ["openai"], indirect=True)
async def test_a_model_that_counts_and_chooses_by_itself_is_asked_in_its_terms(provider: Any, streaming: bool) -> None:
    """As OpenAI's models with reasoning say it; another model of the endpoint is asked as before."""
    limit = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    degree = "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) is supported."
    one = await provider(*(Answer(status=400, body={"error": {"message": said}}) for said in (limit, degree)), Answer())
    await one.turn(streaming)
    await one.turn(streaming)
    await one.turn(streaming, model="m-2")
    asked = [sorted(sent.keys() & {"max_tokens", "max_completion_tokens", "temperature"}) for sent in one.wire.requests]
    old, new = ["max_tokens", "temperature"], ["max_completion_tokens"]
    assert asked == [old, [*new, "temperature"], new, new, old]


@pytest.mark.parametrize("kind_of_wire", ["ollama"], indirect=True)
async def test_an_ollama_model_thinks_only_if_the_office_wants_it(provider: Any) -> None:
    one = await provider(Answer())
    await one.turn(True)
    assert one.wire.requests[0]["think"] is False
    one = await provider(Answer(), settings={"think": "low"})
    await one.turn(True)
    assert one.wire.requests[0]["think"] == "low"


THOUGHTS_ALONE: dict[str, list[Any]] = {
    "gemini": [
        {"candidates": [{"finishReason": "MAX_TOKENS"}], "usageMetadata": {"thoughtsTokenCount": 1020}},
    ],
    "ollama": [
        {"message": {"role": "assistant", "content": "", "thinking": "Hmm"}, "done": True, "done_reason": "length"},
    ],
    "openai": [
        {"choices": [{"index": 0, "delta": {"reasoning_content": "Hmm"}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]},
    ],
}
"""A stream in which a model's thoughts use up the tokens of its answer."""


async def test_a_model_whose_thoughts_use_up_its_tokens_gets_room_for_them(provider: Any, kind_of_wire: str) -> None:
    """Such an answer was given up, and so was the next: no turn of a model that thinks much was ever answered."""
    one = await provider(Answer(body=THOUGHTS_ALONE[kind_of_wire]), Answer(), Answer(ending="max_tokens"))
    assert (await one.turn(json_schema=SCHEMA)).text == Answer().text
    assert (await one.fails(json_schema=SCHEMA)).kind == "bad_output"  # without thoughts, cut is cut
    limits = {"gemini": ("generationConfig", "maxOutputTokens"), "ollama": ("options", "num_predict")}
    inner, name = limits.get(kind_of_wire, ("", "max_tokens"))
    assert [(sent[inner] if inner else sent)[name] for sent in one.wire.requests] == [1024, 9216, 9216]


@pytest.mark.parametrize("kind_of_wire", ["openai"], indirect=True)
async def test_thoughts_that_are_only_counted_get_room_too(provider: Any) -> None:
    counted = {"completion_tokens_details": {"reasoning_tokens": 1024}, "completion_tokens": 1024, "prompt_tokens": 7}
    choice = {"index": 0, "message": {"role": "assistant", "content": None}, "finish_reason": "length"}
    one = await provider(Answer(body={"choices": [choice], "usage": counted}), Answer())
    assert (await one.turn(False, json_schema=SCHEMA)).text == Answer().text
    assert [sent["max_tokens"] for sent in one.wire.requests] == [1024, 9216]
