"""Of too many tools, the prompt tells of those that fit the request (issue 4), by the real bundled embedding."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from agentd.agent import picking
from agentd.agent.history import PastTurn, messages, opening
from agentd.agent.picking import ADDED, PromptTools, select
from agentd.agent.prompts import compose_system_instructions
from agentd.agent.toolset import Toolset, assemble
from agentd.messages import ToolInfo
from agentd.runs.records import RunBrief
from agentd.testing import MemoryTools
from bridges.meaning import BundledMeaning

WRITTEN = tomllib.loads((Path(__file__).parent / "tools.toml").read_text(encoding="utf-8"))
TEMPLATE = "Layani warga. {{custom_instruction}} {{language_guidance}} {{tool_guidance}}"
LIMIT = 8


def catalogue(**tools: str) -> Toolset:
    infos = [ToolInfo(name=name, server="hall", description=text) for name, text in tools.items()]
    return assemble(MemoryTools({info.name: dict for info in infos}, infos).catalogue(), None)


TOOLS = catalogue(**WRITTEN["tools"])
MEANING = BundledMeaning()


async def test_the_tool_that_a_request_needs_is_among_the_few_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picking, "RANKING_S", 60)  # the first ranking loads the model, on a busy machine for long
    missed = []
    for request, needed in WRITTEN["needs"].items():
        picked = await select(request, TOOLS, LIMIT, MEANING, None)
        assert picked is not None and len(picked.start) == LIMIT
        if needed not in picked.start:
            missed.append((request, needed, picked.start))
    assert missed == []


async def test_few_tools_are_all_told_of() -> None:
    assert await select("jam berapa?", catalogue(a="x", b="y"), 2, MEANING, None) is None


async def test_a_ranking_without_end_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        async def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
            return await asyncio.Future()

    monkeypatch.setattr(picking, "RANKING_S", 0.01)
    letter = ToolInfo(name="letter", server="office", description="A letter.", official=True)
    many = replace(TOOLS, tools=(*TOOLS.tools, letter))
    picked = await select("jam berapa?", many, LIMIT, Slow(), None)
    assert picked == await select("jam berapa?", many, LIMIT, None, None), "nor does the lack of a ranking"
    assert picked is not None and picked.start == ("letter", *(tool.name for tool in TOOLS.tools[: LIMIT - 1]))


async def test_a_later_request_adds_its_tools_at_the_end_and_keeps_the_start() -> None:
    first = await select("jam berapa sekarang?", TOOLS, LIMIT, MEANING, None)
    assert first is not None
    second = await select("Besok hujan tidak?", TOOLS, LIMIT, MEANING, first)
    assert second is not None and second.start == first.start
    assert "get_weather" in second.names and len(second.added) <= ADDED
    third = await select("Besok hujan tidak?", TOOLS, LIMIT, MEANING, second)
    assert third is not None and third.added == () and third.names == second.names

    def system(picked: PromptTools) -> str:
        return compose_system_instructions(TEMPLATE, TOOLS, tools=picked)

    assert system(first) == system(third) and "- get_current_time" in system(first)
    past = [
        PastTurn("jam berapa sekarang?", "Pukul 8.", prompt_tools=first),
        PastTurn("Besok hujan tidak?", "Ya.", prompt_tools=second),
    ]
    shown = messages(past, 10_000, TOOLS)
    assert shown[2] == opening("Besok hujan tidak?", "id", TOOLS, second)
    assert "get_weather(): Weather forecast" in shown[2].content


async def test_what_is_told_of_comes_back_from_its_record() -> None:
    picked = PromptTools(start=("a",), added=("b",), before=("c",))
    assert RunBrief.read({"told": picked.record()}).prompt_tools == picked and RunBrief.read({}).prompt_tools is None
