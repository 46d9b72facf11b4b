"""Values of tools that no letter knows, as people say them: by kind, role, answer (issue 17, "Dialogue")."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from agentd.apps.letters.evidence.normalisers import days, hours
from agentd.apps.letters.policies.grounding import ungrounded
from agentd.messages import Said, ToolInfo
from tests.agentd.apps.letters.letters import call

TRIP: dict[str, Any] = {
    "origin_city": {"type": "string"},
    "destination_city": {"type": "string"},
    "departure_date": {"type": "string", "format": "date"},
    "return_date": {"type": "string", "format": "date"},
    "departure_time": {"type": "string", "format": "time"},
    "passengers": {"type": "integer"},
    "number_of_beds": {"type": "integer"},
    "number_of_baths": {"type": "integer"},
}
HOME: dict[str, Any] = {name: {"type": "string"} for name in ("account_type", "recipient_account_type")}
DEATH: dict[str, Any] = {
    "nama_almarhum": {"type": "string", "x-agentd-kind": "name", "x-agentd-about": "deceased"},
    "nik_almarhum": {"type": "string", "format": "nik", "x-agentd-about": "deceased"},
    "nama_pelapor": {"type": "string", "x-agentd-kind": "name", "x-agentd-about": "reporter"},
    "nik_pelapor": {"type": "string", "format": "nik", "x-agentd-about": "reporter"},
}
ROLES = {
    "deceased": {"id": ["almarhum", "almarhumah"], "en": ["the deceased"]},
    "reporter": {"id": ["pelapor", "saya"], "en": ["the reporter", "I"]},
}


def missing(
    properties: dict[str, Any], arguments: dict[str, Any], *lines: str, said: tuple[Said, ...] = ()
) -> set[str]:
    schema = {"type": "object", "properties": properties, "x-agentd-roles": ROLES}
    tool = ToolInfo(name="book", server="trips", official=True, description="Book a trip", input_schema=schema)
    return {field.path for field in ungrounded(call(arguments, *lines, tool=tool, said=said))}


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"origin_city": "Jakarta", "destination_city": "Surabaya"}, ["Saya mau ke Surabaya dari Jakarta."]),
        ({"origin_city": "Jakarta", "destination_city": "Surabaya"}, ["I want to go from Jakarta to Surabaya."]),
        ({"destination_city": "Surabaya"}, ["Mau pergi", "A: Ke kota mana?", "Surabaya"]),
        ({"passengers": 4}, ["Bisa pesan untuk 4 orang?"]),
        ({"passengers": 4}, ["Could you book it for four people please?"]),
        ({"departure_time": "19:00"}, ["Berangkat jam 7 malam ya"]),
        ({"number_of_beds": 3, "number_of_baths": 2}, ["Cari yang 3 kamar tidur dan 2 kamar mandi"]),
        ({"number_of_beds": 3, "number_of_baths": 2}, ["3 bedrooms 2 bathrooms please"]),
        ({"destination_city": "Medan"}, ["Saya mau ke Surabaya.", "Maaf, tujuannya salah, yang benar Medan."]),
    ],
)
def test_what_kind_role_or_question_settles_needs_no_name(arguments: dict[str, Any], lines: list[str]) -> None:
    assert missing(TRIP, arguments, *lines) == set()


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"origin_city": "Surabaya", "destination_city": "Jakarta"}, ["Saya mau ke Surabaya dari Jakarta."]),
        ({"passengers": 3}, ["Bisa pesan untuk 4 orang?"]),
        ({"passengers": 4}, ["Kalau untuk 4 orang, bagaimana?"]),
        ({"passengers": 4}, ["Jangan untuk 4 orang"]),
        ({"number_of_beds": 2, "number_of_baths": 3}, ["Cari yang 3 kamar tidur dan 2 kamar mandi"]),
        ({"destination_city": "Surabaya"}, ["Saya mau ke Surabaya.", "Maaf, tujuannya salah, yang benar Medan."]),
        ({"destination_city": "Surabaya"}, ["Tahun lalu saya ke Surabaya."]),
        ({"destination_city": "Surabaya"}, ["A: Bagaimana kalau ke Surabaya?", "ada yang lain?"]),
        ({"departure_time": "19:00"}, ["Berangkat jam 7 pagi"]),
    ],
)
def test_what_was_not_said_of_a_field_is_missing(arguments: dict[str, Any], lines: list[str]) -> None:
    assert missing(TRIP, arguments, *lines) == set(arguments)


STAY: dict[str, Any] = {
    "location": {"type": "string"},
    "category": {"type": "string"},
    "pets_allowed": {"type": "boolean"},
    "visit_date": {"type": "string", "format": "date"},
}
IN_SOLO = ["A: Di kota mana?", "Di Solo.", "A: Ada 10 pilihan. Boleh coba ke Hotel Melati?"]


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"location": "Solo"}, [*IN_SOLO, "Ada yang lain tidak?"]),
        ({"location": "Solo"}, [*IN_SOLO, "Ada pilihan lain? Saya cari yang agak sepi dan murah."]),
        ({"location": "Solo"}, ["A: Di kota mana?", "Di Solo. Kalau bisa dekat stasiun besar ya."]),
        ({"location": "Medan"}, [*IN_SOLO, "Kalau di kota Medan?"]),
        ({"pets_allowed": True}, ["Saya cari yang boleh membawa hewan peliharaan"]),
        ({"pets_allowed": True}, ["Can you find me one that takes pets?"]),
        ({"pets_allowed": False}, ["Yang tidak ada hewan peliharaan"]),
        ({"pets_allowed": True}, ["A: Are pets allowed?", "Yes please"]),
        ({"pets_allowed": False}, ["A: Are pets allowed?", "No"]),
    ],
)
def test_asking_for_another_leaves_what_was_said_and_a_condition_counts(
    arguments: dict[str, Any], lines: list[str]
) -> None:
    assert missing(STAY, arguments, *lines) == set()


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"visit_date": "besok"}, ["Hotelnya buka sampai besok, Mbak?"]),
        ({"location": "Medan"}, ["Kalau kota saya Medan, bagaimana?"]),
        ({"pets_allowed": True}, ["Yang tidak ada hewan peliharaan"]),
        ({"pets_allowed": True}, ["Teman saya suka hewan peliharaan"]),
        ({"pets_allowed": True}, ["If it takes pets, what does it cost?"]),
    ],
)
def test_a_question_a_condition_and_a_friends_wish_are_no_evidence(arguments: dict[str, Any], lines: list[str]) -> None:
    assert missing(STAY, arguments, *lines) == set(arguments)


def test_a_yes_to_a_summary_is_no_other_answer() -> None:
    device: dict[str, Any] = {"playback_device": {"type": "string"}, "genre": {"type": "string"}}
    told = [
        "A: On which device?",
        "On my kitchen speaker",
        "A: I'll play it on the kitchen speaker.",
        "Yes, thank you so much",
    ]
    assert missing(device, {"playback_device": "kitchen speaker"}, *told) == set()


def test_an_infinitive_names_no_destination() -> None:
    assert missing(HOME, {"account_type": "savings"}, "I need to check my savings account") == set()


def test_a_value_that_fits_two_fields_is_asked_for() -> None:
    arguments = {"departure_date": "2027-03-03", "return_date": "2027-03-03"}
    assert missing(TRIP, arguments, "Tanggal 3 Maret 2027.") == set(arguments)
    assert missing(TRIP, arguments, "Berangkat tanggal 3 Maret 2027.") == {"return_date"}


def test_the_plainer_of_two_names_is_meant_until_the_further_word_falls() -> None:
    giro = {"account_type": "giro", "recipient_account_type": "giro"}
    assert missing(HOME, giro, "Jenis rekening saya giro.") == {"recipient_account_type"}
    assert missing(HOME, giro, "Jenis rekening penerima giro.") == {"account_type"}


def test_the_one_who_reports_a_death_is_not_the_one_who_died() -> None:
    said = ("Nama saya Budi Santoso, NIK saya 3175064501900003.", "Almarhum ayah saya bernama Slamet Widagdo.")
    right = {"nama_pelapor": "Budi Santoso", "nik_pelapor": "3175064501900003", "nama_almarhum": "Slamet Widagdo"}
    wrong = {"nama_almarhum": "Budi Santoso", "nik_almarhum": "3175064501900003", "nama_pelapor": "Slamet Widagdo"}
    assert missing(DEATH, right, *said) == set()
    assert missing(DEATH, wrong, *said) == set(wrong)


def test_an_offer_that_was_turned_down_is_no_evidence_and_one_that_was_taken_is() -> None:
    offer = Said(by="tool", order=2, tool="find", value={"airline": "Wings Air"})
    line = Said(by="agent", order=3, text="Bagaimana kalau Wings Air?")

    def after(answer: str) -> set[str]:
        airline = {"airline": {"type": "string"}}
        said = (offer, line, Said(by="citizen", order=4, text=answer))
        return missing(airline, {"airline": "Wings Air"}, "Mau terbang.", said=said)

    assert after("Boleh, saya ambil.") == set()
    assert after("Ada pilihan lain?") == {"airline"}
    assert after("Bukan, yang satunya lagi.") == {"airline"}


@pytest.mark.parametrize(
    "answer",
    [
        "Kalau Lion Air bagaimana?",
        "How about Lion Air?",
        "Yang satunya lagi.",
        "Any alternative suggestions?",
        "Kemahalan.",
    ],
)
def test_a_finding_counts_no_more_once_something_else_was_asked_for(answer: str) -> None:
    found = Said(by="tool", order=2, tool="find", value={"departure_hall": "B7"})
    asked = (found, Said(by="agent", order=3, text="Ada satu."), Said(by="citizen", order=4, text="Jam berapa?"))
    hall = {"departure_hall": {"type": "string"}}
    assert missing(hall, {"departure_hall": "B7"}, "Mau terbang.", said=asked) == set()
    other = (*asked, Said(by="citizen", order=6, text=answer))
    assert missing(hall, {"departure_hall": "B7"}, "Mau terbang.", said=other) == {"departure_hall"}


@pytest.mark.parametrize(
    "said",
    [
        "My friend's mother's name is Siti.",
        "Nama ibu teman saya Siti.",
        "My mother's name is Siti, sorry, I mean Sita.",
    ],
)
def test_somebody_of_somebody_else_and_what_was_put_right_at_once_prove_nothing(said: str) -> None:
    assert missing({"mother_name": {"type": "string"}}, {"mother_name": "Siti"}, said) == {"mother_name"}
    assert missing({"mother_name": {"type": "string"}}, {"mother_name": "Siti"}, "My mother's name is Siti.") == set()


def test_a_number_with_another_fields_name_is_no_value() -> None:
    beds = {"number_of_beds": "3 kamar mandi", "number_of_baths": "3 kamar mandi"}
    assert missing(TRIP, beds, "Cari yang 3 kamar tidur dan 3 kamar mandi") == {"number_of_beds"}


def test_that_it_was_wrong_takes_back_what_was_said_whatever_its_field_is_called() -> None:
    days = {"days_off": {"type": "integer"}}
    assert missing(days, {"days_off": 3}, "Saya perlu 3 hari.") == set()
    assert missing(days, {"days_off": 3}, "Saya perlu 3 hari.", "A: Baik.", "Maaf, tadi salah.") == {"days_off"}


def test_a_yes_to_the_agents_reading_settles_which_field_a_value_is_of_and_no_value() -> None:
    def after(question: str, answer: str) -> set[str]:
        arguments = {"departure_date": "2027-03-03", "return_date": "2027-03-03"}
        return missing(TRIP, arguments, "Tanggal 3 Maret 2027.", f"A: {question}", answer)

    assert after("Berangkat tanggal 3 Maret 2027, benar?", "Betul, Pak.") == {"return_date"}
    assert after("Pulang tanggal 3 Maret 2027, benar?", "Ya, harganya berapa?") == {"departure_date"}
    for answer in ("Bukan.", "Betul?", "Ada yang lain?", "Mungkin."):
        assert after("Berangkat tanggal 3 Maret 2027, benar?", answer) == {"departure_date", "return_date"}
    nobody = missing(TRIP, {"departure_date": "2027-03-04"}, "Mau pergi.", "A: Berangkat 4 Maret 2027, benar?", "Ya")
    assert nobody == {"departure_date"}


@pytest.mark.parametrize(
    ("question", "arguments", "answer"),
    [
        ("Mau pergi ke mana?", {"where": "Medan"}, "Medan"),
        ("Who is travelling?", {"traveller_name": "Oliver Hartmann"}, "Oliver Hartmann"),
        ("When do you leave?", {"leaving": "2027-03-03"}, "3 March 2027"),
    ],
)
def test_a_questions_own_word_says_of_what_kind_the_answer_is(
    question: str, arguments: dict[str, Any], answer: str
) -> None:
    fields: dict[str, Any] = {
        "where": {"type": "string", "x-agentd-kind": "place"},
        "traveller_name": {"type": "string", "x-agentd-kind": "name"},
        "leaving": {"type": "string", "format": "date"},
        "remark": {"type": "string"},
    }
    assert missing(fields, arguments, "Mau pesan.", f"A: {question}", answer) == set()
    assert missing(fields, {"remark": answer}, "Mau pesan.", f"A: {question}", answer) == {"remark"}


def test_a_number_behind_another_fields_name_is_that_fields() -> None:
    fields: dict[str, Any] = {"nim": {"type": "string", "x-agentd-kind": "code"}, "semester": {"type": "integer"}}
    said = "NIM F55121044, semester 5."
    assert missing(fields, {"nim": "F55121044", "semester": 5}, said) == set()
    assert missing(fields, {"semester": 55121044}, said) == {"semester"}


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("besok", date(2026, 3, 3)),
        ("tanggal 5", date(2026, 3, 5)),
        ("tanggal 1", date(2026, 4, 1)),
        ("3 Maret", date(2026, 3, 3)),
        ("1 Maret", date(2027, 3, 1)),
        ("the 10th", date(2026, 3, 10)),
        ("Thursday next week", date(2026, 3, 12)),
        ("Selasa minggu depan", date(2026, 3, 10)),
        ("7 bulan ini", date(2026, 3, 7)),
        ("March 7th 2019", date(2019, 3, 7)),
        ("hari Rabu tanggal 18 November 2026", date(2026, 11, 18)),
        ("Rabu pagi 18 November 2026", date(2026, 11, 18)),
        ("18/11/2026 (Rabu)", date(2026, 11, 18)),
    ],
)
def test_a_day_without_its_year_is_the_next_that_comes(said: str, day: date) -> None:
    assert days.day(said, date(2026, 3, 2)) == day


def test_a_day_counts_from_when_it_was_said() -> None:
    monday = Said(by="citizen", order=1, text="Berangkat besok ya.", day="2026-03-02")
    friday = Said(by="citizen", order=2, text="Dari Jakarta.", day="2026-03-06")
    assert missing(TRIP, {"departure_date": "2026-03-03"}, said=(monday, friday)) == set()
    assert missing(TRIP, {"departure_date": "2026-03-07"}, said=(monday, friday)) == {"departure_date"}


@pytest.mark.parametrize(
    ("said", "hour"),
    [
        ("jam 7 malam", 19 * 60),
        ("04.15 sore", 16 * 60 + 15),
        ("setengah 8 pagi", 7 * 60 + 30),
        ("5 seperempat sore", 17 * 60 + 15),
        ("quarter past 5 in the evening", 17 * 60 + 15),
        ("afternoon 3:45", 15 * 60 + 45),
        ("19:00:00", 19 * 60),
    ],
)
def test_an_hour_is_read_with_its_part_of_the_day(said: str, hour: int) -> None:
    assert hours.hour(said) == hour
