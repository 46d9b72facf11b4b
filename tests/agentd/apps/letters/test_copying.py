"""What a model held to a schema can write into an official call: words of this session, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from llguidance import LLMatcher, LLTokenizer

from agentd.agent.actions import schema
from agentd.agent.turn_policy import Offer
from agentd.apps.letters.claims.deeds import ASKED_BY
from agentd.apps.letters.policies.copying import Copied, copied
from agentd.apps.letters.policies.grounding import case_of, ungrounded
from agentd.messages import ToolInfo
from bridges.llamacpp import constraint
from tests.agentd.apps.letters.letters import PROPERTIES, call, letter, session

NIK = "3175064501900003"
ALL = f"""Nama saya Budi Santoso, NIK {NIK}, lahir di Jakarta 5 Januari 1990, Islam, belum kawin, pekerjaan guru,
alamat Jl. Melati No. 5 RT 003/RW 007, untuk melamar kerja ya pak, terima kasih"""
NEEDED = (
    *("nama", "nik", "tempat_lahir", "tanggal_lahir", "agama", "status_perkawinan", "pekerjaan", "alamat_domisili"),
    *("rt", "rw", "keperluan"),
)


def accepts(grammar: str, text: str) -> bool:
    """Whether the engine could write this text under the grammar."""
    matcher = LLMatcher(LLTokenizer("byte"), grammar)
    return bool(matcher.consume_tokens(list(text.encode())) and matcher.is_accepting())


def form(*lines: str, required: tuple[str, ...] = NEEDED, **changes: Any) -> Copied:
    tool = letter(required, **changes)
    return copied(tool, case_of(tool, session(*lines)))


def listed(found: Copied, name: str) -> list[str] | None:
    return found.tool.input_schema["properties"].get(name, {}).get("enum")


def test_a_part_of_an_occupation_is_not_offered_beside_it() -> None:
    found = form("Agama Islam, belum kawin, karyawan swasta, alamat Jl. Melati No. 5", required=("pekerjaan",))
    assert (found.known.get("pekerjaan"), listed(found, "pekerjaan")) == ("karyawan swasta", None)


def test_what_has_one_proven_value_is_filled_in_and_in_no_schema() -> None:
    found = form(ALL)
    assert found.known == {
        "nama": "Budi Santoso",
        "nik": NIK,
        "tempat_lahir": "Jakarta",
        "tanggal_lahir": "1990-01-05",
        "agama": "Islam",
        "status_perkawinan": "Belum Kawin",
        "pekerjaan": "guru",
        "alamat_domisili": "Jl. Melati No. 5",
        "rt": "003",
        "rw": "007",
        "keperluan": "melamar kerja",
    }
    assert found.tool.input_schema["properties"] == {} and found.tool.input_schema["required"] == []
    assert ungrounded(call(dict(found.known), ALL, tool=letter(NEEDED))) == []


@pytest.mark.parametrize(
    ("lines", "known"),
    [
        (("Saya perlu surat domisili untuk melamar kerja",), {"keperluan": "melamar kerja"}),
        (("Surat", "A: Mohon sebutkan: keperluan.", "mau daftar sekolah"), {"keperluan": "daftar sekolah"}),
        (("agama saya Islam", "eh maaf, Hindu"), {"agama": "Hindu"}),
        (("keperluan: melamar kerja", "keperluan: buka rekening bank"), {"keperluan": "buka rekening bank"}),
        ((f"NIK istri saya {NIK}",), {}),
        (("Apakah bisa untuk melamar kerja?",), {}),
        (("A: Mohon sebutkan keperluan, misalnya KEPERLUAN CONTOH.", "ya pak"), {}),
        (("Pekerjaan: Ibu Rumah Tangga",), {"pekerjaan": "Ibu Rumah Tangga"}),
        (("pekerjaan guru, bu",), {"pekerjaan": "guru"}),
        (("keperluan: ibu mau operasi",), {"keperluan": "ibu mau operasi"}),
        (("nama saya I Made Wirawan",), {"nama": "I Made Wirawan"}),
        ((f"Om swastiastu, saya I Made Wirawan, NIK {NIK}",), {"nama": "I Made Wirawan", "nik": NIK}),
        ((f"Namo buddhaya, NIK saya {NIK}",), {"nik": NIK}),
        (("tinggal di Jl. Anggrek No. 3A RT 010",), {"alamat_domisili": "Jl. Anggrek No. 3A", "rt": "010"}),
    ],
)
def test_the_last_word_counts_and_what_nobody_said_is_nowhere(lines: tuple[str, ...], known: dict[str, str]) -> None:
    found = form(*lines)
    assert found.known == known
    assert found.tool.input_schema["properties"] == {}


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Saya mau bikin surat domisili", {}),
        ("surat domisili untuk melamar kerja", {"keperluan": "melamar kerja"}),
        ("keperluan membuat surat domisili", {"keperluan": "surat domisili"}),
    ],
)
def test_what_asks_for_the_letter_is_its_purpose_only_where_it_is_called_that(said: str, known: dict[str, str]) -> None:
    tool = letter(NEEDED).model_copy(update={"meta": {ASKED_BY: ["surat domisili"]}})
    assert copied(tool, case_of(tool, session(said))).known == known


PET = ToolInfo(
    name="generate_surat_keterangan_hewan",
    server="certificate",
    official=True,
    annotations={"title": "Surat Keterangan Hewan Peliharaan"},
    meta={ASKED_BY: ["surat hewan"]},
    input_schema={
        "type": "object",
        "properties": {"hewan": {"type": "string", "title": "Jenis hewan"}},
        "required": ["hewan"],
    },
)


@pytest.mark.parametrize(
    ("said", "known"),
    [
        (["Saya mau surat keterangan hewan peliharaan"], {}),
        (["Saya mau surat keterangan hewan peliharaan, hewannya kucing"], {"hewan": "kucing"}),
        (["Saya mau surat hewan", "A: Jenis hewan apa?", "hewan peliharaan kucing"], {"hewan": "peliharaan kucing"}),
    ],
)
def test_a_title_by_which_a_letter_is_asked_for_says_no_free_text_of_it(said: list[str], known: dict[str, str]) -> None:
    case = case_of(PET, session(*said))
    assert copied(PET, case).known == known
    assert ungrounded(call({"hewan": "peliharaan"}, "Saya mau surat keterangan hewan peliharaan", tool=PET))


def test_among_several_readings_a_model_copies_one_that_was_said() -> None:
    said = "I need a letter to apply for a job. My name is John Doe"
    purposes = listed(form(said), "keperluan")
    assert purposes is not None and "apply for a job" in purposes
    assert all(one in said for one in purposes) and len(purposes) <= 24


def test_no_example_can_be_written_into_an_official_call() -> None:
    tool = form("I need a letter to apply for a job, NIK 3175064501900003").tool
    grammar = constraint.from_schema(schema(Offer((tool,), may_list=False, may_answer=False)))
    parrot = '{"action":"call_tool","tool":"%s","input":{"keperluan":"%s"}}'
    assert accepts(grammar, parrot % (tool.name, "apply for a job"))
    assert not accepts(grammar, parrot % (tool.name, "KEPERLUAN CONTOH"))
    assert not accepts(grammar, parrot % (tool.name, "apply for a job KEPERLUAN"))


def test_an_optional_field_is_filled_in_once_it_was_told() -> None:
    told = f"NIK {NIK}, no KK 3175061501900018, alamat KTP Jl. Mawar 2"
    assert form(told, required=("nik",)).known.keys() == {"nik", "no_kk", "alamat_ktp"}
    assert listed(form(f"{told}, sekarang di Jl. Melati 5"), "alamat_ktp") == ["Jl. Mawar 2", "Jl. Melati 5"]
    bare = form(f"NIK {NIK}", required=("nik",))
    assert (dict(bare.known), bare.tool.input_schema["properties"]) == ({"nik": NIK}, {})
    asked = form("A: Siapa nama ibu Anda?", "Sri Wahyuni", required=("nik",))
    assert asked.known == {"nama_ibu": "Sri Wahyuni"}


def test_whom_a_letter_serves_is_filled_in_with_how_they_are_related() -> None:
    served = {"nama_penerima": {"type": "string", "format": "person-name"}, "hubungan": {"type": "string"}}
    found = form("surat tidak mampu untuk anak saya Putri Rahayu", required=(), **served)
    assert {"nama_penerima": "Putri Rahayu", "hubungan": "anak"}.items() <= found.known.items()


def test_dates_times_and_numbers_are_what_the_words_mean() -> None:
    schema = {
        "type": "object",
        "properties": {
            "day": {"type": "string", "format": "date", "title": "Date of the visit"},
            "hour": {"type": "string", "format": "time", "title": "Time"},
            "guests": {"type": "integer", "title": "Number of people", "x-agentd-kind": "number"},
        },
        "required": ["day", "hour", "guests"],
    }
    tool = ToolInfo(name="book_table", server="table", official=True, input_schema=schema)
    found = copied(tool, case_of(tool, session("Please book a table for 4 people on March 3rd 2027 at 7 pm")))
    assert found.known == {"day": "2027-03-03", "hour": "19:00", "guests": 4}


PARCEL = {
    "sender_name": {"type": "string"},
    "pickup_address": {"type": "string"},
    "pickup_date": {"type": "string", "format": "date"},
    "notes": {"type": "string"},
}


def parcel(*lines: str, required: tuple[str, ...] = ("sender_name", "pickup_address", "pickup_date")) -> Copied:
    schema = {"type": "object", "properties": PARCEL, "required": list(required)}
    tool = ToolInfo(name="book_pickup", server="post", official=True, input_schema=schema)
    return copied(tool, case_of(tool, session(*lines)))


def test_of_a_tools_own_fields_a_model_chooses_among_what_was_said_and_may_be_meant() -> None:
    found = parcel("someone should collect a parcel, 14 Birch Lane, on 1 December 2026", "Patricia Holloway")
    properties = found.tool.input_schema["properties"]
    assert "Patricia Holloway" in properties["sender_name"]["enum"]
    assert "14 Birch Lane" in properties["pickup_address"]["enum"]
    assert "notes" not in properties, "nobody asked for an optional one"
    assert {"sender_name", "pickup_address"}.isdisjoint(found.tool.input_schema["required"]), "it may be left out"


def test_what_was_denied_or_is_somebody_elses_can_be_chosen_nowhere() -> None:
    found = parcel("not Patricia Holloway", "it isn't 14 Birch Lane")
    chosen = [value for rule in found.tool.input_schema["properties"].values() for value in rule["enum"]]
    assert not any("Holloway" in value or "Birch" in value for value in chosen)


def test_of_the_citizens_own_common_data_only_what_is_proven_can_be_written() -> None:
    assert form("Selamat pagi, surat domisili", "Hindu").tool.input_schema["properties"].keys() <= {"keperluan"}


def test_a_long_message_gives_a_model_no_more_to_choose_from_than_a_short_one() -> None:
    words = "mau buat surat pengantar supaya bisa " + " ".join(f"kata{number}" for number in range(400))
    found = form(words, **{name: PROPERTIES[name] for name in ("keperluan", "nama_usaha", "jenis_usaha")})
    assert all(len(rule["enum"]) <= 24 for rule in found.tool.input_schema["properties"].values())
