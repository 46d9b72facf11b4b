"""The text that a person approves: its language, its lines, and that no value forges one of them."""

from __future__ import annotations

import pytest

from agentd.agent.approval import summary
from agentd.errors import Language
from agentd.messages import Basis, Dispute, ToolInfo
from tests.agentd.apps.letters.letters import letter


def test_the_summary_is_in_english_when_the_citizen_writes_it() -> None:
    text = summary(letter(), {"nama": "Budi", "tanggal_lahir": "1985-07-05"}, "en")
    assert "\n- Tanggal lahir: 5 July 1985\n" in text
    assert text.startswith("Please check before we continue: surat keterangan domisili")
    assert "Answer “yes”" in text


@pytest.mark.parametrize(("language", "issued"), [("id", "terbit"), ("en", "issue"), ("jv", "wedal")])
def test_a_yes_to_an_official_tool_that_is_no_letter_speaks_of_issuing_nothing(language: Language, issued: str) -> None:
    booking = letter().model_copy(update={"name": "book_court", "annotations": {"title": "Book a court"}})
    text = summary(booking, {"nama": "Budi"}, language)
    assert ": Book a court\n" in text and issued not in text


def test_the_summary_shows_nested_values_and_hides_the_hosts() -> None:
    schema = {
        "properties": {
            "alamat": {"title": "Alamat", "properties": {"rt": {"title": "RT"}}},
            "anak": {"title": "Anak"},
            "lunas": {"title": "Lunas"},
        }
    }
    tool = letter().model_copy(update={"input_schema": schema})
    values = {"alamat": {"rt": "003"}, "anak": [{"nama": "Rani"}], "lunas": True, "session_id": "s", "kosong": None}
    text = summary(tool, values, "id")
    assert "- Alamat – RT: 003\n- Anak: nama: Rani\n- Lunas: ya\n\n" in text
    assert "session" not in text
    assert "Kosong" not in text


@pytest.mark.parametrize("language", ["id", "en"])
@pytest.mark.parametrize("official", [True, False])
def test_where_staff_decide_no_citizen_is_asked_for_a_yes(language: Language, official: bool) -> None:
    tool = letter().model_copy(update={"official": official})
    text = summary(tool, {"nama": "Budi"}, language, "staff")
    assert {"id": "Petugas", "en": "An officer"}[language] in text
    assert "Jawab “ya”" not in text and "Answer “yes”" not in text


def test_a_value_cannot_forge_a_line_of_the_summary() -> None:
    forged = "Budi\n- RT: 9\u202e"
    schema = {"type": "object", "properties": {"nama": {"type": "string", "title": forged}}}
    tool = ToolInfo(name="note", server="s", annotations={"title": forged}, input_schema=schema)
    basis = Basis(disputed={"nama": Dispute(title=forged, registered=forged, said=forged)})
    for arguments in ({"nama": forged}, {forged: "x"}, {"list": [{forged: "x"}]}, {"object": {"a": {forged: "x"}}}):
        text = summary(tool, arguments, "id", basis=basis, doubted=("nama",))
        assert "\n- RT: 9" not in text and "\u202e" not in text


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("Jl. Melati No. 5, RT 3, RW 7", "Jl. Melati No. 5"),
        ("Jl. Melati No. 5 RT 003/007", "Jl. Melati No. 5"),
        ("Jl. Melati No. 5 RT 4 RW 7", "Jl. Melati No. 5 RT 4 RW 7"),
        ("Jl. Melati No. 5 RT 30 RW 7", "Jl. Melati No. 5 RT 30 RW 7"),
        ("RT 3 RW 7", "RT 3 RW 7"),
    ],
)
def test_an_address_in_the_summary_says_rt_and_rw_once_unless_they_differ(address: str, shown: str) -> None:
    text = summary(letter(), {"alamat_domisili": address, "rt": "RT 3", "rw": "007"}, "id")
    assert f"- Alamat domisili: {shown}\n" in text


def test_the_summary_names_what_is_to_be_checked_once_by_its_title() -> None:
    text = summary(letter(), {"nama": "Budi", "rt": "3"}, "en", doubted=("nama", "anak.0.nama", "anak.1.nama"))
    assert "Please check these first, as we are not sure of them: Nama lengkap, Anak.\n" in text
    assert "check these first" not in summary(letter(), {"nama": "Budi"}, "en")
