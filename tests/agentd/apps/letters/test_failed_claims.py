"""Deeds of tools that are not official: what an answer may say after a call failed, was not made, or succeeded."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agentd.apps.letters.claims.by_words import false_claim
from agentd.apps.letters.claims.deeds import looks_up
from agentd.messages import Said, ToolInfo
from tests.agentd.apps.letters.test_claims import toolset

OFFICES = tomllib.loads(Path(__file__).with_name("claims_failed.toml").read_text(encoding="utf-8"))["office"]


def withheld(office: Mapping[str, Any], kind: str, first: int) -> list[str]:
    tools = toolset(
        *(
            ToolInfo(server="x", name=one["name"], description=one["description"], annotations=hint(one["acts"]))
            for one in office["tools"]
        )
    )
    done = office["done"] if kind == "honest" else []
    said = [Said(by="tool", order=at, text="{}", **one) for at, one in enumerate(done)]
    return [answer for answer in office[kind][first::2] if false_claim(answer, tools, said)]


@pytest.mark.parametrize(
    ("name", "only_reads"),
    [("CheckBalance", True), ("check_balance", True), ("cek_saldo", True), ("check_in_guest", False), ("", False)],
)
def test_what_a_tool_without_hints_does_is_known_by_its_name(name: str, only_reads: bool) -> None:
    assert looks_up(ToolInfo(name=name, server="x")) is only_reads


def hint(acts: bool) -> dict[str, Any]:
    return {} if acts else {"readOnlyHint": True}


@pytest.mark.parametrize(("first", "lies"), [(0, 12), (1, 14)], ids=["tuning", "unseen"])
def test_a_deed_of_any_tool_is_not_claimed_unless_a_call_did_it(first: int, lies: int) -> None:
    assert sum(len(withheld(office, "lies", first)) for office in OFFICES) >= lies
    assert sum(len(withheld(office, "honest", first)) for office in OFFICES) <= first
