"""Picking one of several offers: what the citizen picked counts, what they passed over doesn't."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.letters.policies.grounding import ungrounded
from agentd.messages import Said, ToolCall, ToolInfo

ROOM = ToolInfo(
    name="book_room",
    server="hotel",
    official=True,
    description="Book a hotel room.",
    input_schema={
        "type": "object",
        "properties": {
            "hotel_name": {"type": "string"},
            "room_type": {"type": "string", "enum": ["standard", "deluxe", "suite"]},
        },
    },
)
FOUND = [{"hotel_name": "Melati", "price": 300}, {"hotel_name": "Mawar", "price": 400}, {"hotel_name": "Anggrek"}]
TOLD = "A: Ada Melati, Mawar dan Anggrek. Mau yang mana?"


def refused(arguments: dict[str, Any], *lines: str | list[dict[str, Any]]) -> bool:
    said = [
        Said(by="tool", order=order, tool="find_hotels", text="{}", value=line)
        if isinstance(line, list)
        else Said(by="agent" if line.startswith("A: ") else "citizen", order=order, text=line.removeprefix("A: "))
        for order, line in enumerate(lines)
    ]
    call = ToolCall(tool=ROOM, input=arguments, run_id="r", session_id="", step=1, said=tuple(said))
    return bool(ungrounded(call))


@pytest.mark.parametrize(
    ("told", "said", "picked"),
    [
        (TOLD, "yang kedua", "Mawar"),
        (TOLD, "yg kedua aja", "Mawar"),
        (TOLD, "the second one please", "Mawar"),
        (TOLD, "nomor 2", "Mawar"),
        (TOLD, "boleh yang ketiga", "Anggrek"),
        (TOLD, "yang terakhir", "Anggrek"),
        (TOLD, "yang kelima", None),
        (TOLD, "bukan yang kedua", None),
        ("A: Ada Anggrek, lalu Mawar. Mau yang mana?", "yang pertama", "Anggrek"),
    ],
)
def test_of_several_found_offers_the_one_counts_that_was_picked(told: str, said: str, picked: str | None) -> None:
    names = [str(row["hotel_name"]) for row in FOUND]
    passed = [name for name in names if not refused({"hotel_name": name}, "cari hotel", FOUND, told, said)]
    assert passed == ([picked] if picked else [])


@pytest.mark.parametrize(
    ("told", "said", "passes"),
    [
        ("A: Mau kamar deluxe?", "boleh", True),
        ("A: Shall I book the deluxe room?", "Yes please", True),
        ("A: Ada standard, deluxe dan suite. Mau yang mana?", "yang kedua", True),
        ("A: Ada standard, deluxe dan suite. Mau yang mana?", "yang pertama", False),
        ("A: Ada deluxe dan suite, lanjut?", "ya", False),
        ("A: Kamar deluxe tidak ada. Lanjut?", "ya", False),
        ("A: Kamar deluxe habis. Lanjut?", "ya", False),
        ("A: Mau kamar deluxe?", "tidak", False),
        ("A: Mau kamar deluxe?", "mungkin", False),
        ("A: Mau kamar deluxe?", "ya, yang suite", False),
    ],
)
def test_a_declared_choice_that_was_offered_alone_is_agreed_to_by_a_yes(told: str, said: str, passes: bool) -> None:
    assert refused({"room_type": "deluxe"}, "mau kamar", told, said) is not passes
