"""Kinds that an office declares in `kinds.toml`: a pattern, a number between two, choices. Configuration alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentd.apps.letters.explain import explained, mistakes
from agentd.messages import ToolInfo
from servers.certificate.letters.catalogue import Catalogue
from servers.certificate.letters.checking import mistakes as folder_mistakes
from servers.certificate.letters.lettertype import LetterTypeError, load
from servers.certificate.settings import SHIPPED_LETTERS

CAMPUS = SHIPPED_LETTERS.parents[1] / "campus" / "letters" / "active_student_letter"
KINDS = """
[nim]
pattern = "[A-Z][0-9]{8}"
example = "A00000000"
[year]
pattern = "20[0-9]{2}/20[0-9]{2}"
example = "2026/2027"
[term]
least = 1
most = 14
[faculty]
choices = { Engineering = ["teknik"], Law = ["hukum"] }
"""
GLYPHS = frozenset(range(32, 127))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = Path(shutil.copytree(CAMPUS, tmp_path / "letters" / CAMPUS.name))
    (made.parent / "kinds.toml").write_text(KINDS)
    file = made / "letter.toml"
    text = file.read_text(encoding="utf-8")
    for name, old, new in (
        ("student_number", "code", "nim"),
        ("academic_year", "code", "year"),
        ("semester", "number", "term"),
        ("study_programme", "text", "faculty"),
    ):
        text = text.replace(f'{name} = {{ kind = "{old}"', f'{name} = {{ kind = "{new}"')
    file.write_text(text, encoding="utf-8")
    return made


@pytest.mark.parametrize(
    ("field", "value", "read"),
    [
        ("student_number", "F55121044", "F55121044"),
        ("student_number", "55121044", None),
        ("student_number", "A00000000", None),
        ("academic_year", "2026/2027", "2026/2027"),  # an example that may be true is a value
        ("semester", "3", "3"),
        ("semester", "15", None),
        ("study_programme", "teknik", "Engineering"),
        ("study_programme", "Medicine", None),
    ],
)
def test_a_value_is_read_as_its_own_kind_says(folder: Path, field: str, value: str, read: str | None) -> None:
    known = load(folder).fields[field]
    if read is None:
        with pytest.raises(ValueError, match=r"\.$"):
            known.read(value, GLYPHS)
    else:
        assert known.read(value, GLYPHS) == read


def test_explain_shows_an_own_kind_and_where_it_is_declared(folder: Path) -> None:
    letter = load(folder)
    tool = ToolInfo(
        name=letter.tool, server="c", official=True, description=letter.summary, input_schema=letter.input_schema()
    )
    lines = list(explained(tool))
    assert "  kind    code  [kinds.toml: nim]" in lines and "  kind    number  [kinds.toml: term]" in lines
    assert "  kind    choice  [kinds.toml: faculty]: Engineering, Law" in lines
    assert list(mistakes(tool)) == []


@pytest.mark.parametrize(
    ("kinds", "says"),
    [
        ("[nim]", "one of `pattern`"),
        ('[nim]\npattern = "[A-"', "no regular expression"),
        ('[nim]\npattern = "(a+)+$"', "kinds.toml:2: nim.pattern: one text could hold the server"),
        ('[nim]\npattern = "(?:[0-9]{2}){1,20}"', "repeat single characters only"),
        ('[nim]\npattern = "(?=.*a)b"', "repeat single characters only"),
        ('[nim]\npattern = ".*.*.*-"', "give most parts their bounds"),
        ('[nim]\npattern = "(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)-"', "their bounds"),
        ('[nim]\npattern = "x"\nleast = 1', "one of `pattern`"),
        ('[nim]\npatern = "x"', "patern"),
        ("[nim\nleast = 1", "kinds.toml:1: Expected ']'"),
        ('[nim]\npattern = "x"\nleest = 1', "kinds.toml:3: nim.leest: there is no such key"),
        ("[nim]\nchoices = []", "kinds.toml:2: nim.choices: should be a table"),
        ('[date]\npattern = "x"', "kinds.toml:1: date: is a kind that ships"),
    ],
)
def test_a_mistake_in_the_kinds_is_named_with_their_file(folder: Path, kinds: str, says: str) -> None:
    (folder.parent / "kinds.toml").write_text(kinds)
    with pytest.raises(LetterTypeError) as caught:
        load(folder)
    assert str(folder.parent / "kinds.toml") in str(caught.value)
    (told,) = folder_mistakes(folder)
    assert told.startswith(f"{folder.parent / 'kinds.toml'}:") and says in told


@pytest.mark.parametrize("pattern", [r"(?:S1|S2|D3)-\d{4,8}(?:/[A-Z]+)?", r"[A-Z\]]*[.\-/]?\d+", "[^|]{3}(A|B)?", ""])
def test_a_pattern_with_choices_and_optional_parts_is_one(folder: Path, pattern: str) -> None:
    (folder.parent / "kinds.toml").write_text(f"{KINDS}[other]\npattern = '{pattern}'\n")
    assert load(folder)


@pytest.mark.parametrize("pattern", ["(a+)+$", "[A-"])
def test_a_field_of_its_own_pattern_is_held_to_the_same(folder: Path, pattern: str) -> None:
    file = folder / "letter.toml"
    file.write_text(file.read_text("utf-8").replace('kind = "nim"', f"kind = \"code\", pattern = '{pattern}'"), "utf-8")
    (told,) = folder_mistakes(folder)
    assert told.startswith(f"{file}:") and "fields.student_number.pattern" in told


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("least = 1\n", "least = 20\n", "least = 20 is more than most = 14"),
        ("A00000000", "A0000", "the example A0000 is not of its pattern [A-Z][0-9]{8}"),
    ],
)
def test_a_kind_that_no_value_can_meet_is_a_mistake(folder: Path, old: str, new: str, says: str) -> None:
    (folder.parent / "kinds.toml").write_text(KINDS.replace(old, new))
    assert any(says in line for line in folder_mistakes(folder))


def test_a_changed_kind_is_read_again_without_a_restart(folder: Path) -> None:
    catalogue = Catalogue((folder.parent,))
    assert catalogue.types[folder.name].fields["semester"].most == 14
    seen = catalogue._seen
    assert seen is not None
    (folder.parent / "kinds.toml").write_text(KINDS.replace("14", "8"))
    for file in seen:
        seen[file] = (*seen[file][:-1], 0.0)  # as if it had been read at another time
    assert catalogue.refresh() and catalogue.types[folder.name].fields["semester"].most == 8
