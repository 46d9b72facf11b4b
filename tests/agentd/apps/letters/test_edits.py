"""Replies to the summary that change only a part of a value: the new value stands, the listed one no longer does."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.agent.approval import summary
from agentd.apps.letters.policies.copying import copied
from agentd.apps.letters.policies.grounding import case_of, ungrounded
from agentd.messages import Said
from tests.agentd.apps.letters.letters import call, session
from tests.agentd.apps.letters.test_conversations import tool

LETTER = tool("surat_keterangan_domisili")
GIVEN = {
    **{"nama": "Rina Marlina", "nik": "3173014507850003", "tempat_lahir": "Solo", "tanggal_lahir": "1985-07-05"},
    **{"agama": "Islam", "status_perkawinan": "Kawin", "pekerjaan": "guru", "rt": "5", "rw": "11"},
    **{"alamat_domisili": "Jl Kayu Besar No 12", "keperluan": "buka rekening bank"},
}
BEFORE = (
    "W: mau buat surat domisili. nama saya Rina Marlina, nik 3173014507850003, lahir di Solo 5 Juli 1985, Islam, "
    "kawin, pekerjaan guru, alamat Jl Kayu Besar No 12 rt 5 rw 11, buat buka rekening bank",
    f"A: {summary(LETTER, GIVEN, 'id')}",
)


def known(reply: str) -> dict[str, Any]:
    return dict(copied(LETTER, case_of(LETTER, session(*BEFORE, f"W: {reply}"))).known)


@pytest.mark.parametrize(
    ("reply", "edited"),
    [
        ("eh salah, lahirnya 15 juli 1985 bukan 5", {"tanggal_lahir": "1985-07-15"}),
        ("tahunnya 1986", {"tanggal_lahir": "1986-07-05"}),
        ("salah tahun, harusnya 1986", {"tanggal_lahir": "1986-07-05"}),
        ("bulannya juni bukan juli", {"tanggal_lahir": "1985-06-05"}),
        ("5 juni", {"tanggal_lahir": "1985-06-05"}),
        ("alamatnya kurang lengkap, no 12A", {"alamat_domisili": "Jl Kayu Besar No 12A"}),
        ("nomor rumahnya 21", {"alamat_domisili": "Jl Kayu Besar No 21"}),
        ("Kayu Besar 3, bukan kayu besar saja", {"alamat_domisili": "Jl Kayu Besar 3 No 12"}),
        ("nama saya kurang, Rina Marlina Sari", {"nama": "Rina Marlina Sari"}),
        ("Marliana", {"nama": "Rina Marliana"}),
        ("buka rekening bank BRI", {"keperluan": "buka rekening bank BRI"}),
        ("3173014507850013", {"nik": "3173014507850013"}),
        ("semua benar tapi rt nya 6", {"rt": "6"}),
        ("tahunnya 1986, no 14", {"tanggal_lahir": "1986-07-05", "alamat_domisili": "Jl Kayu Besar No 14"}),
    ],
)
def test_a_reply_edits_a_listed_value_and_leaves_the_others(reply: str, edited: dict[str, str]) -> None:
    assert known(reply) == GIVEN | edited
    missing = ungrounded(call(GIVEN | edited, *BEFORE, f"W: {reply}", tool=LETTER))
    assert not missing
    stale = {field.path for field in ungrounded(call(GIVEN, *BEFORE, f"W: {reply}", tool=LETTER))}
    assert stale == edited.keys()


@pytest.mark.parametrize(
    "reply",
    [
        "kantor saya di Jl Kayu Besar No 14",
        "tetangga saya no 14",
        "ibu saya Rina Marlina Sari",
        "anak saya tanggal 7",
        "saya ke sini tanggal 7",
        "besok",
        "sejak 1986",
        "kalau no 14 gimana?",
        "misalnya no 14",
        "dulu no 14",
        "nomor antrian saya 14",
        "ada yang salah",
        "Rina Marlina aja",
    ],
)
def test_what_is_said_of_something_else_edits_nothing(reply: str) -> None:
    assert known(reply) == GIVEN


def test_a_listed_value_that_is_called_different_is_asked_for() -> None:
    assert "alamat_domisili" not in known("alamatnya sudah pindah ke Jl Bangun Nusa No 3 rt 2 rw 4")


@pytest.mark.parametrize(
    ("reply", "edited"),
    [
        ("ya", {}),
        ("ya, tapi rt 6", {"rt": "6"}),
        ("betul, rt 6 maksudnya", {"rt": "6"}),
        ("ya, lahirnya 6 juli 1985", {"tanggal_lahir": "1985-07-06"}),
    ],
)
def test_a_yes_that_names_another_value_gives_that_value(reply: str, edited: dict[str, str]) -> None:
    offered = {"rt": "5", "tanggal_lahir": "5 Juli 1985"}
    asked = "Apakah ini benar: RT: 5; tanggal lahir: 5 Juli 1985? Jawab ya, atau sebutkan yang benar."
    first, _, last = session(BEFORE[0], "A: -", f"W: {reply}")
    question = Said(by="agent", order=2, text=asked, tool=LETTER.name, value={"missing": ["rt"], "offered": offered})
    assert copied(LETTER, case_of(LETTER, (first, question, last))).known == GIVEN | edited
