"""What nobody has to say is seen before it is agreed to, and what was agreed to stays as it is."""

from __future__ import annotations

import io
import re
from datetime import date
from typing import Any

import pypdf
import pytest

from agentd.agent.approval import Approved, summary
from agentd.agent.policies import PolicedTools
from agentd.apps.letters.policies.completing import completed, without_nothing
from agentd.apps.letters.policies.grounding import Grounded
from agentd.messages import Basis, Consent, Said, ToolInfo
from agentd.testing import MemoryTools
from servers.certificate import office
from servers.certificate.drawing import page
from servers.certificate.letters import lettertype
from servers.certificate.letters.fitting import display
from servers.certificate.settings import SHIPPED_LETTERS
from tests.agentd.apps.letters.letters import call, letter
from tests.agentd.apps.letters.test_conversations import tool
from tests.servers.certificate.letters import ANSWERS

NIK = "3175064501900003"
SAID = (f"Nama saya Budi Santoso, NIK {NIK}",)


async def test_the_summary_shows_the_sex_and_the_citizenship_that_the_letter_will_print() -> None:
    tools = MemoryTools({letter().name: lambda arguments: {"number": "1"}})
    host = PolicedTools(tools, [Grounded(), Approved(tools)])
    waits = (await host.call(call({"nama": "Budi Santoso", "nik": NIK}, *SAID))).pending
    assert waits is not None and waits["arguments"]["jenis_kelamin"] == "Perempuan"
    assert "- Jenis kelamin: Perempuan" in waits["summary"] and "- Kewarganegaraan: WNI" in waits["summary"]


async def test_the_completed_call_that_was_agreed_to_is_made_exactly_so() -> None:
    tools = MemoryTools({letter().name: lambda arguments: {"number": "1"}})
    host = PolicedTools(tools, [Grounded(), Approved(tools)])
    seen = completed(call({"nama": "Budi Santoso", "nik": NIK}, *SAID)).input
    consent = Consent(approval_id="a", tool=letter().name, arguments=seen, by="citizen")
    assert (await host.call(call(seen, *SAID).model_copy(update={"consent": consent}))).success
    assert [made.input for made in tools.calls] == [seen]


async def test_the_summary_names_the_fields_in_the_citizens_language_beside_the_letters_own_words() -> None:
    terms = {"en": {"Nama lengkap": "full name", "Jenis kelamin": "sex"}}
    tool = letter().model_copy(update={"meta": {"agentd/terms": terms}})
    tools = MemoryTools({tool.name: lambda arguments: {"number": "1"}})
    host = PolicedTools(tools, [Grounded(), Approved(tools)])
    asked = call({"nama": "Budi Santoso", "nik": NIK}, *SAID).model_copy(update={"tool": tool, "language": "en"})
    waits = (await host.call(asked)).pending
    assert waits is not None
    assert "- Full name (Nama lengkap): Budi Santoso" in waits["summary"]
    assert "- Sex (Jenis kelamin): Perempuan" in waits["summary"], "what the host adds is named likewise"
    agreed = Consent(
        approval_id="a", tool=tool.name, arguments=waits["arguments"], labels=waits["labels"], by="citizen"
    )
    assert (await host.call(asked.model_copy(update={"input": waits["arguments"], "consent": agreed}))).success
    refused = await host.call(asked.model_copy(update={"said": ()}))
    assert "full name" in refused.message and "Nama lengkap" not in refused.message


BOOKING = ToolInfo(
    name="book_visit",
    server="clinic",
    official=True,
    approval="citizen",
    input_schema={
        "type": "object",
        "properties": {"tanggal_kunjungan": {"type": "string"}, "tanggal_lahir": {"type": "string"}},
    },
)


@pytest.mark.parametrize(
    ("said", "spoken", "meant"),
    [
        ("mau berobat besok", "besok", "2026-12-01"),
        ("berobatnya hari Kamis saja", "Kamis", "2026-12-03"),
        ("tolong tanggal 5 Desember", "5 Desember", "2026-12-05"),
        ("tolong tanggal 5 Desember 2026", "5 Desember 2026", "5 Desember 2026"),
    ],
)
async def test_a_date_is_the_one_meant_on_the_day_it_was_said(said: str, spoken: str, meant: str) -> None:
    """A server reads the call on another day than the citizen spoke, and can't know what `besok` was."""
    tools = MemoryTools({"book_visit": lambda arguments: {}})
    host = PolicedTools(tools, [Grounded(), Approved(tools)])
    heard = (Said(by="citizen", order=1, text=said, day="2026-11-30"),)
    asked = call({"tanggal_kunjungan": spoken}, tool=BOOKING).model_copy(update={"said": heard})
    waits = (await host.call(asked)).pending
    assert waits is not None and waits["arguments"] == {"tanggal_kunjungan": meant}
    later = (*heard, Said(by="citizen", order=3, text="ya", day="2026-12-02"))
    consent = Consent(approval_id="a", tool="book_visit", arguments=waits["arguments"], by="citizen")
    agreed = call(waits["arguments"], tool=BOOKING).model_copy(update={"said": later, "consent": consent})
    assert (await host.call(agreed)).success
    assert [made.input for made in tools.calls] == [{"tanggal_kunjungan": meant}]


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ({"nik": NIK, "jenis_kelamin": "Laki-laki", "kewarganegaraan": "WNA"}, {}),
        ({"nik": "31750645"}, {"kewarganegaraan": "WNI"}),
        ({"nik": NIK, "kewarganegaraan": ""}, {"kewarganegaraan": "WNI", "jenis_kelamin": "Perempuan"}),
    ],
)
def test_only_what_is_open_and_known_is_added(given: dict[str, Any], added: dict[str, Any]) -> None:
    assert completed(call(given)).input == given | added


def test_the_basis_says_that_nobody_said_it() -> None:
    basis = Basis(level="declared", sources={"nik": "citizen"})
    made = completed(call({"nik": NIK}).model_copy(update={"basis": basis}))
    assert made.basis is not None
    assert made.basis.sources == {"nik": "citizen", "kewarganegaraan": "default", "jenis_kelamin": "derived"}


def test_a_tool_that_is_not_official_gets_its_arguments_as_they_are() -> None:
    tool = letter().model_copy(update={"official": False})
    assert completed(call({"nik": NIK}, tool=tool)).input == {"nik": NIK}


TODAY = date(2026, 3, 5)
OTHER = {
    **{"nik": "1203044711620009", "kk": "1203044711620008", "date": "1999-12-31", "time": "04.44", "money": "7770"},
    **{"rt": "044", "rw": "055", "phone": "+6281111111111", "number": "88"},
}
"""Another value for each kind of field."""


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold()))


def printed(kind: lettertype.LetterType, values: dict[str, str]) -> set[str]:
    sheets = pypdf.PdfReader(io.BytesIO(page.render(kind, values, office.load(), None, TODAY))).pages
    return words(" ".join(sheet.extract_text() for sheet in sheets))


@pytest.mark.parametrize("key", sorted(ANSWERS))
def test_all_that_the_paper_says_of_a_person_stood_in_the_summary(key: str) -> None:
    """What changes on the paper with the person are the words of what the citizen read before the yes."""
    kind = lettertype.load(SHIPPED_LETTERS / key)
    asked = completed(call(ANSWERS[key], tool=tool(key)))
    values, _ = kind.check(asked.input, TODAY, page.glyphs())
    shown = summary(tool(key), values, "id")
    told = display(values, kind.fields, office.load().speech)
    as_told = [name for name, field in kind.fields.items() if field.kind in ("date", "money") and name in values]
    written = values | {name: told[name].removeprefix("Rp") for name in as_told}
    assert [name for name, value in written.items() if words(value) - words(shown)] == []
    read = words(shown) | words(" ".join(told.values()))
    others = {
        name: next((one for one in field.spellings if one != values[name]), OTHER.get(field.kind, "Xx Yy"))
        for name, field in kind.fields.items()
        if name in values
    }
    assert printed(kind, values) - printed(kind, others) - read == set()
    assert values.keys() == asked.input.keys(), "a field that nobody was shown"


ENROLMENT = ToolInfo(
    name="daftarkan_siswa",
    server="school",
    official=True,
    approval="citizen",
    description="Daftarkan seorang siswa baru.",
    input_schema={
        "type": "object",
        "required": ["kelas"],
        "properties": {
            "kelas": {"type": "integer"},
            "jalur": {"enum": ["zonasi", "jalur_prestasi"]},
            "saudara": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "status": {"enum": ["Kawin"], "x-agentd-spellings": {"Kawin": ["menikah"]}},
        },
    },
)


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"kelas": "3", "jalur": "Zonasi"}, {"kelas": 3, "jalur": "zonasi"}),
        ({"jalur": "Jalur Prestasi", "saudara": "2"}, {"jalur": "jalur_prestasi", "saudara": 2}),
        ({"kelas": "tiga", "jalur": "afirmasi"}, {"kelas": "tiga", "jalur": "afirmasi"}),
        ({"kelas": "007"}, {"kelas": "007"}),
        ({"status": "menikah", "saudara": None}, {"status": "menikah", "saudara": None}),
    ],
)
def test_choices_and_numbers_reach_a_tool_as_its_schema_has_them(given: dict[str, Any], sent: dict[str, Any]) -> None:
    assert completed(call(given, "kelas 3, jalur zonasi").model_copy(update={"tool": ENROLMENT})).input == sent


@pytest.mark.parametrize("nothing", ["", "null", "N/A"])
def test_an_optional_value_that_says_nothing_is_neither_asked_for_nor_sent(nothing: str) -> None:
    asked = call({"kelas": nothing, "jalur": "zonasi", "saudara": nothing}, "jalur zonasi")
    assert without_nothing(asked.model_copy(update={"tool": ENROLMENT})).input == {"kelas": nothing, "jalur": "zonasi"}


def test_a_fields_own_title_is_not_repeated_beside_a_part_of_it() -> None:
    labels = {"id": ["lama", "selama"], "en": ["for how many months"]}
    prop = {"type": "integer", "title": "Lama izin (bulan)", "x-agentd-labels": labels}
    tool = ENROLMENT.model_copy(update={"input_schema": {"type": "object", "properties": {"lama": prop}}})
    asked = call({"lama": 6}, "selama 6 bulan").model_copy(update={"tool": tool})
    titles = {
        language: completed(asked.model_copy(update={"language": language})).tool.input_schema["properties"]["lama"]
        for language in ("id", "en")
    }
    assert [titles[language]["title"] for language in ("id", "en")] == [
        "Lama izin (bulan)",
        "For how many months (Lama izin (bulan))",
    ]
