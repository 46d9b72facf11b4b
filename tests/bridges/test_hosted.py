"""Gemini, Ollama and OpenAI-compatible providers at the real wire, through their real clients (seed 002, providers).

What all three owe is tested once for all three; what is peculiar to one has its own test below.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agentd.errors import FaultKind, ProviderFailure
from agentd.messages import ChatMessage, ModelPrice, ModelRequest, Usage
from agentd.ports import ChatModel, TextChunk
from bridges.gemini_shapes import supported
from tests.bridges.wires import KEY, WIRES, Answer, Wire

MESSAGES = (
    ChatMessage(role="system", content="Answer as JSON."),
    ChatMessage(role="user", content="Selamat pagi"),
    ChatMessage(role="assistant", content='{"action":"call_tool","tool":"get_current_time","input":{}}'),
    ChatMessage(role="user", content='{"tool_result":{}}'),
)
SCHEMA = {
    "type": "object",
    "properties": {"action": {"const": "final"}, "response": {"type": "string"}},
    "required": ["action", "response"],
    "additionalProperties": False,
}
STREAMING = pytest.mark.parametrize("streaming", [True, False], ids=["streaming", "at once"])


def ask(**fields: Any) -> ModelRequest:
    return ModelRequest(messages=MESSAGES, **fields)


class Provider:
    """A provider and the local server behind it."""

    def __init__(self, wire: Wire, model: ChatModel) -> None:
        self.wire = wire
        self.model = model
        self.seen: list[TextChunk] = []

    async def turn(self, streaming: bool = True, **fields: Any) -> Any:
        return await self.model.turn(ask(**fields), self.seen.append if streaming else None)

    async def fails(self, streaming: bool = True, **fields: Any) -> ProviderFailure:
        with pytest.raises(ProviderFailure) as caught:
            await self.turn(streaming, **fields)
        assert KEY not in caught.value.message
        return caught.value


@pytest.fixture(params=list(WIRES))
def kind_of_wire(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def provider(kind_of_wire: str) -> AsyncIterator[Any]:
    """A function from answers (and changed settings) to a running provider; all are closed afterwards."""
    running: list[Provider] = []

    async def start(*answers: Answer, **changes: Any) -> Provider:
        wire = WIRES[kind_of_wire](*answers)
        await wire.__aenter__()
        running.append(Provider(wire, wire.model(**changes)))
        return running[-1]

    yield start
    for each in running:
        await each.model.aclose()
        await each.wire.__aexit__()


@STREAMING
async def test_a_turn_is_answered_whole_with_its_usage(provider: Any, streaming: bool) -> None:
    one = await provider(Answer())
    reply = await one.turn(streaming, json_schema=SCHEMA)
    assert reply.text == Answer().text
    assert (reply.provider, reply.model, reply.attempts) == (one.model.provider, "m-1", 1)
    assert reply.usage == Usage(input_tokens=7, output_tokens=5)
    assert "".join(chunk.text for chunk in one.seen) == (reply.text if streaming else "")
    assert len(one.seen) == (5 if streaming else 0)
    assert one.model.state().state == "ready"
    assert (one.model.state().constraint, reply.constraint) == ("json_schema", "json_schema")
    assert (await one.turn(streaming, grammar='start: "a"')).constraint == "none"


@STREAMING
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "auth"),
        (403, "auth"),
        (404, "not_found"),
        (429, "rate_limit"),
        (500, "unavailable"),
        (503, "unavailable"),
    ],
)
async def test_a_status_becomes_a_kind_and_is_asked_once(
    provider: Any, streaming: bool, status: int, kind: FaultKind
) -> None:
    one = await provider(Answer(status=status))
    failure = await one.fails(streaming)
    assert failure.kind == kind
    assert len(one.wire.requests) == 1
    assert one.model.state().state == "down"


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        ("cut", "unavailable"),
        ("silent_end", "unavailable"),
        ("error_line", "unavailable"),
        ("garbage", "unavailable"),
        ("max_tokens", "bad_output"),
        ("hang", "timeout"),
    ],
)
async def test_a_stream_that_does_not_end_well_is_a_failure(provider: Any, ending: Any, kind: FaultKind) -> None:
    one = await provider(Answer(ending=ending))
    failure = await one.fails(json_schema=SCHEMA, timeout_s=2.0 if ending == "hang" else None)
    assert failure.kind == kind
    assert len(one.wire.requests) == 1


@pytest.mark.parametrize(
    ("ending", "kind"),
    [("cut", "unavailable"), ("garbage", "unavailable"), ("max_tokens", "bad_output"), ("hang", "timeout")],
)
async def test_an_answer_that_does_not_end_well_is_a_failure(provider: Any, ending: Any, kind: FaultKind) -> None:
    one = await provider(Answer(ending=ending))
    failure = await one.fails(False, json_schema=SCHEMA, timeout_s=2.0 if ending == "hang" else None)
    assert failure.kind == kind


async def test_free_text_may_end_at_the_limit(provider: Any) -> None:
    one = await provider(Answer(text="Selamat pa", ending="max_tokens"))
    assert (await one.turn(max_tokens=3)).text == "Selamat pa"


async def test_an_empty_answer_is_bad_output(provider: Any) -> None:
    one = await provider(Answer(text=""))
    assert (await one.fails()).kind == "bad_output"


@STREAMING
async def test_nobody_listening_is_a_failure_to_connect(provider: Any, streaming: bool) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{unused.getsockname()[1]}"
        one = await provider(Answer(), endpoint=endpoint)
        assert (await one.fails(streaming)).kind == "connect"


async def test_cancelling_leaves_the_server(provider: Any) -> None:
    one = await provider(Answer(ending="hang"))
    task = asyncio.create_task(one.turn())
    while not one.seen:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(one.wire.dropped.wait(), 300)


async def test_without_its_key_it_says_which_variable_is_missing(provider: Any) -> None:
    one = await provider(Answer(), api_key=None)
    assert one.model.state().state == "no_key"
    failure = await one.fails()
    assert (failure.kind, failure.message) == ("auth", "no API key: TEST_KEY is not set")
    assert one.wire.requests == []


async def test_the_requests_model_wins(provider: Any) -> None:
    one = await provider(Answer())
    assert (await one.turn(model="m-2")).model == "m-2"
    sent = one.wire.requests[0]
    assert "m-2" in (sent.get("model") or sent["path"])


def test_importing_a_provider_loads_no_client(kind_of_wire: str) -> None:
    import subprocess

    heavy = {"gemini": "google.genai", "ollama": "ollama", "openai": "openai"}[kind_of_wire]
    program = f"import bridges.{kind_of_wire}, sys; sys.exit('{heavy}' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


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


@pytest.mark.parametrize("kind_of_wire", ["gemini", "openai"], indirect=True)
async def test_the_time_to_wait_is_read_from_the_header(provider: Any) -> None:
    one = await provider(Answer(status=429, headers={"Retry-After": "17"}))
    assert (await one.fails()).retry_after_s == 17.0


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


@pytest.mark.parametrize("kind_of_wire", ["ollama", "openai", "gemini"], indirect=True)
async def test_a_provider_says_where_it_is_what_it_reads_at_once_and_what_it_costs(provider: Any) -> None:
    """Issue 21: capability and price in `Models.list`."""
    price = ModelPrice(currency="USD", input=0.3, output=2.5)
    one = await provider(Answer(), settings={"n_ctx": 65536}, price=price)
    state = one.model.state()
    assert (state.local, state.context_tokens, state.price) == (True, 65536, price)
    far = await provider(Answer(), endpoint="https://models.example.org/v1")
    assert (far.model.state().local, far.model.state().price) == (False, None)
