"""What every Journal keeps, asked of the twin in memory and of the one in the store, over a crash."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agentd.ports import Journal
from agentd.runs.journal import Steps, StoreJournal
from agentd.runs.run_database import sqlite_engine
from agentd.runs.store import RunStore
from agentd.testing import MemoryJournal
from tests.agentd.runs.test_store import RUN, SESSION

Opened = Callable[[], Awaitable[Journal]]
"""A process's journal of the one run: the first, then that of each process after a crash."""


@pytest.fixture(params=["memory", "store"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    records: dict[str, dict[str, Any]] = {}
    store = RunStore(sqlite_engine(tmp_path / "runs.db"))
    request.addfinalizer(store.close)

    async def memory() -> Journal:
        return MemoryJournal(records)

    async def stored() -> Journal:
        await store.add_run(RUN, SESSION)
        begun = await store.begin(RUN.run_id, "node")
        assert begun is not None
        row, recorded, _ = begun
        return StoreJournal(store, row, recorded, Steps())

    return memory if request.param == "memory" else stored


async def test_what_was_recorded_is_answered_after_a_crash_and_not_done_again(opened: Opened) -> None:
    done: list[str] = []

    def act(name: str) -> Callable[[], Awaitable[dict[str, Any]]]:
        async def acted() -> dict[str, Any]:
            done.append(name)
            return {"name": name, "text": "é", "nothing": None}

        return acted

    first = await opened()
    answers = [await first.step(name, act(name), effects=name == "call-0") for name in ("turn-0", "call-0")]
    again = await opened()
    assert [await again.step(name, act("again")) for name in ("turn-0", "call-0")] == answers
    assert (await again.step("turn-1", act("turn-1")))["name"] == "turn-1"
    assert done == ["turn-0", "call-0", "turn-1"]


async def test_an_act_that_fails_is_not_recorded_and_is_done_again(opened: Opened) -> None:
    async def fails() -> dict[str, Any]:
        raise OSError("away")

    async def works() -> dict[str, Any]:
        return {"n": 1}

    with pytest.raises(OSError, match="away"):
        await (await opened()).step("turn-0", fails)
    assert await (await opened()).step("turn-0", works) == {"n": 1}
