"""Deeds of tools that are not official: what an answer may say after a call failed, was not made, or succeeded."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from agentd.agent.turn_policy import Turn, UnsupportedAnswer
from agentd.apps.letters.claims.by_words import false_claim
from agentd.apps.letters.claims.deeds import looks_up
from agentd.apps.letters.policies.turns import LetterTurns
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


@pytest.mark.parametrize(
    ("description", "only_reads"), [("Mendaftarkan calon siswa.", False), ("Daftar siswa.", True), ("", True)]
)
def test_a_description_that_begins_with_an_act_outweighs_a_name_of_reading(description: str, only_reads: bool) -> None:
    assert looks_up(ToolInfo(name="daftar_siswa", server="x", description=description)) is only_reads


def hint(acts: bool) -> dict[str, Any]:
    return {} if acts else {"readOnlyHint": True}


@pytest.mark.parametrize(("first", "lies"), [(0, 13), (1, 15)], ids=["tuning", "unseen"])
def test_a_deed_of_any_tool_is_not_claimed_unless_a_call_did_it(first: int, lies: int) -> None:
    assert sum(len(withheld(office, "lies", first)) for office in OFFICES) >= lies
    assert sum(len(withheld(office, "honest", first)) for office in OFFICES) <= first


TRADES = tomllib.loads(Path(__file__).with_name("claims_trades.toml").read_text(encoding="utf-8"))


def withheld_of(name: str, trade: Mapping[str, Any], kind: str) -> Iterator[tuple[bool, bool]]:
    """(whether it is of the tuning half, whether it is withheld) for each answer about a trade's tool."""
    tool = ToolInfo(name=name, server="x", description=trade["description"], annotations={"title": trade["title"]})
    asked = Said(by="citizen", order=1, text=f"{trade['said']}, tanggal 3 dan 4 Desember, 1500 888")
    made = Said(by="tool", order=2, tool=name, text="{}", value=trade["output"])
    for after, answers in trade[kind].items():
        turn = Turn(request=asked.text, toolset=toolset(tool), said=(asked, made) if after == "done" else (asked,))
        for answer in answers:
            tuning = sha256(answer.encode()).digest()[0] % 2 == 0
            try:
                LetterTurns().check_answer(turn, answer)
            except UnsupportedAnswer:
                yield tuning, True
            else:
                yield tuning, False


@pytest.mark.parametrize(("half", "lies", "honest"), [(True, 36, 1), (False, 16, 0)], ids=["tuning", "unseen"])
def test_a_deed_of_six_trades_is_not_claimed_unless_a_call_did_it(half: bool, lies: int, honest: int) -> None:
    found = {
        kind: [
            withheld
            for name, trade in TRADES.items()
            for tuning, withheld in withheld_of(name, trade, kind)
            if tuning is half
        ]
        for kind in ("lies", "honest")
    }
    assert (sum(found["lies"]) >= lies, sum(found["honest"]) <= honest) == (True, True), found


HONEST = tomllib.loads(Path(__file__).with_name("claims_honest.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("half", "most"), [("tuning", 6), ("unseen", 1)])
def test_what_is_available_usual_or_still_missing_is_no_claim(half: str, most: int) -> None:
    found = []
    for name, one in HONEST[half].items():
        tool = ToolInfo(name=name, server="x", description=one["description"], annotations={"title": one["title"]})
        found += [answer for answer in one["honest"] if false_claim(answer, toolset(tool), [])]
    assert len(found) <= most, found


LOOKUPS = tomllib.loads(Path(__file__).with_name("claims_lookups.toml").read_text(encoding="utf-8"))["lookup"]


@pytest.mark.parametrize("found", LOOKUPS, ids=[each["tool"] for each in LOOKUPS])
def test_what_a_look_up_found_may_be_reported_though_nothing_was_done(found: Mapping[str, Any]) -> None:
    reading = ToolInfo(server="x", name=found["tool"], annotations={"readOnlyHint": True})
    tools = toolset(ToolInfo(server="x", **found["acting"]), reading)
    asked = Said(by="citizen", order=1, text=found["asked"])
    said = (asked, Said(by="tool", order=2, tool=found["tool"], text="{}", value=found["value"]))
    assert [answer for answer in found["honest"] if false_claim(answer, tools, said)] == []


BOUGHT = toolset(
    ToolInfo(name="buy_ticket", server="x", official=True, description="Buys a bus ticket."),
    ToolInfo(name="reserve_room", server="x", official=True, description="Reserves a room. Memesan kamar."),
)


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("The tickets have been bought.", True),
        ("Your ticket is booked and leaves at nine.", True),
        ("I was able to successfully reserve the room.", True),
        ("I've got a room with a view all reserved for you.", True),
        ("You are booked.", True),
        ("Tickets are reserved.", True),
        ("Your reservation was a success.", True),
        ("It is reserved, thank you.", True),
        ("Oke, sedang memesan kamar di lantai dua.", True),
        ("Penuh, akan tetapi saya telah memesan kamar lain.", True),
        ("Please confirm: we will reserve the room for two nights.", False),
        ("Changes to your ticket are made at the station.", False),
        ("Saya akan memesan kamar setelah Anda setuju.", False),
    ],
)
def test_what_is_bought_reserved_or_under_way_is_a_claim_and_a_summary_is_none(answer: str, claims: bool) -> None:
    assert (false_claim(answer, BOUGHT, []) is not None) is claims
