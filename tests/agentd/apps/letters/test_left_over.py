"""Natural messages with several details at once, for tools of other trades: who speaks, how many, until when, what is
left for the one field that nothing else was said of."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.agent.approval import summary
from agentd.apps.letters.policies.grounding import refusal, ungrounded
from agentd.messages import Said, ToolInfo, ToolOutcome
from tests.agentd.apps.letters.letters import call
from tests.agentd.apps.letters.test_conversations import tool as letter_tool

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


LENT = {"member_number": "K-30551", "copies": 1, "due_date": "2027-03-09"}
BORROWED = ("I'd like to take out Ulysses and Other Tales.", "One copy, member number K-30551, until 9 March 2027.")


@pytest.mark.parametrize("name", ["Ruth Adeyemi.", "I'm Ruth Adeyemi.", "Ruth Adeyemi, hello"])
def test_what_is_written_as_a_name_goes_to_the_fields_that_are_left_in_one_way(name: str) -> None:
    given = {**LENT, "member_name": "Ruth Adeyemi", "title": "Ulysses and Other Tales"}
    assert missing(LOAN, given, *BORROWED, name) == set()


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"title": "Ruth Adeyemi", "member_name": "Ulysses and Other Tales"}, ("Ruth Adeyemi.",)),
        ({"title": "Other Tales"}, ("Ruth Adeyemi.",)),
        ({"title": "Ulysses and Other Tales"}, ("Ruth Adeyemi.", "Joyce, the first edition")),
        ({"title": "Ulysses and Other Tales"}, ("My friend Ruth Adeyemi told me of it.",)),
    ],
)
def test_it_is_asked_where_another_way_is_left_or_taken(arguments: dict[str, Any], lines: tuple[str, ...]) -> None:
    given = {**LENT, "member_name": "Ruth Adeyemi", **arguments}
    assert missing(LOAN, given, *BORROWED, *lines) >= set(arguments)


REPORT = (f"Pelapor Wening Pratiwi, NIK {NIK}", "Almarhum Darto Wibowo meninggal 3 Januari 2026 di RSUD Kebumen")
DECEASED: dict[str, Any] = {
    "nama_almarhum": {"type": "string", "format": "person-name"},
    "tanggal_meninggal": {"type": "string", "format": "date"},
    "tempat_meninggal": {"type": "string"},
    "nama_pelapor": {"type": "string", "format": "person-name"},
}
REPORTED = {"nama_almarhum": "Darto Wibowo", "tanggal_meninggal": "2026-01-03", "nama_pelapor": "Wening Pratiwi"}


@pytest.mark.parametrize(
    "place", ["3 Januari 2026", "2026", "meninggal", "Darto Wibowo", "Wibowo meninggal", "Almarhum"]
)
def test_what_is_another_arguments_or_only_names_a_field_is_no_text(place: str) -> None:
    assert missing(DECEASED, {**REPORTED, "tempat_meninggal": "RSUD Kebumen"}, *REPORT) == set()
    assert missing(DECEASED, {**REPORTED, "tempat_meninggal": place}, *REPORT) == {"tempat_meninggal"}


CAMPUS: dict[str, Any] = {
    "nim": {"type": "string", "pattern": "^[0-9]{8}$"},
    "tahun_akademik": {"type": "string", "pattern": "^20[0-9]{2}/20[0-9]{2}$"},
    "semester": {"type": "integer"},
}


def test_a_code_is_told_by_the_pattern_that_its_field_declares() -> None:
    said = ("I'm in the 4th semester, student card 23010099", "for 2026/2027")
    given = {"nim": "23010099", "tahun_akademik": "2026/2027", "semester": 4}
    assert missing(CAMPUS, given, *said) == set()
    assert missing(CAMPUS, {**given, "semester": 2026}, *said) == {"semester"}
    assert missing(CAMPUS, given, *said, "My friend has 23010100") == {"nim"}
    assert missing(CAMPUS, {**given, "nim": "4th semester"}, *said) == {"nim"}


@pytest.mark.parametrize("pattern", ["^(?:[a-z]+)+$", "^[0-9]+[0-9]+[0-9]+[0-9]*$", "[z-a]", r"^\\p{L}+$", "("])
def test_a_pattern_that_is_not_plain_tells_no_code(pattern: str) -> None:
    """It may take for ever, or not compile; the field is read by its name alone."""
    kinds = {"nim": {"type": "string", "pattern": pattern}}
    assert missing(kinds, {"nim": "23010099"}, "My card is 23010099 " + "a" * 3000) == {"nim"}
    assert missing(kinds, {"nim": "23010099"}, "My NIM is 23010099") == set()


def test_a_value_that_is_none_of_its_kind_is_asked_for() -> None:
    kinds = {"branch": {"type": "string", "enum": ["North", "South"]}, "due_date": LOAN["due_date"]}
    said = "Send it to Ruth, whenever you like, thanks"
    assert missing(kinds, {"branch": "Ruth", "due_date": "whenever you like"}, said) == {"branch", "due_date"}


ORDERED = ("One copy of Ulysses, please, card number K-30551", "I'm Ruth Adeyemi, until 9 March 2027")
LOANED = {**LENT, "title": "Ulysses", "member_name": "Ruth Adeyemi"}


def _answered(arguments: dict[str, Any], answer: str, *, shown: str | None = None) -> tuple[ToolOutcome, set[str]]:
    """The refusal of a loan, and what is missing after an answer to it. `shown`: what the agent showed instead."""
    schema = {"type": "object", "properties": LOAN}
    tool = ToolInfo(name="enter", server="desk", official=True, description="Enter it", input_schema=schema)
    asked = call(LOANED, *ORDERED, tool=tool)
    refused = refusal(asked, ungrounded(asked))
    text = refused.message if shown is None else shown
    said = (
        Said(by="agent", order=90, text=text, tool=tool.name, value=refused.output),
        Said(by="citizen", order=91, text=answer),
    )
    again = asked.model_copy(update={"said": (*asked.said, *said), "input": arguments})
    return refused, {field.path for field in ungrounded(again)}


def test_what_was_said_and_may_be_meant_so_is_asked_back_and_a_yes_is_enough() -> None:
    refused, missing = _answered(LOANED, "yes")
    assert refused.message == ("Apakah ini benar: member number: K-30551? Jawab ya, atau sebutkan yang benar.")
    assert refused.output == {
        "missing": ["member_number"],
        "labels": ["member number"],
        "offered": {"member_number": "K-30551"},
    }
    assert missing == set()


@pytest.mark.parametrize(
    ("arguments", "answer", "shown"),
    [
        (LOANED, "no", None),
        (LOANED, "what do you mean?", None),
        (LOANED, "yes", "What is your number?"),
        ({**LOANED, "member_number": "K-30552"}, "yes", None),
    ],
)
def test_only_a_yes_to_the_value_that_was_shown_proves_it(
    arguments: dict[str, Any], answer: str, shown: str | None
) -> None:
    assert _answered(arguments, answer, shown=shown)[1] == {"member_number"}


def test_what_is_asked_back_reads_as_people_write_it_and_may_be_shown_so() -> None:
    """The date was shown as `2026-12-01`, and a guardian's name as `name`; a model that wrote the day in words showed
    nothing to say yes to."""
    guardian = {"type": "object", "properties": {"name": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {"visit_date": {"type": "string", "format": "date"}, "guardian": guardian},
    }
    tool = ToolInfo(name="enter", server="desk", official=True, description="Enter it", input_schema=schema)
    visit = {"visit_date": "2027-03-09", "guardian": {"name": "Ruth Adeyemi"}}
    asked = call(visit, "Maybe 9 March 2027 or so, with her mother Ruth Adeyemi", tool=tool, language="en")
    refused = refusal(asked, ungrounded(asked))
    shown = "visit date: 9 March 2027; guardian name: Ruth Adeyemi"
    assert refused.message == f"Is this right: {shown}? Answer yes, or tell me what is right."
    text = "So that is 9 March 2027, and her guardian is Ruth Adeyemi?"
    question = Said(by="agent", order=90, text=text, tool=tool.name, value=refused.output)
    answered = (*asked.said, question, Said(by="citizen", order=91, text="yes"))
    assert not ungrounded(asked.model_copy(update={"said": answered}))


def test_what_the_citizen_is_unsure_of_is_asked_back_and_a_yes_is_enough() -> None:
    """`Kira-kira 1,8 juta` had the income asked for again, even after a yes to `Rp1.800.000 per bulan, benar?`."""
    letter = letter_tool("surat_keterangan_penghasilan_orang_tua")
    said = "W: bapak saya Hendra Gunawan kerja ojek pangkalan, gaji kira-kira 1,8 juta sebulan"
    asked = call({"penghasilan": "1800000", "pekerjaan": "Ojek pangkalan"}, said, tool=letter)
    before = refusal(asked, ungrounded(asked))
    assert "penghasilan: 1.800.000" in before.message
    text = "Jadi ojek pangkalan, Rp1.800.000 per bulan. Benar?"
    question = Said(by="agent", order=90, text=text, tool=letter.name, value=before.output)
    answered = (*asked.said, question, Said(by="citizen", order=91, text="bener kak"))
    left = {field.path for field in ungrounded(asked.model_copy(update={"said": answered}))}
    assert left.isdisjoint({"penghasilan", "pekerjaan"})
    assert "- Penghasilan per bulan: 1.800.000" in summary(letter, {"penghasilan": "1800000"}, "id")


def test_a_question_whose_answer_gave_something_is_not_cut_to_its_first_field() -> None:
    """`To KUA Cakung` answered one of two; the other, which had been said and was not shown, was asked for again."""
    first = "I am Fitri Handayani, an office clerk at a firm"
    fields = {"occupation": {"type": "string"}, "destination": {"type": "string"}}
    schema = {"type": "object", "properties": fields}
    tool = ToolInfo(name="enter", server="desk", official=True, description="Enter it", input_schema=schema)
    wanted = {"occupation": "office clerk", "destination": "KUA Cakung"}
    asked = call(wanted, first, tool=tool, language="en")
    before = refusal(asked, ungrounded(asked))
    assert before.output["offered"] == {"occupation": "office clerk"}
    question = Said(by="agent", order=90, text="Where shall it be sent?", tool=tool.name, value=before.output)
    said = (*asked.said, question, Said(by="citizen", order=91, text="to KUA Cakung, and does my fiance need one?"))
    again = asked.model_copy(update={"said": said})
    assert "occupation: office clerk" in refusal(again, ungrounded(again)).message


def test_what_the_citizen_never_said_or_said_of_another_is_not_asked_back() -> None:
    schema = {"type": "object", "properties": {**LOAN, **DEATH}}
    tool = ToolInfo(name="enter", server="desk", official=True, description="Enter it", input_schema=schema)
    asked = call(
        {"title": "Dubliners", "nik_pelapor": NIK, "copies": 3}, f"NIK ayah saya {NIK}, not 3 copies", tool=tool
    )
    assert refusal(asked, ungrounded(asked)).output["missing"] == ["title", "copies", "nik_pelapor"]
    assert "offered" not in refusal(asked, ungrounded(asked)).output


def test_a_label_that_ends_a_sentence_is_read() -> None:
    """It ended in an IndexError: the word behind it was looked at."""
    assert missing(LOAN, {"due_date": "2027-03-09"}, "9 March 2027 is due") == set()
