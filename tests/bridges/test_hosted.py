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
from agentd.messages import ChatMessage, ModelRequest, Usage
from agentd.ports import ChatModel, TextChunk
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
        (409, "unavailable"),
        (413, "rate_limit"),
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
    failure = await one.fails(False, json_schema=SCHEMA, timeout_s=0.5 if ending == "hang" else None)
    assert failure.kind == kind


async def test_free_text_may_end_at_the_limit(provider: Any) -> None:
    one = await provider(Answer(text="Selamat pa", ending="max_tokens"))
    reply = await one.turn(max_tokens=3)
    assert (reply.text, reply.cut) == ("Selamat pa", True)


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
