"""Judging what was said leaves the event loop free, and proves nothing once its time is over (issue 15, row 1)."""

from __future__ import annotations

import asyncio
from threading import get_ident
from typing import Any

import pytest

from agentd.agent.aside import SHORT, aside, read
from agentd.agent.policies import PolicedTools
from agentd.apps.letters.policies.grounding import Grounded, ungrounded
from agentd.testing import MemoryTools
from tests.agentd.apps.letters.letters import call, letter


async def test_the_loop_goes_on_while_a_long_text_is_judged() -> None:
    tools = MemoryTools({letter().name: lambda _: {}}, [letter()])
    judged = asyncio.create_task(PolicedTools(tools, [Grounded()]).call(call({"nama": "Budi"}, "a," * 4000)))
    beats = 0
    while not judged.done():
        await asyncio.sleep(0)
        beats += 1
    assert not (await judged).success
    assert beats > 3  # judged on the loop it is done at the first


async def test_what_is_short_is_read_at_once_and_the_rest_beside_the_loop() -> None:
    assert await read(SHORT, get_ident) == get_ident()
    assert await read(SHORT + 1, get_ident) != get_ident()


async def test_a_reading_that_runs_out_of_time_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments: dict[str, Any] = {"nama": "Budi Santoso", "rt": "003"}
    said = call(arguments, "Nama saya Budi Santoso, RT 3")
    monkeypatch.setattr("agentd.agent.aside.BUDGET_S", 60)
    assert await aside(ungrounded, said) == []
    monkeypatch.setattr("agentd.agent.aside.BUDGET_S", -1)
    assert [field.path for field in await aside(ungrounded, said)] == ["nama", "rt"]
