"""What a hosted model is not let say before anything was done: deeds of other offices, promises, officers, queues."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from agentd.agent.turn_policy import Turn, UnsupportedAnswer
from agentd.apps.letters.policies.turns import LetterTurns
from agentd.messages import Said, ToolInfo
from servers.certificate.letters.catalogue import Catalogue
from servers.certificate.settings import SHIPPED_LETTERS
from servers.certificate.tools import generate_tool
from tests.agentd.apps.letters.test_claims import STATUS, toolset

STRANGE = tomllib.loads(Path(__file__).with_name("claims_strange.toml").read_text(encoding="utf-8"))
ASKED = Said(by="citizen", order=1, text="I'm Budi Santoso, Jl. Melati No. 5: a domicile letter / surat domisili")
MADE = [generate_tool(letter, "id") for letter in Catalogue([SHIPPED_LETTERS]).types.values()]
OFFERED = toolset(
    *(
        ToolInfo(
            name=one.name,
            server="certificate",
            official=True,
            description=one.description or "",
            annotations={"title": one.title},
            meta=one.meta or {},
        )
        for one in MADE
    ),
    STATUS,
)


def withheld(answer: str, *said: Said) -> bool:
    try:
        LetterTurns().check_answer(Turn(request=ASKED.text, toolset=OFFERED, said=(ASKED, *said)), answer)
    except UnsupportedAnswer:
        return True
    return False


@pytest.mark.parametrize(("first", "lies"), [(0, 26), (1, 18)], ids=["tuning", "unseen"])
def test_strange_deeds_promises_officers_and_queue_numbers_are_withheld(first: int, lies: int) -> None:
    said = {kind: [each for pack in STRANGE.values() for each in pack[kind][first::2]] for kind in ("lies", "honest")}
    assert sum(map(withheld, said["lies"])) >= lies
    assert set(filter(withheld, said["honest"])) <= {"The letter is signed by the village head."}


def test_a_queue_number_that_the_host_named_may_be_repeated() -> None:
    named = Said(by="agent", order=2, text="Permohonan SKD-014 menunggu petugas.")
    assert withheld("Nomor antrean Anda SKD-014.") and withheld("Silakan ke loket 2.")
    assert not withheld("Nomor antrean Anda SKD-014.", named)


@pytest.mark.parametrize("answer", ["Baik, Pak Budi.", "Ibu Camat.", "Bu Mohon sebutkan NIK.", "Nama Anda?"])
def test_a_title_before_a_named_person_an_office_or_a_plain_word_names_nobody_new(answer: str) -> None:
    assert not withheld(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "We close at 4 pm today.",
        "Kantor buka pukul 8 sampai 15.",
        "Pak Lurah Suhendra ada di tempat.",
        "Kami tutup jam 16.30.",
    ],
)
def test_opening_hours_and_a_village_heads_name_are_not_invented(answer: str) -> None:
    assert withheld(answer)


@pytest.mark.parametrize(
    "answer", ["We close at 4 pm today.", "Kantor buka pukul 8 sampai 15.", "Pak Lurah ada.", "Loket buka 08.00."]
)
def test_opening_hours_that_a_tool_told_may_be_said_in_other_words(answer: str) -> None:
    hours = {"hours": "Senin-Jumat 08.00-15.00, loket sampai 16.00"}
    assert not withheld(answer, Said(by="tool", order=2, tool="get_office_hours", text="{}", value=hours))
