"""A value that only fits a field's kind is not bound to it: what it was said of is asked (issue 17, "Dialogue")."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from agentd.apps.letters.evidence.normalisers import days
from agentd.apps.letters.policies.grounding import ungrounded
from agentd.messages import ToolInfo
from tests.agentd.apps.letters.letters import call

PROPERTIES: dict[str, Any] = {
    "amount": {"type": "number", "x-agentd-kind": "money"},
    "arrival": {"type": "string", "format": "date"},
    "nights": {"type": "integer"},
    "destination_city": {"type": "string"},
    "guest_name": {"type": "string"},
    "voucher_number": {"type": "string"},
    "nomor_anggota": {"type": "string"},
    "room_type": {"type": "string", "enum": ["single", "double", "suite"]},
}
ROOM = ToolInfo(
    name="book_room",
    server="hotel",
    official=True,
    description="Book a room at the hotel and send the deposit.",
    input_schema={"type": "object", "properties": PROPERTIES},
)
DAY = {"arrival": "2027-10-10"}


def missing(arguments: dict[str, Any], *lines: str) -> set[str]:
    return {field.path for field in ungrounded(call(arguments, *lines, tool=ROOM))}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"amount": 500}, "My rent is 500 dollars"),
        ({"amount": 500}, "Kos saya bayarnya 500"),
        ({"amount": 500}, "Not more than 500 dollars"),
        (DAY, "My passport was issued on 10 October 2027"),
        (DAY, "I can't do 10 October 2027"),
        (DAY, "I can't arrive on 10 October 2027"),
        (DAY, "10 Oktober 2027 saya nggak bisa"),
        (DAY, "Jangan 10 Oktober 2027"),
        (DAY, "10 October 2027 doesn't work for me"),
        (DAY, "Before 10 October 2027, please"),
        ({"destination_city": "Medan"}, "Saya dari Medan"),
        ({"nights": 3}, "I have 3 suitcases"),
        ({"nights": 3}, "Saya punya 3 mobil"),
        ({"guest_name": "John Park"}, "John Park recommended it"),
        ({"nights": 3}, "To Medan with 3 suitcases"),
        ({"room_type": "suite"}, "A suite costs a fortune"),
        ({"nights": 2}, "Room number 2"),
        ({"voucher_number": "B7781"}, "My passport number is B7781"),
        ({"voucher_number": "B7781"}, "Room number B7781"),
        ({"nomor_anggota": "B7781"}, "Nomor antrean saya B7781"),
        ({"voucher_number": "B7781"}, "Nomor antrean saya B7781"),
        ({"nomor_anggota": "B7781"}, "My locker number is B7781"),
        ({"nomor_anggota": "B7781"}, "Plat nomor B7781"),
        ({"voucher_number": "B7781"}, "Plat nomor saya B7781"),
        ({"guest_name": "John Park"}, "Yang merekomendasikan bukan Ann Lee, tapi John Park"),
        ({"amount": 500}, "My rent is not 400, but 500 dollars"),
        ({"nights": 3}, "Saya punya bukan 2 mobil tapi 3"),
        ({"nights": 3}, "I brought 2 suitcases, sorry, 3"),
        ({"nights": 3}, "4 nights. I bring 2 suitcases. Oh sorry, 3"),
        ({"guest_name": "John Park"}, "Sopir saya bukan Ann Lee tapi John Park"),
        ({"amount": 500}, "Kos saya 400 ribu, eh salah, 500"),
        (DAY, "Rapat kami bukan tanggal 9 Oktober 2027 tapi 10 Oktober 2027"),
        (DAY, "Saya gajian tanggal 10 Oktober 2027"),
        ({"nights": 3}, "Contohnya:\nnights: 3"),
        ({"voucher_number": "B7781"}, "Voucher number yang salah: B7781"),
        ({"voucher_number": "B7781"}, "B7781 itu bukan voucher number saya"),
    ],
)
def test_what_only_fits_a_kind_is_asked_and_counts_once_it_is_answered(arguments: dict[str, Any], said: str) -> None:
    assert missing(arguments, said) == set(arguments)
    name, value = next(iter(arguments.items()))
    spoken = {"2027-10-10": "10 October 2027"}.get(str(value), str(value))
    assert missing(arguments, said, f"A: Please tell me: {name.replace('_', ' ')}.", spoken) == set()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"amount": 500}, "I want to send 500 dollars"),
        ({"amount": 500}, "Saya mau kirim Rp500"),
        (DAY, "I'd like a room on 10 October 2027 please"),
        (DAY, "Can you book it for 10 October 2027?"),
        (DAY, "10 Oktober 2027 bisa?"),
        ({"destination_city": "Medan"}, "Saya mau ke Medan"),
        ({"nights": 3}, "3 nights"),
        ({"guest_name": "John Park"}, "I'm John Park"),
        ({"room_type": "suite"}, "Could we have the suite?"),
        ({"nights": 3}, "bukan 2 nights tapi 3"),
        ({"nights": 3}, "2 nights, no, 3"),
        ({"nights": 3}, "2 nights. Oh sorry, 3"),
        ({"guest_name": "John Park"}, "My name is Ann Lee, sorry, John Park"),
        (DAY, "Rapat kami tanggal 9 Oktober 2027, arrival 10 Oktober 2027"),
        ({"voucher_number": "B7781"}, "My voucher number is B7781"),
        ({"voucher_number": "B7781"}, "The number of my voucher is B7781"),
        ({"nomor_anggota": "B7781"}, "Nomor anggota saya B7781"),
    ],
)
def test_a_value_beside_words_that_name_nothing_else_is_the_fields(arguments: dict[str, Any], said: str) -> None:
    assert missing(arguments, said) == set()


@pytest.mark.parametrize("put_right", ["dulu semester 3, sekarang semester 5", "bukan semester 3, tapi semester 5"])
def test_what_puts_one_field_right_is_no_value_of_the_field_before_it(put_right: str) -> None:
    properties = {"program_studi": {"type": "string"}, "semester": {"type": "integer"}}
    letter = ROOM.model_copy(update={"input_schema": {"type": "object", "properties": properties}})
    said = f"Program studi Teknik Informatika, {put_right}."
    assert [one.path for one in ungrounded(call({"program_studi": "5"}, said, tool=letter))] == ["program_studi"]
    assert ungrounded(call({"program_studi": "Teknik Informatika", "semester": 5}, said, tool=letter)) == []


def test_a_no_before_what_is_wrong_names_no_number_and_takes_the_value_back() -> None:
    assert missing({"nights": 3}, "3 nights", "A: 3 nights, ok?", "no that's wrong, I'll look it up") == {"nights"}
    assert missing({"nights": 3}, "3 nights", "the voucher number is wrong") == set()


def test_a_name_with_nya_names_its_field_where_a_longer_phrase_begins_with_it_too() -> None:
    labels = {"id": ["acara", "acaranya di"]}
    properties = {"acara": {"type": "string", "x-agentd-labels": labels}, "hiburan": {"type": "string"}}
    letter = ROOM.model_copy(update={"input_schema": {"type": "object", "properties": properties}})
    said = ["A: Acaranya apa?", "syukuran kelahiran cucu"]
    assert ungrounded(call({"acara": said[1]}, *said, tool=letter)) == []
    assert [one.path for one in ungrounded(call({"hiburan": said[1]}, *said, tool=letter))] == ["hiburan"]


def test_a_telephone_by_the_last_word_of_its_name_is_read_however_it_is_grouped() -> None:
    properties = {"emergency_phone": {"type": "string"}}
    letter = ROOM.model_copy(update={"input_schema": {"type": "object", "properties": properties}})
    said = "Emergency phone: 0812 5567 9021"
    assert ungrounded(call({"emergency_phone": "0812-5567-9021"}, said, tool=letter)) == []
    assert ungrounded(call({"emergency_phone": "0812-5567-9029"}, said, tool=letter))


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ("agama Islam, eh maaf, Kristen", "agama", "Kristen"),
        ("NIK 3175064501900003, eh maaf 3201021203480001", "nik", "3201021203480001"),
        ("pekerjaan guru, agama Islam, eh maaf, Kristen", "pekerjaan", "guru"),
    ],
)
def test_a_text_stands_where_a_field_named_after_it_is_put_right(said: str, field: str, value: str) -> None:
    told = f"Nama saya Budi Santoso, {said}."
    assert ungrounded(call({"nama": "Budi Santoso", field: value}, told)) == []


@pytest.mark.parametrize(
    "said",
    [
        "agama Islam, eh maaf, Joko Widodo",
        "agama Islam, eh maaf, Kristen Santoso",
        "NIK 3175064501900003, eh maaf, Joko Widodo",
        "NIK 3175064501900003, eh maaf, nama saya Joko Widodo",
        "pekerjaan guru, eh maaf, Joko Widodo",
    ],
)
def test_a_text_falls_where_what_puts_right_is_no_value_of_the_field_named_after_it(said: str) -> None:
    told = f"Nama saya Budi Santoso, {said}."
    assert [one.path for one in ungrounded(call({"nama": "Budi Santoso"}, told))] == ["nama"]


def test_a_day_of_several_words_is_read_whole() -> None:
    assert days.day("tanggal dua puluh lima Maret", date(2026, 3, 2)) == date(2026, 3, 25)
