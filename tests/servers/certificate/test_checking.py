"""`letters check`: each mistake of a letter's folder with its line; the shipped letters have none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from servers.certificate.cli import _many, main
from servers.certificate.letters.checking import check, mistakes
from servers.certificate.letters.lettertype import load

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs/letters/examples/surat_aktif_kuliah"
SHIPPED = ROOT / "profiles/kelurahan/letters"


def changed(folder: Path, old: str, new: str, file: str = "letter.toml") -> Path:
    copy = Path(shutil.copytree(EXAMPLE, folder / EXAMPLE.name))
    text = (copy / file).read_text(encoding="utf-8")
    assert old in text
    (copy / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return copy


def test_the_letters_that_ship_and_the_example_have_no_mistakes() -> None:
    folders = [folder for folder in SHIPPED.iterdir() if (folder / "letter.toml").exists()]
    assert list(check([*folders, EXAMPLE], {"lurah"})) == []


@pytest.mark.parametrize(
    ("old", "new", "file", "line", "told"),
    [
        ('semester = { kind = "number"', 'semester = { kind = "txt"', "letter.toml", 21, "semester.kind"),
        ("order = 10", "ordre = 10", "letter.toml", 6, "ordre"),
        ('title = "Surat', "title = Surat", "letter.toml", 2, "line 2"),
        ("{keperluan}", "{keprluan}", "letter.txt", 4, ": letter: {keprluan} is neither"),
        ("order = 10", "ordre = 10", "letter.toml", 6, "did you mean `order`?"),
        ("semester = { kind", 'semester = { title = "Semester", kind', "letter.toml", 21, "there are: kind, label, "),
        ('semester = { kind = "number"', 'semester = { kind = "txt"', "letter.toml", 21, "in kinds.toml beside"),
        ("semester = { kind", 'semester = { source = "resident.semestr", kind', "letter.toml", 21, "resident"),
        ("[data]", "", "letter.txt", 1, "one line [data]"),
        (
            "order = 10",
            'order = 10\nnumber_pattern = "{seq:0>9999999999}/{series}/{year}"',
            "letter.toml",
            7,
            "{seq:03}",
        ),
        ("order = 10", 'order = 10\nnumber_pattern = "{seq.real.x}/{series}/{year}"', "letter.toml", 7, "{seq:03}"),
        ("semester = { kind", 'semester = { default = "40", kind', "letter.toml", 21, "default = '40': "),
        ("semester = { kind", 'semester = { default = "lima", kind', "letter.toml", 21, "default = 'lima': "),
        ('label = "Semester"', 'label = ""', "letter.toml", 21, "semester.label"),
        (
            'tahun_akademik = { kind = "code"',
            'tahun_akademik = { least = 3, kind = "code"',
            "letter.toml",
            22,
            "a number",
        ),
        ("titles = { en", "titles = { english", "letter.toml", 3, "titles.english: is no language's code"),
        (
            'label = "NIM", labels = { id',
            'label = "NIM", labels = { xx',
            "letter.toml",
            19,
            "fields.nim.labels.xx: is no",
        ),
        (
            'semester = { kind = "number", label = "Semester", least = 1, most = 14 }',
            'semester = { kind = "choice", label = "S", choices = { Ganjil = [], Genap = [] }, default = "Pendek" }',
            *("letter.toml", 21, "default = 'Pendek': "),
        ),
        ("{keperluan}", "{keperluan!s}", "letter.txt", 4, "{keperluan!s} should be {keperluan}"),
    ],
)
def test_a_mistake_is_told_with_its_file_and_line(
    tmp_path: Path, old: str, new: str, file: str, line: int, told: str
) -> None:
    folder = changed(tmp_path, old, new, file)
    found = list(check([folder], ()))
    assert found[0].startswith(f"{folder / file}:{line}: ")
    assert told in found[0]


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    folder = changed(tmp_path, "order = 10", "order = 11")
    for file in folder.iterdir():
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert list(check([folder], ())) == [] and load(folder).text[0] == load(EXAMPLE).text[0]


def test_every_mistake_of_a_folder_is_told_at_once(tmp_path: Path) -> None:
    folder = changed(tmp_path, 'kind = "person-name"', 'kind = "name"')
    text = (folder / "letter.toml").read_text(encoding="utf-8")
    (folder / "letter.toml").write_text(text.replace('series = "SKAK"', 'series = "ska k"'), encoding="utf-8")
    assert len(list(mistakes(folder))) == 2


def test_two_letters_of_one_series_and_an_unknown_signer_are_told(tmp_path: Path) -> None:
    twin = changed(tmp_path, "order = 10", 'order = 10\nsigner = "rektor"')
    twin = twin.rename(twin.with_name("surat_kembar"))
    found = list(check([EXAMPLE, twin], {"lurah"}))
    assert [line.split(": ")[1] for line in found] == ["signer", "series"]


@pytest.mark.parametrize(("count", "said"), [(0, "0 letters"), (1, "1 letter"), (17, "17 letters")])
def test_a_count_agrees_with_its_word(count: int, said: str) -> None:
    assert _many(count, "letter") == said


def test_a_letter_is_checked_from_inside_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shutil.copytree(SHIPPED / "surat_pengantar", tmp_path / "surat_pengantar"))
    assert main(["check", "--state", str(tmp_path), "."]) == 0


def test_a_folder_of_letters_stands_for_its_letters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "letters"
    changed(mine, 'kind = "person-name"', 'kind = "name"')
    shutil.copytree(SHIPPED / "surat_pengantar", mine / "surat_pengantar")
    words = ["check", "--state", str(tmp_path)]
    assert main([*words, str(mine)]) == 1
    assert "2 letters, 1 mistake" in capsys.readouterr().out
    assert main([*words, str(mine / "surat_pengantar")]) == 0
    assert main([*words, str(tmp_path / "nonesuch")]) == 1
    said = capsys.readouterr().out
    assert f"{tmp_path / 'nonesuch'}: no such folder" in said and "0 letters, 1 mistake" in said
    assert main([*words, str(tmp_path)]) == 1
    assert f"{tmp_path} is an office's folder; its letters are in {mine}" in capsys.readouterr().out
    (tmp_path / "empty").mkdir()
    assert main([*words, str(tmp_path / "empty")]) == 1
    assert "letter.toml is missing" in capsys.readouterr().out
