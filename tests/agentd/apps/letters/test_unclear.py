"""Words that could as well be another value: the host never fills them in, and they pass only when they are clear."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.letters.policies.copying import copied
from agentd.apps.letters.policies.grounding import case_of
from agentd.messages import ToolInfo
from tests.agentd.apps.letters.letters import session
from tests.agentd.apps.letters.test_conversations import tool

PROPERTIES: dict[str, Any] = {
    "pickup_time": {"type": "string", "format": "time", "title": "Pick-up time"},
    "lost_on": {"type": "string", "format": "date", "title": "Date lost"},
    "first_lesson": {"type": "string", "format": "date", "title": "First lesson"},
    "seats": {"type": "integer", "title": "Number of seats"},
    "plate_number": {"type": "string", "title": "Plate number"},
    "odometer": {"type": "integer", "title": "Odometer"},
    "licence_class": {"type": "string", "enum": ["A", "B"], "title": "Licence class"},
    "problem": {"type": "string", "title": "Problem"},
    "brand": {"type": "string", "title": "Brand"},
    "service": {"type": "string", "title": "Service", "description": "Line or route number"},
    "first_time_rider": {"type": "boolean", "title": "First-time rider"},
    "helmet": {"type": "boolean", "title": "Rent a helmet"},
    "customer_name": {"type": "string", "title": "Customer name"},
}
DESK = ToolInfo(
    name="book_ride", server="rides", official=True, input_schema={"type": "object", "properties": PROPERTIES}
)


def filled(*lines: str, letter: str = "", day: str = "2026-11-30") -> dict[str, Any]:
    form = tool(letter) if letter else DESK
    said = tuple(one.model_copy(update={"day": day}) for one in session(*lines))
    return dict(copied(form, case_of(form, said)).known)


@pytest.mark.parametrize(
    ("question", "answer", "field", "value"),
    [
        ("What time shall we pick you up?", "at 7.30 am", "pickup_time", "07:30"),
        ("What time shall we pick you up?", "07.30", "pickup_time", "07:30"),
        ("We have 9:15 or 10:30. What time?", "9:15 please", "pickup_time", "09:15"),
        ("What is the plate number?", "It's B 4471 TKX", "plate_number", "B 4471 TKX"),
        ("What is the plate number?", "A 40918273", "plate_number", "A 40918273"),
        ("How many seats?", "2 seats", "seats", 2),
        ("How many seats?", "2 aja deh kalo gitu", "seats", 2),
        ("When did you lose it?", "on the 19th", "lost_on", "2026-11-19"),
        ("And your name?", "Lerato Mokoena", "customer_name", "Lerato Mokoena"),
        ("And your name?", "lerato mokoena", "customer_name", "lerato mokoena"),
        ("Shall I book it with a helmet?", "ok", "helmet", True),
        ("Which class?", "A", "licence_class", "A"),
        ("What is the problem?", "dizzy since Monday, and can't eat", "problem", "dizzy since Monday, and can't eat"),
        ("Which brand is it?", "yes Bosch", "brand", "Bosch"),
    ],
)
def test_clear_words_are_filled_in(question: str, answer: str, field: str, value: object) -> None:
    assert filled("I lost my bag, book me a ride", f"A: {question}", answer).get(field) == value


@pytest.mark.parametrize(
    ("question", "answer", "field"),
    [
        ("What time shall we pick you up?", "7.30", "pickup_time"),
        ("What time shall we pick you up?", "after work, at 5", "pickup_time"),
        ("We have 7:30 or 16:00. What time?", "4 o'clock", "pickup_time"),
        ("When is the first lesson?", "Wednesdays", "first_lesson"),
        ("How many seats?", "5A and 5B", "seats"),
        ("How many seats?", "we live at Jalan Tukad Badung 22", "seats"),
        ("How many seats?", "3 seats.. oh no, my sister can't come, so 2", "seats"),
        ("How many seats?", "the one by the window", "seats"),
        ("What does the odometer say?", "91050", "plate_number"),
        ("What is the plate number?", "don't know, it's from 2016", "plate_number"),
        ("Your number, in case?", "07700900442", "plate_number"),
        ("When do you want it?", "a lesson this week", "licence_class"),
        ("On which service did you lose it?", "today at 14h", "service"),
        ("Which place?", "First Baptist on Elm", "first_time_rider"),
        ("We're out of them, so I'd book it without a helmet. OK?", "ok", "helmet"),
        ("Your name?", "ask for my flatmate Thandiwe, I'm at work", "customer_name"),
    ],
)
def test_words_of_two_readings_are_not(question: str, answer: str, field: str) -> None:
    assert field not in filled("Book me a ride", f"A: {question}", answer)


@pytest.mark.parametrize(
    ("letter", "said", "field"),
    [
        ("surat_pengantar_skck", "skck buat lamar kerja. Andika, NIK 3175062808990012, Islam, guru", "nama"),
        ("surat_keterangan_ktp_dalam_proses", "sudah perekaman ktp tgl 3 November", "nama"),
        ("surat_keterangan_usaha", "saya jualan nasi uduk di depan rumah, namanya Nasi Uduk Ipeh", "nama"),
        ("surat_keterangan_usaha", "nama bengkelnya Jaya Motor", "nama"),
        ("surat_keterangan_belum_menikah", "nama calon Rina Agustin", "nama"),
        ("surat_keterangan_belum_menikah", "saya mau bikin surat belum kawin", "status_perkawinan"),
        ("surat_keterangan_domisili", "saya kontrak di sini baru 3 bulan", "alamat_domisili"),
    ],
)
def test_what_a_letter_asks_of_the_citizen_is_not_taken_from_other_words(letter: str, said: str, field: str) -> None:
    assert filled(said, letter=letter).get(field) in (None, "Andika")


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("hilang di angkot kayaknya yang biru {name} {birth} {work} {home}", set()),
        ("{name} lahir di Bogor kayaknya 12 Agustus 1991 {work} {home}", {"tempat_lahir", "tanggal_lahir"}),
        ("{name} {birth} {home} kalau nggak salah {work}", {"alamat", "rt", "rw", "pekerjaan"}),
        ("{name} {birth} {work} {home} kalau nggak salah", {"alamat", "rt", "rw"}),
    ],
)
def test_a_doubt_in_a_form_spoken_without_commas_opens_what_stands_around_it(said: str, gone: set[str]) -> None:
    """One `kayaknya` about a wallet had the whole form asked for again."""
    name, birth = "nama saya Rahmat Hidayat nik 3175031208910007", "lahir di Bogor 12 Agustus 1991"
    words = said.format(
        name=name, birth=birth, work="kerja karyawan swasta", home="alamat jl haji naman no 8 rt 5 rw 2"
    )
    letter = tool("surat_pengantar_kehilangan")
    known = copied(letter, case_of(letter, session(f"W: {words}"))).known
    filled = {"nama", "nik", "tempat_lahir", "tanggal_lahir", "pekerjaan", "alamat", "rt", "rw"}
    assert known.keys() & filled == filled - gone


def test_the_name_of_a_stall_before_the_house_is_the_business() -> None:
    said = "saya jualan nasi uduk di depan rumah, namanya Nasi Uduk Ipeh. Saya Syarifah"
    known = filled(said, letter="surat_keterangan_usaha")
    assert (known["nama"], known["nama_usaha"]) == ("Syarifah", "Nasi Uduk Ipeh")
