"""What the agent noted, a question asked for, or only another number's correction follows: shown to be checked."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.letters.evidence.fields.field import form
from agentd.apps.letters.policies.grounding import Grounded, ungrounded
from agentd.messages import Said, ToolCall, ToolOutcome
from tests.agentd.apps.letters.letters import call
from tests.agentd.apps.letters.test_conversations import tool as shipped
from tests.agentd.apps.letters.test_doubtful_times import on
from tests.agentd.apps.letters.test_doubts import unproven, visit

TAX = {
    "vehicle": {"type": "string", "enum": ["motor", "mobil"]},
    "plate": {"type": "string", "pattern": "^[A-Z0-9 ]+$"},
}
NOTE = {"nama": {"type": "string"}, "catatan": {"type": "string"}}
BUS = {"from_city": {"type": "string"}, "seats": {"type": "integer"}, "restaurant_name": {"type": "string"}}
TIMES = {"departure_time": {"type": "string"}}
WEDDING = {"nama_wali": {"type": "string"}, "nama_pacar": {"type": "string"}}


@pytest.mark.parametrize(
    ("value", "lines", "properties"),
    [
        ({"age_years": 3}, ("our dog", "A: A dog of 3 years. When?", "1 December 2026"), {}),
        ({"vehicle": "motor"}, ("pajak motor", "A: Pelatnya?", "AB 2936 eh bukan, itu punya anak saya. AB 5093"), TAX),
        ({"catatan": "jangan pakai kacang"}, ("tumpeng", "A: Ada permintaan?", "jangan pakai kacang"), NOTE),
        ({"seats": 1}, ("a ticket to Bandung please",), BUS),
        ({"restaurant_name": "Mai Cuisine"}, ("at Mai please", "A: A table at Mai Cuisine?", "Yes, that's right"), BUS),
        ({"departure_time": "16:00"}, ("ke Bogor", "A: Jam 09.00 atau 16.00?", "yg sore"), TIMES),
        ({"appointment_date": "2026-12-08"}, ("our dog", "A: Next Tuesday?", "no, the week after"), {}),
        ({"nama_wali": "Marzuki"}, ("mau nikah", "A: Walinya siapa?", "om saya, Marzuki"), WEDDING),
        ({"seats": 4}, ("to Bogor", "A: How many seats?", "not sure, let's say 4"), BUS),
        ({"catatan": "sambal kacang pedas"}, ("tumpeng, sambal yang pedas, yang kacang", "A: Siap."), NOTE),
        ({"appointment_date": "2026-12-08"}, ("born 3 May 2015", "A: Next Tuesday?", "no, the week after"), {}),
    ],
)
def test_it_may_be_meant(value: dict[str, Any], lines: tuple[str, ...], properties: dict[str, Any]) -> None:
    found = unproven(visit(value, *on("2026-11-25", *lines), **properties))
    assert all(field.doubtful for field in found.values())


def test_words_that_the_citizen_denied_are_no_pieces_of_a_text() -> None:
    lines = on("2026-11-25", "di warung itu, bukan Mbok Yem")
    assert not unproven(visit({"restaurant_name": "Warung Mbok Yem"}, *lines, **BUS))["restaurant_name"].doubtful


def test_a_name_or_an_address_made_of_two_is_not_shown() -> None:
    names = "nama saya Budi Santoso, almarhum Slamet Widagdo"
    for wrong in ({"nama_almarhum": "Slamet Santoso"}, {"nama_pelapor": "Budi Widagdo"}):
        found = ungrounded(call(wrong, names, tool=shipped("surat_keterangan_kematian")))
        assert not any(field.doubtful for field in found if field.path in wrong)
    wrong, homes = {"alamat_domisili": "Jl. Melati 12"}, "alamat saya Jl. Mawar 12, ibu di Jl. Melati 3"
    found = ungrounded(call(wrong, homes, tool=shipped("surat_keterangan_domisili")))
    assert not any(field.doubtful for field in found if field.path in wrong)


def test_a_number_that_the_agent_noted_is_not_shown_if_the_answer_rejects_it() -> None:
    lines = on("2026-11-25", "our dog", "A: A dog of 3 years. When?", "no, that's wrong")
    assert not unproven(visit({"age_years": 3}, *lines))["age_years"].doubtful


def test_a_text_for_a_card_is_no_code() -> None:
    fields = {"card_message": {"type": "string"}, "card_number": {"type": "string"}}
    shapes = form({"type": "object", "properties": fields}).shapes
    assert [shapes[name].kind for name in fields] == ["text", "code"]


def test_a_choice_may_say_no_itself() -> None:
    level = {"urgency": {"type": "string", "enum": ["urgent", "not urgent"]}}
    assert "urgency" not in unproven(visit({"urgency": "not urgent"}, "urgency: not urgent", **level))
    assert not unproven(visit({"urgency": "urgent"}, "urgency: not urgent", **level))["urgency"].doubtful


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("a fox killed my dog last week, and the bird is fine", True),  # tells when something happened
        ("my dog is gone since the gate was open", True),
        ("I used to have a dog", False),
        ("last year the species was dog", False),  # says what the field was
    ],
)
def test_what_happened_before_may_be_meant_and_what_a_field_was_is_not(line: str, *, marked: bool) -> None:
    assert unproven(visit({"species": "dog"}, line))["species"].doubtful is marked


@pytest.mark.parametrize(
    ("answer", "marked"),
    [
        ("right after the long holiday", True),
        ("no, not yet", False),
        ("I'm not sure", False),
        ("the 9999999999", False),
        ("on 3 December 2026", False),
    ],
)
def test_an_answer_in_words_that_nobody_reads_is_shown_as_the_model_reads_it(answer: str, *, marked: bool) -> None:
    found = unproven(visit({"appointment_date": "2026-12-28"}, "A: Which day suits you?", answer))
    assert found["appointment_date"].doubtful is marked
    assert not unproven(visit({"appointment_date": "2026-12-28"}, answer))["appointment_date"].doubtful


@pytest.mark.parametrize(
    ("line", "asked_back"),
    [("what if I called him Biscuit?", True), ("for example Biscuit", True), ("he isn't called Biscuit", False)],
)
def test_what_was_only_supposed_is_asked_back_and_what_was_denied_is_not(line: str, *, asked_back: bool) -> None:
    found = unproven(visit({"pet_name": "Biscuit"}, line))["pet_name"]
    assert (found.said, found.doubtful) == (asked_back, False)


async def test_only_what_the_citizen_will_not_see_before_the_yes_is_asked_for() -> None:
    lines = ("Biscuit is limping", "Ada Quist")
    arguments = {"pet_name": "Biscuit", "owner_name": "Ada Quist", "age_years": 9}
    asked = await Grounded().before(visit(arguments, *lines))
    assert isinstance(asked, ToolOutcome)
    assert asked.missing == ("age_years",)
    assert "Biscuit" not in asked.message
    beside = await Grounded().before(visit(arguments, *lines, rule="staff"))
    assert isinstance(beside, ToolOutcome)
    assert set(beside.missing) == set(arguments)


async def test_a_yes_to_one_text_that_is_asked_back_is_no_other_text() -> None:
    job = {"pekerjaan": {"type": "string"}}
    said = Said(by="citizen", order=1, text="mungkin guru")
    asked = await Grounded().before(visit({"pekerjaan": "guru"}, said, rule="staff", **job))
    assert isinstance(asked, ToolOutcome)
    question = Said(by="agent", order=2, text=asked.message, tool="enter", value=asked.output)
    yes = Said(by="citizen", order=3, text="ya, benar")
    passed = await Grounded().before(visit({"pekerjaan": "guru"}, said, question, yes, rule="staff", **job))
    assert isinstance(passed, ToolCall)


def test_a_time_inside_a_text_belongs_to_it() -> None:
    asked = visit({"catatan": "wadah yang lama"}, "pesan dua kotak, tolong pakai wadah yang lama saja", **NOTE)
    assert unproven(asked)["catatan"].doubtful


def test_rt_and_rw_exchanged_are_contradicted_by_their_names() -> None:
    found = ungrounded(call({"rt": "005", "rw": "002"}, "saya tinggal di Jl. Melati No. 4 RT 002 RW 005"))
    assert [(field.path, field.doubtful) for field in found] == [("rt", False), ("rw", False)]


@pytest.mark.parametrize(("line", "doubtful"), [("", True), (", perempuan", False)])
def test_the_sex_of_a_nik_in_doubt_is_in_doubt_with_it(line: str, doubtful: bool) -> None:
    lines = (f"surat domisili. NIK 3175061203800005{line}", "A: Baik.", "nggak?")
    found = ungrounded(call({"nik": "3175061203800005", "jenis_kelamin": "Laki-laki"}, *lines))
    assert [(field.path, field.doubtful) for field in found] == [("nik", True), ("jenis_kelamin", doubtful)]


@pytest.mark.parametrize(
    "line", ["Ini gratis apa nggak?", "Can I pick it up today or not?", "Suratnya bayar nggak ya?"]
)
def test_a_question_that_ends_in_a_negation_takes_nothing_back(line: str) -> None:
    lines = ("surat domisili. NIK 3175061203800005, Islam", "A: Baik.", line)
    assert ungrounded(call({"nik": "3175061203800005", "agama": "Islam"}, *lines)) == []


def test_what_a_later_message_replaces_is_no_longer_only_in_doubt() -> None:
    lines = ("Jl. Melati No. 4 RT 002 RW 005", "A: Apakah semua data di atas sudah benar?", "ya, tapi RW nya 009")
    [found] = ungrounded(call({"rt": "002", "rw": "005"}, *lines))
    assert (found.path, found.doubtful) == ("rw", False)


def test_a_spelling_with_a_hyphen_is_found_in_a_sentence() -> None:
    status = {"type": "string", "enum": ["Kawin"], "x-agentd-spellings": {"Kawin": ["sampun emah-emah"]}}
    asked = visit({"status": "Kawin"}, "kula sampun emah-emah, griya kula caket mriki", status=status)
    assert ungrounded(asked) == []
