"""The embedded provider with its real weights (marked `model`), and what it says when they are missing."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agentd.errors import ProviderFailure
from agentd.messages import ChatMessage, ModelRequest, ProviderSettings
from agentd.ports import TextChunk
from bridges.llamacpp import LlamaCppModel
from tests.weights import weights  # noqa: F401

RULES = " ".join(f"Rule {number}: greet citizen number {number} kindly." for number in range(26))
SYSTEM = ChatMessage(role="system", content=f"You help at an office counter and answer as JSON. {RULES}")
SCHEMA = {
    "type": "object",
    "properties": {"action": {"const": "final"}, "response": {"type": "string", "maxLength": 60}},
    "required": ["action", "response"],
    "additionalProperties": False,
}


def settings(**own: object) -> ProviderSettings:
    return ProviderSettings(id="llamacpp", type="llamacpp", settings=own)


def ask(text: str, **fields: object) -> ModelRequest:
    return ModelRequest(messages=(SYSTEM, ChatMessage(role="user", content=text)), **fields)  # type: ignore[arg-type]


async def test_without_weights_it_says_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTD_MODELS", str(tmp_path))
    model = LlamaCppModel(settings())
    assert model.state().state == "down"
    with pytest.raises(ProviderFailure, match="run `agentd models pull`") as caught:
        await model.turn(ask("halo"))
    assert caught.value.kind == "not_found"
    await model.aclose()


async def test_a_file_that_is_no_model_is_an_error_not_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTD_MODELS", str(tmp_path))
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(2000))
    model = LlamaCppModel(settings(path=str(tmp_path / "broken.gguf")))
    with pytest.raises(ProviderFailure, match="cannot load broken"):
        await model.turn(ask("halo"))
    await model.aclose()


@pytest.mark.parametrize("own", [{"n_ctx": 0}, {"n_ctx": "many"}, {"threads": -1}])
def test_a_setting_of_the_wrong_kind_is_refused_at_start(own: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(own))):
        LlamaCppModel(settings(**own))


@pytest.fixture
def cache(weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: F811
    """A models folder of this test's own, so that its snapshots are too; the weights are linked in."""
    (tmp_path / weights.name).symlink_to(weights)
    monkeypatch.setenv("AGENTD_MODELS", str(tmp_path))
    return tmp_path


@pytest.fixture
async def model(cache: Path) -> AsyncIterator[LlamaCppModel]:
    model = LlamaCppModel(settings(n_ctx=2048))
    yield model
    await model.aclose()


def snapshots(cache: Path) -> list[tuple[str, int]]:
    """(name, inode) of each: a snapshot written anew has another inode."""
    return [(path.name, path.stat().st_ino) for path in cache.glob("snapshots/*.slot")]


@pytest.mark.model
async def test_a_new_process_goes_on_from_the_snapshot_and_streams_a_constrained_answer(
    cache: Path, model: LlamaCppModel
) -> None:
    await model.warm([SYSTEM])
    await model.aclose()
    (kept,) = snapshots(cache)
    pieces: list[TextChunk] = []
    fresh = LlamaCppModel(settings(n_ctx=2048))  # a new engine: all it has is the file
    reply = await fresh.turn(ask("halo", json_schema=SCHEMA), pieces.append)
    assert snapshots(cache) == [kept]  # read from, neither thrown away as useless nor written anew
    assert json.loads(reply.text)["action"] == "final"
    assert "".join(piece.text for piece in pieces) == reply.text and len(pieces) > 3
    assert '": "' not in reply.text  # compact
    assert reply.usage.input_tokens > 250
    with pytest.raises(ProviderFailure) as cut:
        await fresh.turn(ask("halo", json_schema=SCHEMA, max_tokens=3))
    assert cut.value.kind == "bad_output"
    with pytest.raises(ProviderFailure) as too_long:
        await fresh.turn(ask("a b c " * 2000))
    assert too_long.value.kind == "bad_request" and "n_ctx" in too_long.value.message
    letters = await fresh.turn(ask("halo", grammar='start: "salam" | "hormat"'))
    assert letters.text in ("salam", "hormat")
    await fresh.aclose()


@pytest.mark.model
async def test_cancelling_frees_the_caller_at_once_and_the_model_soon(model: LlamaCppModel) -> None:
    wrote = asyncio.Event()
    task = asyncio.create_task(model.turn(ask("Count from one to a thousand."), lambda text: wrote.set()))
    await wrote.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    reading = asyncio.create_task(
        model.turn(ModelRequest(messages=(SYSTEM.model_copy(update={"content": "Z y " * 400}),)))
    )
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    reply = await model.turn(ask("halo", json_schema=SCHEMA))
    assert json.loads(reply.text)["action"] == "final"


PROGRAM = """
import asyncio, signal, sys
from agentd.messages import ChatMessage, ModelRequest, ProviderSettings
from bridges.llamacpp import LlamaCppModel

async def main():
    task = asyncio.current_task()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    model = LlamaCppModel(ProviderSettings(id="llamacpp", type="llamacpp", settings={"n_ctx": 2048}))
    words = (ChatMessage(role="user", content="Count from one to a thousand, in words."),)
    try:
        await model.turn(ModelRequest(messages=words, max_tokens=1800), lambda text: print(text, flush=True))
    except asyncio.CancelledError:
        pass
    CLOSE

asyncio.run(main())
print("left in order", flush=True)
"""


@pytest.mark.model
@pytest.mark.parametrize("close", ["await model.aclose()", "pass"])
async def test_a_process_told_to_end_while_the_model_writes_ends_in_order(cache: Path, close: str) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM.replace("CLOSE", close), stdout=asyncio.subprocess.PIPE, env=dict(os.environ)
    )
    assert process.stdout is not None
    await process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    rest = await process.stdout.read()
    assert rest.decode().endswith("left in order\n")
    assert await process.wait() == 0
