"""Natural messages with several details at once, for tools of other trades: who speaks, how many, until when, what is
left for the one field that nothing else was said of."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.letters.grounding import ungrounded
from agentd.messages import ToolInfo
from tests.agentd.apps.letters.letters import call

LOAN: dict[str, Any] = {
    "member_name": {"type": "string"},
    "member_number": {"type": "string"},
    "title": {"type": "string"},
    "copies": {"type": "integer"},
    "due_date": {"type": "string", "format": "date"},
}
DEATH: dict[str, Any] = {
    "nama_almarhum": {"type": "string", "format": "person-name"},
    "nik_almarhum": {"type": "string", "format": "nik"},
    "nama_pelapor": {"type": "string", "format": "person-name"},
    "nik_pelapor": {"type": "string", "format": "nik"},
}
COURSE: dict[str, Any] = {
    "nama": {"type": "string", "format": "person-name"},
    "program_studi": {"type": "string"},
    "semester": {"type": "integer"},
    "keperluan": {"type": "string"},
}
NIK = "3301025207790003"


def missing(properties: dict[str, Any], arguments: dict[str, Any], *lines: str) -> set[str]:
    schema = {"type": "object", "properties": properties}
    tool = ToolInfo(name="enter", server="desk", official=True, description="Enter it", input_schema=schema)
    return {field.path for field in ungrounded(call(arguments, *lines, tool=tool))}


@pytest.mark.parametrize(
    ("properties", "arguments", "line"),
    [
        (LOAN, {"member_name": "Ruth Adeyemi"}, "I'm Ruth Adeyemi, and I'd like Ulysses."),
        (LOAN, {"copies": 1, "due_date": "2027-03-09"}, "One copy, until 9 March 2027."),
        (LOAN, {"member_number": "K-30551"}, "My member number is K-30551. I need it till 9 March 2027."),
        (DEATH, {"nik_pelapor": NIK}, f"Saya Wening Pratiwi, NIK {NIK}, anaknya."),
        (DEATH, {"nik_pelapor": NIK}, f"Pelapor Wening Pratiwi (anak kandung), NIK {NIK}."),
    ],
)
def test_a_clause_that_speaks_of_nothing_else_needs_no_name(
    properties: dict[str, Any], arguments: dict[str, Any], line: str
) -> None:
    assert missing(properties, arguments, line) == set()


@pytest.mark.parametrize(
    ("properties", "arguments", "line"),
    [
        (LOAN, {"title": "Ruth Adeyemi"}, "I'm Ruth Adeyemi, and I'd like Ulysses."),
        (LOAN, {"member_number": "2027"}, "I need it till 9 March 2027."),
        (DEATH, {"nik_almarhum": NIK}, f"Saya Wening Pratiwi, NIK {NIK}, anaknya."),
        (DEATH, {"nik_pelapor": NIK}, f"Almarhum Pak Darto, NIK {NIK}, ayah saya."),
        (DEATH, {"nik_pelapor": NIK}, f"Saya Wening Pratiwi. Ayah saya NIK {NIK}."),
    ],
)
def test_what_is_said_of_another_stays_refused(
    properties: dict[str, Any], arguments: dict[str, Any], line: str
) -> None:
    assert missing(properties, arguments, line) == set(arguments)


SAID = ("Nama saya Wening Pratiwi, semester 5, untuk beasiswa.", "Teknik Kimia, kelas sore")
GIVEN = {"nama": "Wening Pratiwi", "semester": 5, "keperluan": "beasiswa"}


def test_a_text_that_stands_alone_is_left_for_the_one_field_without_a_value() -> None:
    assert missing(COURSE, {**GIVEN, "program_studi": "Teknik Kimia"}, *SAID) == set()


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        ({"nama": "Wening Pratiwi", "program_studi": "Teknik Kimia"}, {"program_studi"}),
        ({**GIVEN, "program_studi": "semester 5"}, {"program_studi"}),
        ({**GIVEN, "program_studi": "Wening Pratiwi"}, {"program_studi"}),
        ({**GIVEN, "program_studi": "Teknik"}, {"program_studi"}),
        ({**GIVEN, "program_studi": "beasiswa"}, {"program_studi"}),
        ({**GIVEN, "keperluan": "Teknik Kimia", "program_studi": "beasiswa"}, {"keperluan", "program_studi"}),
    ],
)
def test_what_may_be_another_fields_is_asked(arguments: dict[str, Any], refused: set[str]) -> None:
    assert missing(COURSE, arguments, *SAID) == refused


def test_a_label_that_ends_a_sentence_is_read() -> None:
    """It ended in an IndexError: the word behind it was looked at."""
    assert missing(LOAN, {"due_date": "2027-03-09"}, "9 March 2027 is due") == set()
