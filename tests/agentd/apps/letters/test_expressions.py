"""Dates, hours, numbers, telephones and lengths of time as people say them are read as one value, or not at all."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import date

import pytest

from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.fields.field import Field, Json, form
from agentd.apps.letters.evidence.fields.spans import spans
from agentd.apps.letters.evidence.normalisers.days import days
from agentd.apps.letters.evidence.normalisers.hours import hours
from agentd.apps.letters.evidence.normalisers.numbers import amounts, lengths
from agentd.apps.letters.policies.grounding import ungrounded
from tests.agentd.apps.letters.letters import call
from tests.agentd.apps.letters.test_doubts import unproven, visit

WEDNESDAY = date(2017, 9, 27)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("first Friday of next month", ["2017-10-06"]),
        ("last Friday in October", ["2017-10-27"]),
        ("Jumat pertama bulan Mei", ["2018-05-04"]),
        ("third tuesday of september 2014", ["2014-09-16"]),
        ("fifth Monday of next month", ["2017-10-30"]),
        ("fifth Friday of next month", []),
        ("last Sunday", ["2017-09-24"]),
        ("two Sundays from now", ["2017-10-08"]),
        ("bulan depan tgl 28", ["2017-10-28"]),
        ("on the third Monday", []),
        ("Thursday the 21st", ["2017-09-21"]),
        ("Sunday 1.", ["2017-10-01"]),
        ("Tuesday of last week", ["2017-09-19"]),
        ("Selasa lalu", ["2017-09-26"]),
        ("minggu depan", []),
        ("hari Minggu", ["2017-10-01"]),
        ("3 hari yang lalu", ["2017-09-24"]),
        ("two days before yesterday", ["2017-09-24"]),
        ("two days from tomorrow", ["2017-09-30"]),
        ("off for 3 days from tomorrow", ["2017-09-28"]),
        ("two years ago", []),
        ("one month and 21 days ago", []),
        ("September 10, nineteen zero one", ["1901-09-10"]),
        ("2019-aug-01", ["2019-08-01"]),
        ("a ratio of 30/4.85", []),
        ("12:30 December 27th", ["2017-12-27"]),
        ("3rd week of May", []),
    ],
)
def test_days(said: str, read: list[str]) -> None:
    assert [str(day) for _, _, day in days(folded_tokens(said), WEDNESDAY)] == read


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("ten fifty five p. m.", 1375),
        ("20 minutes past eight in the evening", 1220),
        ("3 o'clock in the afternoon", 900),
        ("7:56:30 pm", 1196),
        ("jam 12 malam", 0),
        ("jam 1 malam", 60),
        ("12 pm", 720),
        ("midnight", 0),
        ("a quarter past noon", 735),
    ],
)
def test_an_hour(said: str, read: int) -> None:
    assert [minutes for _, _, minutes in hours(folded_tokens(said))] == [read]


def test_a_day_of_the_month_has_no_part_of_the_day() -> None:
    assert [minutes for _, _, minutes in hours(folded_tokens("on the 4th, 7pm; DateTime 23.04.2022"))] == [1140]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("satu setengah juta", ["1500000"]),
        ("dua koma lima juta", ["2500000"]),
        ("1 juta 500 ribu", ["1500000"]),
        ("sejuta lima ratus ribu", ["1500000"]),
        ("twenty five hundred", ["2500"]),
        ("one twenty two", ["1", "22"]),
        ("dua tiga orang", ["2", "3"]),
        ("10k", ["10000"]),
        ("telur 2 setengah matang", ["2"]),
        ("two and a half years", ["2.5"]),
        ("a hundred thousand", ["100000"]),
        ("half a dozen eggs", ["6"]),
        ("dua lusin", ["24"]),
        ("anak kedua dari tiga", ["2", "3"]),
        ("saldo minus 5", ["-5"]),
    ],
)
def test_amounts(said: str, read: list[str]) -> None:
    assert [f"{amount.normalize():f}" for amount in amounts(folded_tokens(said))] == read


@pytest.mark.parametrize(
    "said",
    [
        "3 days before 1 january 0012",
        "senin 1 januari 0001",
        "2 hari setelah 31 desember 9999",
        "first monday of may 0000",
        "seratus triliun mei 1990",
    ],
)
def test_at_the_ends_of_the_calendar_a_message_is_still_read(said: str) -> None:
    assert all(2 < found.year < 9999 for _, _, found in days(folded_tokens(said), date(2026, 11, 30)))


def test_any_number_of_amounts_is_read() -> None:
    assert len(amounts(folded_tokens("1 ribu " * 1500))) == 1500


@pytest.mark.parametrize(
    ("said", "minutes"), [("an hour and a half", 90), ("1 jam 45 menit", 105), ("half an hour", 30), ("sejam", 60)]
)
def test_a_length_of_time(said: str, minutes: int) -> None:
    assert [amount for _, _, amount in lengths(folded_tokens(said), "minute")] == [minutes]


@pytest.mark.parametrize("said", ["jumlah tamu 40 sampai 50", "jumlah tamu 40-50 orang", "jumlah tamu 40 to 50"])
@pytest.mark.parametrize("value", [40, 50])
def test_an_end_of_a_range_is_never_proven(said: str, value: int) -> None:
    assert "jumlah_tamu" in unproven(visit({"jumlah_tamu": value}, said, jumlah_tamu={"type": "integer"}))


def test_a_birth_that_two_papers_give_differently_is_not_proven() -> None:
    said = "nama saya Tio Pratama. di akta saya lahir di Bogor 3 Mei 1990, di KTP Bandung 5 Mei 1990"
    missing = {one.path for one in ungrounded(call({"tempat_lahir": "Bogor", "tanggal_lahir": "1990-05-03"}, said))}
    assert missing >= {"tempat_lahir", "tanggal_lahir"}
    missing = {one.path for one in ungrounded(call({"tempat_lahir": "Bogor"}, said.split(", di KTP")[0]))}
    assert "tempat_lahir" not in missing


@pytest.mark.parametrize("value", ["07/03", "007/003", "RT 07 RW 03", "RT 7/RW 3"])
@pytest.mark.parametrize("said", ["lampunya di RT 07 RW 03 pak", "Jl. Flamboyan RT 007/RW 003", "RT 7/3"])
def test_an_rt_and_rw_in_one_field_are_the_same_however_they_are_written(value: str, said: str) -> None:
    fields = {"rt_rw": {"type": "string"}, "lokasi": {"type": "string"}}
    assert unproven(visit({"rt_rw": value}, said, **fields))["rt_rw"].doubtful
    assert not unproven(visit({"rt_rw": "08/03"}, said, **fields))["rt_rw"].said


@pytest.mark.parametrize(
    ("said", "value", "other"),
    [
        ("my number is (503) 555-0134", "5035550134", "5550134"),
        ("telepon kantor (021) 5551234", "0215551234", "0315551234"),
        ("phone: +44 7700 900123", "07700900123", "07700900124"),
    ],
)
def test_a_telephone_number_may_have_its_area_in_brackets_or_its_country(said: str, value: str, other: str) -> None:
    assert not unproven(visit({"phone": value}, said))
    assert unproven(visit({"phone": other}, said))


@pytest.mark.parametrize(
    ("kind", "said", "value", "other"),
    [
        ("year", "lulus tahun 98, umur 45", "1998", "1945"),
        ("year", "tahun dua ribu lima", "2005", "2000"),
        ("year", "nineteen ninety-eight", "1998", "1990"),
        ("year", "sembilan belas tujuh puluh", "1970", "1907"),
        ("phone", "zero eight one two double three four five six seven", "0812334567", "081223456"),
        ("phone", "oh eight one two triple five four three two one", "08125554321", "0812554321"),
        ("phone", "0812/1567/8030", "081215678030", "15678030"),
        ("phone", "surat 470/1234/2026, hp 0812 1567 8030", "081215678030", "47012342026"),
        ("phone", "0274/556781 atau 0274/556782", "0274556782", "0274556783"),
        ("email", "jane dot doe at example dot com", "jane.doe@example.com", "doe@example.com"),
        ("email", "nama(at)contoh.com", "nama@contoh.com", "nama@contoh.id"),
        ("email", "jane_doe@example.com", "jane_doe@example.com", "jane.doe@example.com"),
        ("number", "1.200.000", 1200000, 1),
        ("number", "saldo minus 5", -5, 5),
        ("number", "model 030, 6 tahun", 6, 36),
        ("time", "19.30 WIB", "19:30", "07:30"),
        ("time", "jam 1930", "19:30", "07:30"),
        ("time", "at 730 in the evening", "19:30", "07:30"),
    ],
)
def test_a_value_in_a_citizens_own_form_is_that_value_and_no_other(
    kind: str, said: str, value: Json, other: Json
) -> None:
    words, today = folded_tokens(said), date(2026, 11, 30)
    field = Field("field:x", kind, None, "x", path="x", value=value)
    assert any(span.supports for span in spans(field, words, today))
    assert not any(span.supports for span in spans(replace(field, value=other), words, today))


@pytest.mark.parametrize(
    ("name", "said", "value", "other"),
    [
        ("tinggi_cm", "1,7 meter", 170, 1.7),
        ("height_cm", "5 feet 11 inches", 180.34, 5),
        ("berat_gram", "satu setengah kilo", 1500, 1.5),
        ("lesson_minutes", "1 hour", 60, 1),
        ("lesson_minutes", "45", 45, 2700),
        ("tenor_bulan", "2 tahun", 24, 2),
        ("jumlah", "2 kilo", 2, 2000),
    ],
)
def test_a_number_in_another_unit_than_its_fields_is_converted(name: str, said: str, value: Json, other: Json) -> None:
    known = form({"properties": {name: {"type": "number"}}}).shapes[name]
    held = {one.name: getattr(known, one.name) for one in fields(known)}
    for given, read in ((value, True), (other, False)):
        found = spans(Field(**held, path=name, value=given), folded_tokens(said), date(2026, 11, 30))
        assert any(span.supports for span in found) is read


@pytest.mark.parametrize(
    "said",
    [
        "my email is jane.doe@gmail.com",
        "my email is jane dot doe at gmail dot com",
        "email: jane.doe(at)gmail.com",
    ],
)
def test_an_email_address_is_proven_whole(said: str) -> None:
    assert not unproven(visit({"email": "jane.doe@gmail.com"}, said, email={"type": "string"}))
    for other in ("doe@gmail.com", "jane_doe@gmail.com"):
        assert unproven(visit({"email": other}, said, email={"type": "string"}))


def test_of_two_email_addresses_the_corrected_one_counts() -> None:
    said = "email saya budi@contoh.com, eh salah, email saya budi.s@contoh.com"
    assert not unproven(visit({"email": "budi.s@contoh.com"}, said, email={"type": "string"}))
    assert unproven(visit({"email": "budi@contoh.com"}, said, email={"type": "string"}))


def test_a_number_is_searched_for_in_the_unit_of_each_field() -> None:
    number = {"type": "number"}
    said = "weight 2 kilo, size 2"
    missing = unproven(visit({"size": 2, "weight_gram": 2}, said, size=number, weight_gram=number))
    assert "size" not in missing
    assert "weight_gram" in missing
