"""What each hosted provider is asked in its own terms, and what it says in them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from agentd.errors import ProviderFailure
from agentd.messages import ChatMessage, ModelPrice, ModelRequest
from bridges.gemini_shapes import supported
from bridges.hosted import retry_after
from tests.bridges.test_hosted import SCHEMA, STREAMING, ask, kind_of_wire, provider
from tests.bridges.wires import KEY, WIRES, Answer

__all__ = ["kind_of_wire", "provider"]


@pytest.mark.parametrize("kind_of_wire", ["gemini"], indirect=True)
async def test_gemini_is_asked_in_its_own_terms(provider: Any) -> None:
    one = await provider(Answer(), model="gemini-2.5-flash")
    await one.turn(json_schema=SCHEMA, max_tokens=99)
    sent = one.wire.requests[0]
    assert sent["path"] == "/v1beta/models/gemini-2.5-flash:streamGenerateContent"
    assert sent["systemInstruction"]["parts"] == [{"text": "Answer as JSON."}]
    assert [turn["role"] for turn in sent["contents"]] == ["user", "model", "user"]
    config = sent["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"]["properties"]["action"] == {"enum": ["final"]}
    assert (config["temperature"], config["maxOutputTokens"]) == (0.0, 99)
    assert list(config["thinkingConfig"].values()) == [0]  # its client writes the field's name as it likes
    assert one.wire.headers[0]["x-goog-api-key"] == KEY


@STREAMING
@pytest.mark.parametrize("kind_of_wire", ["gemini", "openai"], indirect=True)
async def test_a_refusal_for_safety_is_blocked(provider: Any, streaming: bool) -> None:
    one = await provider(Answer(ending="blocked"))
    assert (await one.fails(streaming)).kind == "blocked"


@pytest.mark.parametrize("kind_of_wire", ["openai"], indirect=True)
async def test_a_refusal_that_the_end_of_a_stream_does_not_repeat_is_blocked(provider: Any) -> None:
    choices: list[dict[str, Any]] = [
        {"index": 0, "delta": {"refusal": "I can't help with that."}, "finish_reason": None},
        {"index": 0, "delta": {}, "finish_reason": "stop"},
    ]
    head = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m-1"}
    one = await provider(Answer(body=[{**head, "choices": [choice]} for choice in choices]))
    assert (await one.fails()).kind == "blocked"


@STREAMING
async def test_an_answer_without_end_is_given_up_long_before_its_time(
    provider: Any, streaming: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridges.answers.MOST_CHARS", 99)
    one = await provider(Answer(text="x" * 100))
    assert (await one.fails(streaming)).kind == "bad_output"


@STREAMING
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "compressed"])
async def test_a_body_without_end_fills_no_memory(
    provider: Any, streaming: bool, packed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridges.hosted.MOST_BYTES", 900 if packed else 99)
    one = await provider(Answer(text="x" * (9_999 if packed else 100), packed=packed))
    assert (await one.fails(streaming)).kind == "unavailable"


@pytest.mark.parametrize("kind_of_wire", ["gemini", "openai"], indirect=True)
async def test_the_time_to_wait_is_read_from_the_header(provider: Any) -> None:
    one = await provider(Answer(status=429, headers={"Retry-After": "17"}))
    assert (await one.fails()).retry_after_s == 17.0


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        (None, 3000, 3600),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 0, 0),
        ("soon", None, None),
        ("Fri, 99 Foo 1999", None, None),
    ],
)
def test_a_time_to_wait_that_is_a_date_is_counted_from_now(
    header: str | None, least: float | None, most: float
) -> None:
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    waits = retry_after({"Retry-After": header or in_an_hour})
    assert waits is None if least is None else waits is not None and least <= waits <= most


@pytest.mark.parametrize("kind_of_wire", ["gemini"], indirect=True)
async def test_gemini_names_the_time_to_wait_in_its_details(provider: Any) -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "41s"}]
    body = {"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED", "details": details}}
    assert (await (await provider(Answer(status=429, body=body))).fails()).retry_after_s == 41.0


@pytest.mark.parametrize("kind_of_wire", ["gemini"], indirect=True)
async def test_geminis_400_for_a_wrong_key_is_auth(provider: Any) -> None:
    message = "API key not valid. Please pass a valid API key."
    body = {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}
    assert (await (await provider(Answer(status=400, body=body))).fails()).kind == "auth"


@pytest.mark.parametrize("kind_of_wire", ["gemini"], indirect=True)
@pytest.mark.parametrize("suffix", ["/v1beta", "/v1beta/", "/"])
async def test_geminis_endpoint_may_name_the_version(provider: Any, kind_of_wire: str, suffix: str) -> None:
    async with WIRES["gemini"]() as wire:
        model = wire.model(endpoint=wire.endpoint + suffix)
        await model.turn(ask())
        await model.aclose()
        assert wire.requests[0]["path"] == "/v1beta/models/m-1:generateContent"


def test_only_what_gemini_takes_of_a_schema_is_sent() -> None:
    schema = {
        "type": "object",
        "properties": {"const": {"type": "string", "pattern": "x", "minLength": 3}, "nik": {"const": "1"}},
        "required": ["nik"],
        "$schema": "https://json-schema.org/draft/2020-12/schema",
    }
    assert supported(schema) == {
        "type": "object",
        "properties": {"const": {"type": "string"}, "nik": {"enum": ["1"]}},
        "required": ["nik"],
    }


@pytest.mark.parametrize("kind_of_wire", ["ollama"], indirect=True)
async def test_ollama_is_asked_in_its_own_terms(provider: Any) -> None:
    one = await provider(Answer(), settings={"n_ctx": 4096, "keep_alive": "30m"})
    await one.turn(json_schema=SCHEMA, max_tokens=99)
    sent = one.wire.requests[0]
    assert sent["path"] == "/api/chat"
    assert (sent["model"], sent["format"], sent["keep_alive"]) == ("m-1", SCHEMA, "30m")
    assert sent["options"] == {"num_ctx": 4096, "num_predict": 99, "temperature": 0.0}
    assert [turn["role"] for turn in sent["messages"]] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("kind_of_wire", ["ollama"], indirect=True)
async def test_a_missing_ollama_model_says_what_to_run(provider: Any) -> None:
    one = await provider(Answer(status=404))
    assert "agentd models pull" in (await one.fails()).message


@pytest.mark.parametrize("kind_of_wire", ["openai"], indirect=True)
async def test_openai_is_asked_in_its_own_terms(provider: Any) -> None:
    one = await provider(Answer())
    await one.turn(json_schema=SCHEMA, grammar='start: "a"')
    sent = one.wire.requests[0]
    assert sent["path"] == "/chat/completions"
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
    assert sent["stream_options"] == {"include_usage": True}
    assert "grammar" not in sent
    assert one.wire.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("kind_of_wire", ["openai"], indirect=True)
async def test_a_grammar_goes_to_an_endpoint_that_takes_one(provider: Any) -> None:
    one = await provider(Answer(), settings={"grammar": True})
    reply = await one.turn(json_schema=SCHEMA, grammar='start: "a"')
    assert (reply.constraint, one.model.state().constraint) == ("grammar", "grammar")
    assert one.wire.requests[0]["grammar"] == 'start: "a"'
    assert "response_format" not in one.wire.requests[0]


@pytest.mark.parametrize("kind_of_wire", ["openai"], indirect=True)
@pytest.mark.parametrize(("form", "sent"), [("json_object", {"type": "json_object"}), ("none", None)])
async def test_an_endpoint_without_schemas_gets_what_it_knows(provider: Any, form: str, sent: Any) -> None:
    one = await provider(Answer(), settings={"response_format": form}, api_key=None, api_key_name=None)
    reply = await one.turn(json_schema=SCHEMA)
    assert (reply.constraint, one.model.state().constraint) == ("none", "none")
    assert one.wire.requests[0].get("response_format") == sent


@pytest.mark.parametrize("kind_of_wire", ["ollama"], indirect=True)
async def test_a_long_prompt_gets_the_context_it_needs_and_one_too_long_is_refused_not_cut(provider: Any) -> None:
    one = await provider(Answer(), settings={"n_ctx": 4096, "n_ctx_max": 16384})
    for words, wanted in ((4_000, 4096), (12_000, 8192), (30_000, 16384)):
        asked = (ChatMessage(role="user", content="x" * words),)
        await one.model.turn(ModelRequest(messages=asked, max_tokens=100))
        assert one.wire.requests[-1]["options"]["num_ctx"] == wanted
    assert one.wire.requests[-1]["keep_alive"] == "30m"
    with pytest.raises(ProviderFailure, match="n_ctx_max is 16384") as refused:
        await one.model.turn(ModelRequest(messages=(ChatMessage(role="user", content="x" * 60_000),)))
    assert refused.value.kind == "unavailable" and len(one.wire.requests) == 3


@STREAMING
@pytest.mark.parametrize("kind_of_wire", ["openai"], indirect=True)
async def test_an_endpoint_that_refuses_a_form_is_asked_in_a_weaker_one_and_remembered(
    provider: Any, streaming: bool
) -> None:
    def refused(words: str) -> Answer:
        return Answer(status=400, body={"error": {"message": words}})

    schema, plain = refused("response_format type json_schema is unavailable"), refused("`response_format` is unknown")
    one = await provider(schema, plain, Answer())
    assert one.model.state().constraint == "json_schema"
    assert (await one.turn(streaming, json_schema=SCHEMA)).text == Answer().text
    await one.turn(streaming, json_schema=SCHEMA)
    forms = [(sent.get("response_format") or {}).get("type") for sent in one.wire.requests]
    assert forms == ["json_schema", "json_object", None, None]
    assert one.model.state().constraint == "none"


@pytest.mark.parametrize("kind_of_wire", ["openai"], indirect=True)
@pytest.mark.parametrize(
    ("words", "settings"),
    [("max_tokens is too large", {}), ("response_format is unknown", {"response_format": "json_schema"})],
)
async def test_another_refusal_or_a_form_that_was_chosen_is_asked_once(
    provider: Any, words: str, settings: dict[str, str]
) -> None:
    one = await provider(Answer(status=400, body={"error": {"message": words}}), settings=settings)
    assert (await one.fails(json_schema=SCHEMA)).kind == "bad_request"
    assert len(one.wire.requests) == 1


@STREAMING
@pytest.mark.parametrize("kind_of_wire", ["openai"], indirect=True)
@pytest.mark.parametrize(
    "error",
    [
        {"message": "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it"},
        {"message": "This model's maximum context length is 8192 tokens."},
        {"message": "Please shorten it.", "code": "context_length_exceeded"},
        {"message": "Too much.", "type": "exceed_context_size_error"},
    ],
)
async def test_a_prompt_too_long_for_one_model_may_go_to_the_next(
    provider: Any, streaming: bool, error: dict[str, str]
) -> None:
    """As llama.cpp's server, vLLM and OpenAI say it: all with 400, which else no other provider is asked after."""
    one = await provider(Answer(status=400, body={"error": error}))
    assert (await one.fails(streaming)).kind == "unavailable"


@pytest.mark.parametrize("kind_of_wire", ["ollama", "openai", "gemini"], indirect=True)
async def test_a_provider_says_where_it_is_what_it_reads_at_once_and_what_it_costs(provider: Any) -> None:
    """Issue 21: capability and price in `Models.list`."""
    price = ModelPrice(currency="USD", input=0.3, output=2.5)
    one = await provider(Answer(), settings={"n_ctx": 65536}, price=price)
    state = one.model.state()
    assert (state.local, state.context_tokens, state.price) == (True, 65536, price)
    far = await provider(Answer(), endpoint="https://models.example.org/v1")
    assert (far.model.state().local, far.model.state().price) == (False, None)
