"""The rubric of what people ask first: a set of fixed size, and each fault seen."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from agentd.messages import AgentStep
from lab.eval.openings.judging import FILE, Opening, Reply, faults, load

SENTENCE = "Syarat Surat Keterangan Usaha: KTP; Kartu Keluarga. Biaya: Gratis."


def test_the_set_has_150_different_openings_of_eleven_kinds_in_two_languages() -> None:
    openings = load()
    assert len({one.text for one in openings}) == 150
    assert len(Counter(one.kind for one in openings)) == 11
    assert {one.language for one in openings} == {"id", "en"}


def test_what_people_type_on_a_telephone_is_a_set_of_its_own() -> None:
    strangers, campus = (load(FILE.with_name(f"{name}.toml")) for name in ("strangers", "campus"))
    assert (len({one.text for one in strangers}), len({one.text for one in campus})) == (64, 20)
    assert {one.language for one in strangers} == {"id", "en", "jv"}


def requirements(letter: str = "surat_keterangan_usaha", *, success: bool = True) -> AgentStep:
    output = {"letter_type": letter}
    return AgentStep(
        tool="get_letter_requirements", server="certificate", input={}, success=success, output=output, message=SENTENCE
    )


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ({}, []),
        ({"text": "Biayanya 25000 rupiah, bukan gratis."}, ["invented 25000"]),
        ({"text": "Kami tidak tahu."}, ["doesn't say what it must"]),
        ({"text": "It is free of charge, you only need your card."}, ["not in id"]),
        ({"steps": [requirements("surat_pengantar")]}, ["no requirements of that letter"]),
        ({"steps": [requirements(), requirements(success=False)]}, ["says that there is no such letter"]),
        ({"turns": 3, "read": 501}, ["3 model turns", "501 tokens read"]),
    ],
)
def test_each_fault_is_named(reply: dict[str, Any], found: list[str]) -> None:
    opening = Opening(kind="cost", text="Berapa biaya surat usaha?", letter="surat_keterangan_usaha")
    good = {"text": SENTENCE, "steps": [requirements()], "turns": 1, "read": 40, "written": 0}
    assert faults(opening, Reply(**{**good, **reply})) == found


def test_a_tool_that_does_not_fit_the_kind_is_a_fault() -> None:
    thanks = Opening(kind="thanks", text="Terima kasih")
    assert faults(thanks, Reply("Sama-sama!", [requirements()], 1, 40, 9)) == ["called get_letter_requirements"]
