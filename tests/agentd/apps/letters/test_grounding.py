"""The grounding policy as a tool host: what it lets through, how it refuses, and that nothing unsaid ever passes.

Issue 5, "Grounding"; design.md, "Policies".
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentd.agent.policies import PolicedTools
from agentd.apps.letters.policies.grounding import Grounded, fills, ungrounded
from agentd.messages import Basis, Said, ToolCall, ToolInfo
from agentd.testing import MemoryTools
from tests.agentd.apps.letters.letters import PROPERTIES, call, letter, session

NIK = "3175064501900003"


def host() -> tuple[PolicedTools, MemoryTools]:
    tools = MemoryTools({letter().name: lambda arguments: {"number": "1"}}, [letter()])
    return PolicedTools(tools, [Grounded()]), tools


def missing(*arguments: Any, **options: Any) -> list[str]:
    return [field.path for field in ungrounded(call(*arguments, **options))]


async def test_a_proven_call_reaches_the_tool_with_its_published_defaults() -> None:
    grounded, tools = host()
    made = call({"nama": "Budi Santoso"}, "Nama saya Budi Santoso")
    outcome = await grounded.call(made)
    assert outcome.success
    assert tools.calls == [made.model_copy(update={"input": {**made.input, "kewarganegaraan": "WNI"}})]


async def test_an_invented_citizen_never_reaches_the_tool_and_is_asked_for_in_one_question() -> None:
    grounded, tools = host()
    outcome = await grounded.call(
        call({"nama": "Budi Santoso", "nik": NIK, "tanggal_lahir": "1990-01-05"}, "Nama saya Budi Santoso")
    )
    assert not outcome.success
    assert outcome.error_type == "grounding"
    assert outcome.missing == ("nik", "tanggal_lahir")
    assert outcome.message == "Mohon sebutkan: NIK (16 digit) dan tanggal lahir."
    assert outcome.output == {"missing": ["nik", "tanggal_lahir"], "labels": ["NIK (16 digit)", "tanggal lahir"]}
    assert tools.calls == []


async def test_the_refusal_repeats_no_invented_value() -> None:
    grounded, _ = host()
    outcome = await grounded.call(call({"nama": "Joko Susilo", "nik": NIK, "agama": "Islam"}, "buatkan surat"))
    assert not any(value in outcome.model_dump_json() for value in ("Joko", "Susilo", NIK, "Islam"))


async def test_the_question_is_in_the_language_of_the_call() -> None:
    grounded, _ = host()
    outcome = await grounded.call(call({"nama": "Budi", "nik": NIK}, "make me a letter", language="en"))
    assert outcome.message == "Please tell me: full name and NIK (16 digits)."


async def test_a_tool_that_is_not_official_takes_what_the_model_gives() -> None:
    tools = MemoryTools({"get_current_time": lambda arguments: "12.00"})
    tool = ToolInfo(name="get_current_time", server="time")
    made = ToolCall(tool=tool, input={"zone": "Asia/Jakarta"}, run_id="r", session_id="s", step=1)
    assert (await PolicedTools(tools, [Grounded()]).call(made)).success


def test_the_catalogue_passes_through() -> None:
    grounded, tools = host()
    assert grounded.catalogue() is not None
    assert grounded.catalogue() == tools.catalogue()


def test_required_fields_left_out_are_asked_for_with_the_rest() -> None:
    tool = letter(required=("nama", "nik"))
    assert missing({"nama": "Budi"}, "nama saya Budi", tool=tool) == ["nik"]
    assert missing({"nama": "Budi", "nik": ""}, "nama saya Budi", tool=tool) == ["nik"]
    assert missing({"nama": "Budi"}, "nama saya Budi") == []


def test_a_session_id_set_by_the_host_needs_nobody_to_say_it() -> None:
    tool = letter(required=("session_id",), session_id={"type": "string"})
    assert missing({"session_id": "s-1"}, "halo", tool=tool) == []


def test_an_argument_that_the_schema_does_not_know_needs_evidence_too() -> None:
    assert missing({"catatan": "lunas"}, "halo") == ["catatan"]


@pytest.mark.parametrize("name", ["contoh"])
def test_an_example_of_the_schema_is_no_evidence(name: str) -> None:
    assert missing({"nama": PROPERTIES["nama"]["examples"][0]}, "buatkan surat") == ["nama"]


# ── tool results ─────────────────────────────────────────────────────────────────────────────────────────────────────


def found(value: Any, order: int = 9, text: str = "") -> tuple[Said, ...]:
    return (Said(by="tool", order=order, tool="lookup_citizen", value=value, text=text),)


@pytest.mark.parametrize(
    ("said", "name", "proven"),
    [
        ("Rene Santoso", "Ren\u00e9 Santoso", False),
        ("Rene Santoso", "Rene\u0301 Santoso", False),
        ("Rene\u0301 Santoso", "Ren\u00e9 Santoso", True),
        ("Ren\u00e9 Santoso", "Rene\u0301 Santoso", True),
        ("Ren\u00e9 Santoso", "Rene Santoso", False),
    ],
)
def test_a_mark_on_a_letter_makes_another_name_however_it_is_encoded(said: str, name: str, proven: bool) -> None:
    assert bool(ungrounded(call({"nama": name}, f"Nama saya {said}"))) is not proven


def test_a_result_about_the_same_person_is_evidence_by_field_and_value() -> None:
    record = {"nik": NIK, "nama": "BUDI SANTOSO", "tanggal_lahir": "05-01-1990", "agama": "ISLAM", "rt": "003"}
    arguments = {"nik": NIK, "nama": "Budi Santoso", "tanggal_lahir": "1990-01-05", "agama": "Islam", "rt": "3"}
    assert missing(arguments, f"NIK saya {NIK}", said=found(record)) == []
    assert missing(arguments | {"rt": "4"}, f"NIK saya {NIK}", said=found(record)) == ["rt"]


def test_a_result_about_another_nik_is_no_evidence() -> None:
    record = {"nik": "3175064501900009", "nama": "Budi Santoso"}
    assert missing({"nik": NIK, "nama": "Budi Santoso"}, f"NIK saya {NIK}", said=found(record)) == ["nama"]


def test_a_relatives_part_of_a_result_is_the_relatives() -> None:
    assert missing({"nama": "Siti"}, "halo", said=found({"ibu": {"nama": "Siti"}})) == ["nama"]


def test_running_text_in_a_result_is_no_evidence() -> None:
    assert missing({"nama": "Budi Santoso"}, "halo", said=found({"catatan": "Nama: Budi Santoso"})) == ["nama"]
    assert missing({"nama": "Budi Santoso"}, "halo", said=found("nama saya Budi Santoso")) == ["nama"]


def test_what_a_tool_only_echoes_of_its_input_is_no_evidence() -> None:
    echo = {"nama": "Budi Santoso"}
    assert missing(echo, "halo", said=found({"preview": echo}, text=json.dumps(echo))) == ["nama"]


def test_a_citizen_who_corrects_a_result_is_believed() -> None:
    said = (*found({"rt": "003"}, order=1), Said(by="citizen", order=2, text="RT saya 5"))
    assert missing({"rt": "3"}, said=said) == ["rt"]
    assert missing({"rt": "5"}, said=said) == []


async def test_a_value_that_only_a_result_gave_is_not_called_the_citizens() -> None:
    sources = {"nik": "citizen", "nama": "citizen", "rt": "citizen", "agama": "register"}
    basis = Basis(sources=dict(sources))  # type: ignore[arg-type]
    arguments = {"nik": NIK, "nama": "Budi Santoso", "rt": "3", "agama": "Islam"}
    asked = call(arguments, f"NIK saya {NIK}, RT 3", said=found({"nik": NIK, "nama": "Budi Santoso", "rt": "003"}))
    passed = await Grounded().before(asked.model_copy(update={"basis": basis}))
    assert isinstance(passed, ToolCall) and passed.basis is not None
    assert {name: passed.basis.sources[name] for name in sources} == sources | {"nama": "derived"}


# ── what an officer typed ────────────────────────────────────────────────────────────────────────────────────────────


def test_an_officers_own_arguments_are_evidence_for_exactly_their_fields() -> None:
    typed = {"nama": "Budi Santoso", "nik": NIK, "rt": "3", "agama": "Islam"}
    assert missing(typed, json.dumps(typed)) == []
    assert missing(typed | {"agama": "Hindu"}, json.dumps(typed)) == ["agama"]


# ── schemas ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_schema_without_hints_is_read_by_names() -> None:
    properties = {name: {"type": "string"} for name in ("nama", "nik", "tempat_lahir", "tanggal_lahir", "agama", "rt")}
    tool = ToolInfo(name="t", server="s", official=True, input_schema={"type": "object", "properties": properties})
    text = f"Nama saya Budi, NIK {NIK}, lahir di Solo 5 Januari 1990, agama Islam, RT 3"
    right = {"nama": "Budi", "nik": NIK, "tempat_lahir": "Solo", "tanggal_lahir": "1990-01-05", "agama": "Islam"}
    assert missing(right | {"rt": "003"}, text, tool=tool) == []
    assert missing(right | {"rt": "7", "agama": "Hindu"}, text, tool=tool) == ["agama", "rt"]


def test_nested_objects_and_lists_are_judged_leaf_by_leaf() -> None:
    properties = {
        "pemohon": {"$ref": "#/$defs/orang"},
        "alamat": {"type": "object", "properties": {"jalan": {"type": "string", "format": "address"}, "rt": {}}},
        "anak": {"type": "array", "items": {"$ref": "#/$defs/orang"}},
    }
    orang = {"type": "object", "properties": {"nama": {"type": "string"}, "nik": {"type": "string"}}}
    schema = {"type": "object", "properties": properties, "$defs": {"orang": orang}}
    tool = ToolInfo(name="t", server="s", official=True, input_schema=schema)
    arguments = {
        "pemohon": {"nama": "Budi", "nik": NIK},
        "alamat": {"rt": "3"},
        "anak": [{"nama": "Rani"}, {"nama": "Dodi"}],
    }
    text = f"Nama saya Budi, NIK saya {NIK}, RT 3. Anak saya bernama Rani."
    assert missing(arguments, text, tool=tool) == ["anak.1.nama"]


def test_booleans_need_a_statement_or_an_answer() -> None:
    tool = letter(menikah_tercatat={"type": "boolean", "title": "Pernikahan tercatat"})
    asked = ("A: Apakah pernikahan tercatat?", "ya")
    assert missing({"menikah_tercatat": True}, *asked, tool=tool) == []
    assert missing({"menikah_tercatat": False}, *asked, tool=tool) == ["menikah_tercatat"]
    assert missing({"menikah_tercatat": True}, "halo", tool=tool) == ["menikah_tercatat"]


def test_words_from_the_agent_alone_prove_nothing() -> None:
    said = session("A: Nama Anda Budi Santoso, agama Islam.", "ya")
    assert missing({"nama": "Budi Santoso", "agama": "Islam"}, said=said) == ["nama", "agama"]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["Saya mau surat domisili", "RT 9, RW 4."], True),
        (["A: Mohon sebutkan: keperluan.", "Keperluan mengurus BPJS."], True),
        (["A: Mohon sebutkan: agama.", "Islam"], True),
        (["Eh salah, RT-nya 2, bukan 5."], True),
        (["NIK 3175064501900003", "Terima kasih"], False),
        (["NIK 3175064501900003", "Who won the football match?"], False),
        (["NIK 3175064501900003", "Apa boleh RT 9?"], False),
        ([], False),
    ],
)
def test_a_message_fills_the_form_when_it_says_something_the_form_asks_for(lines: list[str], says: bool) -> None:
    assert fills(letter(), session(*lines)) is says


@pytest.mark.parametrize(
    ("said", "honest", "wrong"),
    [
        (("Lapor kematian bapak saya. saya anaknya, Budi Santoso",), "anak", "ayah"),
        (("My father passed away. I am his son",), "son", "father"),
        (("Suami saya meninggal", "A: Mohon sebutkan: hubungan pelapor.", "istri"), "istri", "suami"),
        (("Tetangga saya meninggal",), "tetangga", "saudara"),
    ],
)
def test_what_the_citizen_is_to_somebody_is_not_what_that_one_is_to_the_citizen(
    said: tuple[str, ...], honest: str, wrong: str
) -> None:
    tool = letter((), hubungan_pelapor={"type": "string", "title": "Hubungan pelapor", "x-agentd-labels": ["hubungan"]})
    assert missing({"hubungan_pelapor": honest}, *said, tool=tool) == []
    assert missing({"hubungan_pelapor": wrong}, *said, tool=tool) == ["hubungan_pelapor"]
