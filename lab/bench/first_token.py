"""How soon the embedded model answers: from its snapshot in a new process, on the second turn, and after a cancel.

Issue 3: first token ≤ 1 s from a warm snapshot, second turn ≤ 0.6 s; cancel < 0.2 s. Each figure comes from a process
of its own with a snapshot folder of its own. A prompt of about 900 tokens, as the agent's with its two servers.
Issue 21: beside two processes that keep both cores busy a turn takes at most 2.2 times as long; the same turn alone and
beside them, in turns, and the medians count.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from agentd.messages import ChatMessage, ModelRequest, ProviderSettings
from bridges.llamacpp import LlamaCppModel
from bridges.llamacpp.weights import DEFAULT, WeightsFolder
from lab.bench._timing import in_a_process, longest_pause_ms, median

RULES = " ".join(f"Rule {number}: greet citizen number {number} kindly." for number in range(66))
PREFIX = ChatMessage(role="system", content=f"You help at an office counter and answer as JSON. {RULES}")
BESIDE = 5
"""Number of turns alone, and of turns beside the busy processes."""
SCHEMA = {
    "type": "object",
    "properties": {"action": {"const": "final"}, "response": {"type": "string", "maxLength": 60}},
    "required": ["action", "response"],
    "additionalProperties": False,
}


def run() -> dict[str, Any]:
    """Seconds, and the ratio of snapshot to cold reading. Downloads the weights when they are missing."""
    weights = WeightsFolder.from_environment().pull(DEFAULT, _silent, print)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / weights.name).symlink_to(weights)
        cold = in_a_process("first_token", "turns", AGENTD_MODELS=folder)
        snapshot = in_a_process("first_token", "turns", AGENTD_MODELS=folder)
        loaded = in_a_process("first_token", "warmed", AGENTD_MODELS=folder)
        cancelled = in_a_process("first_token", "cancels", AGENTD_MODELS=folder)
        beside = in_a_process("first_token", "beside", AGENTD_MODELS=folder)
    return {
        "model_first_token_cold_s": cold["first"],
        "model_first_token_snapshot_with_load_s": snapshot["first"],
        "model_load_and_restore_s": loaded["warm"],
        "model_first_token_snapshot_s": loaded["first"],
        "model_second_turn_first_token_s": loaded["second"],
        "model_snapshot_of_cold_ratio": round(loaded["first"] / cold["first"], 3),
        "model_cancel_writing_s": cancelled["writing"],
        "model_cancel_reading_s": cancelled["reading"],
        "model_heartbeat_worst_ms": loaded["heartbeat_worst_ms"],
        "model_turn_alone_s": beside["alone"],
        "model_turn_beside_two_busy_ratio": beside["ratio"],
    }


def _silent(_done: int, _total: int) -> None:
    """Show no progress bar."""


async def _measure(what: str) -> dict[str, float]:
    model = LlamaCppModel(ProviderSettings(id="llamacpp", type="llamacpp", settings={"n_ctx": 4096}))
    figures: dict[str, float] = {}
    try:
        if what == "beside":
            return await _beside(model)
        if what == "cancels":
            await model.warm([PREFIX])
            figures["writing"] = await _cancel(model, ModelRequest(messages=(PREFIX,), max_tokens=900), at_first=True)
            long = ChatMessage(role="user", content="Z y " * 700)
            figures["reading"] = await _cancel(model, ModelRequest(messages=(long,)), at_first=False)
            return figures
        if what == "warmed":
            started = time.perf_counter()
            await model.warm([PREFIX])
            figures["warm"] = round(time.perf_counter() - started, 2)
        heartbeat = asyncio.create_task(longest_pause_ms(0.01))
        figures["first"] = await _first_token(model, "Selamat pagi")
        figures["second"] = await _first_token(model, "Jam berapa sekarang?")
        heartbeat.cancel()
        figures["heartbeat_worst_ms"] = await heartbeat
        return figures
    finally:
        await model.aclose()


async def _beside(model: LlamaCppModel) -> dict[str, float]:
    await _whole(model, 0)
    alone, beside = [], []
    for number in range(1, 2 * BESIDE, 2):
        alone.append(await _whole(model, number))
        busy = [await asyncio.create_subprocess_exec(sys.executable, "-c", "while True: pass") for _ in range(2)]
        try:
            beside.append(await _whole(model, number + 1))
        finally:
            for process in busy:
                process.kill()
                await process.wait()
    return {"alone": median(alone), "ratio": round(median(beside, 4) / median(alone, 4), 2)}


async def _whole(model: LlamaCppModel, number: int) -> float:
    """Seconds for a turn that reads about 20 tokens and writes 30."""
    started = time.perf_counter()
    words = ChatMessage(role="user", content=f"{number}: tell me a long story about a river and the town beside it")
    await model.turn(ModelRequest(messages=(words,), max_tokens=30))
    return time.perf_counter() - started


async def _first_token(model: LlamaCppModel, question: str) -> float:
    first: list[float] = []
    started = time.perf_counter()
    messages = (PREFIX, ChatMessage(role="user", content=question))
    request = ModelRequest(messages=messages, json_schema=SCHEMA)
    await model.turn(request, lambda _text: first.append(time.perf_counter() - started))
    return round(first[0], 2)


async def _cancel(model: LlamaCppModel, request: ModelRequest, *, at_first: bool) -> float:
    wrote = asyncio.Event()
    task = asyncio.create_task(model.turn(request, lambda _text: wrote.set()))
    await (wrote.wait() if at_first else asyncio.sleep(2))
    started = time.perf_counter()
    task.cancel()
    await asyncio.wait({task})
    return round(time.perf_counter() - started, 4)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure(sys.argv[1]))))
