"""Which prefixes the engine restores itself, without weights: what the library says that it read is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentd.messages import ChatMessage
from bridges.llamacpp.engine import Engine
from bridges.llamacpp.snapshots import SnapshotFolder

PREFIX = [ChatMessage(role="system", content="x" * 1_000)]
TOKENS = 100


class Library:
    """Says of each request the next of `timings`: (found in memory, read)."""

    def __init__(self) -> None:
        self.timings: list[tuple[int, int]] = []

    def handle_chat_completions(self, body: dict[str, Any], on_chunk: Callable[[dict[str, Any]], bool]) -> None:
        cached, read = self.timings.pop(0) if self.timings else (0, 5)
        on_chunk({"choices": [], "timings": {"cache_n": cached, "prompt_n": read, "predicted_n": 1}})


@pytest.mark.parametrize(
    ("read", "between", "restored"),
    [
        (TOKENS, True, False),  # half of what is kept: the library finds it
        (3 * TOKENS, True, True),  # less than a quarter, with what was written: it doesn't
        (3 * TOKENS, False, False),  # but the slot still holds it
    ],
)
def test_a_prefix_that_the_library_will_not_find_in_memory_is_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: int, between: bool, restored: bool
) -> None:
    weights = tmp_path / "weights.gguf"
    weights.touch()
    engine = Engine(weights, n_ctx=2048, threads=1, repack=False, snapshots=SnapshotFolder(tmp_path))
    library, asked = Library(), []

    def slot(action: str, file_name: str) -> dict[str, int]:
        asked.append(action)
        (tmp_path / file_name).write_bytes(b"state")
        return {"n_restored": TOKENS}

    monkeypatch.setattr(engine, "_server", library)
    monkeypatch.setattr(engine, "_slot", slot)
    body = {"messages": [], "max_tokens": 100}
    library.timings = [(0, TOKENS), (TOKENS, read)]
    key = engine.read_prefix(PREFIX, lambda: False)
    engine.write(body, key, print, lambda: False)
    if between:
        engine.write(body, None, print, lambda: False)
    assert engine.read_prefix(PREFIX, lambda: False) == key
    assert asked == ["save", *(["restore"] if restored else [])]
