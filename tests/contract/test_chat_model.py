"""What every ChatModel owes its caller, the in-memory twin and the real ones alike.

The hosted ones speak to local servers of their protocol through their own clients; the embedded one has real weights.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from agentd.errors import ProviderFailure
from agentd.messages import ChatMessage, ModelRequest, ProviderSettings
from agentd.ports import ChatModel, TextChunk
from agentd.testing import ScriptedModel
from bridges.fallback import FallbackChain
from bridges.llamacpp import LlamaCppModel
from tests.bridges.wires import WIRES, Answer
from tests.weights import weights  # noqa: F401

FINAL = '{"action":"final","response":"Selamat pagi, ada yang bisa dibantu?"}'
SCHEMA = {
    "type": "object",
    "properties": {"action": {"const": "final"}, "response": {"type": "string", "maxLength": 40}},
    "required": ["action", "response"],
    "additionalProperties": False,
}
KINDS = ["scripted", *WIRES, "fallback", pytest.param("llamacpp", marks=pytest.mark.model)]


def ask(**fields: Any) -> ModelRequest:
    system = ChatMessage(role="system", content="Answer as JSON.")
    return ModelRequest(messages=(system, ChatMessage(role="user", content="Selamat pagi")), **fields)


@pytest.fixture(params=KINDS)
async def make(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Any]:
    """A function to a model that answers, or (`slow=True`) one that takes long over its answer."""
    async with AsyncExitStack() as stack:

        async def start(slow: bool = False) -> ChatModel:
            model = await built(slow)
            stack.push_async_callback(model.aclose)
            return model

        async def built(slow: bool) -> ChatModel:
            kind = request.param
            if kind in WIRES:
                answer = Answer(text=FINAL, ending="hang" if slow else "whole")
                return (await stack.enter_async_context(WIRES[kind](answer))).model(id="mine")
            if kind == "llamacpp":
                request.getfixturevalue("weights")
                return LlamaCppModel(ProviderSettings(id="mine", type="llamacpp", settings={"n_ctx": 2048}))
            turn = json.dumps({"text": FINAL, "after_ms": 60_000 if slow else 0})
            (tmp_path / "script.jsonl").write_text(turn)
            own = {"script": "script.jsonl"}
            scripted = ScriptedModel(
                ProviderSettings(id="mine", type="scripted", settings=own, config_dir=str(tmp_path))
            )
            return FallbackChain([scripted], default="mine") if kind == "fallback" else scripted

        yield start


async def test_a_turn_is_whole_and_says_who_wrote_it(make: Any) -> None:
    model: ChatModel = await make()
    reply = await model.turn(ask(json_schema=SCHEMA))
    assert json.loads(reply.text)["action"] == "final"
    assert reply.provider == model.provider == "mine"
    assert reply.model
    assert reply.attempts == 1
    assert reply.usage.input_tokens > 0 and reply.usage.output_tokens > 0


async def test_the_streamed_pieces_are_the_text_and_come_before_the_reply(make: Any) -> None:
    model: ChatModel = await make()
    pieces: list[TextChunk] = []
    reply = await model.turn(ask(json_schema=SCHEMA), pieces.append)
    assert len(pieces) > 1
    assert "".join(piece.text for piece in pieces) == reply.text


async def test_cancelling_ends_the_turn(make: Any) -> None:
    model: ChatModel = await make(slow=True)
    task = asyncio.create_task(model.turn(ask(max_tokens=1500)))
    await asyncio.wait({task}, timeout=0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_its_state_names_it_and_its_models_without_asking_anybody(make: Any) -> None:
    model: ChatModel = await make()
    state = model.state()
    assert isinstance(model, ChatModel)
    assert state.id == "mine"
    assert [info.name for info in state.models]
    assert state.state in ("ready", "unknown")


async def test_it_can_be_closed_unused_and_twice(make: Any) -> None:
    model: ChatModel = await make()
    await model.aclose()
    await model.aclose()


@pytest.mark.parametrize("name", sorted(entry.name for entry in entry_points(group="agentd.models")))
def test_every_provider_type_is_found_by_its_entry_point(name: str) -> None:
    (entry,) = entry_points(group="agentd.models", name=name)
    assert callable(entry.load())


async def test_a_scripted_fault_is_a_provider_failure() -> None:
    with pytest.raises(ProviderFailure, match="rate_limit"):
        await ScriptedModel.of({"error": "rate_limit"}).turn(ask())
