"""What the daemon reads before the first citizen comes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from agentd.cli.serve import warm


async def test_the_tools_are_read_before_a_citizen_waits_for_it_if_they_must_be_selected() -> None:
    asked: list[Any] = []

    async def select(*request: Any) -> str:
        asked.append(request)
        return "some of them"

    made = SimpleNamespace(profile=lambda *_: SimpleNamespace(toolset="many"), select=select)
    await warm(made, after_s=0)
    assert asked == [("", "many", None)]
