"""Every language has every key of a pack, or says why not; and readers know all languages at once."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from agentd.agent import languages
from agentd.agent.text import fold
from agentd.cli import main

PACK = Path(languages.__file__).with_suffix("")


def changed(folder: Path, old: str, new: str) -> Path:
    text = (PACK / "en.toml").read_text(encoding="utf-8")
    assert old in text
    file = folder / "en.toml"
    file.write_text(text.replace(old, new), encoding="utf-8")
    return file


@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_a_pack_has_every_key_or_a_reason(language: str) -> None:
    pack = languages.read(PACK / f"{language}.toml", languages.Words)
    assert pack.assents and pack.refusals and pack.detection and len(pack.months) == 12


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("refusals = [", "refusal = [", "refusals"),
        ("zero = 0", 'zero = "none"', "digits.zero"),
        ("[shorthands]", "[shorthand]", "shorthands"),
        ("[absent]\n", '[absent]\nfillers = "both"\n', "fillers"),
        ("[absent]\n", '[absent]\nmoods = "no reader knows it"\n', "moods"),
        ("[scales]", "[scale]", "scales"),
        ("[scales]", "[scales", "at line [0-9]+"),
    ],
)
def test_an_incomplete_pack_is_refused_by_file_and_key(tmp_path: Path, old: str, new: str, named: str) -> None:
    with pytest.raises(languages.IncompletePack, match=rf"en\.toml: .*{named}"):
        languages.read(changed(tmp_path, old, new), languages.Words)


def test_lists_of_lists_are_as_many_as_in_the_other_languages(tmp_path: Path) -> None:
    folder = copytree(PACK, tmp_path / "languages")
    text = (folder / "zh.toml").read_text(encoding="utf-8")
    (folder / "zh.toml").write_text(f'months = [["一 月"]]\n{text}'.replace("\nmonths =", "\n# months ="), "utf-8")
    with pytest.raises(languages.IncompletePack, match=r"zh\.toml: months: 1 of 12 lists"):
        languages.packs(folder, languages.Words)


def test_a_command_says_in_a_line_what_a_pack_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = changed(tmp_path, "[scales]", "[scale]")
    monkeypatch.setattr("agentd.config.load", lambda *_, **__: languages.read(file, languages.Words))
    assert main(["config", "check"]) == 1
    assert capsys.readouterr().err.startswith(f"agentd config: {file}: scales: give the words")


def test_a_language_may_have_no_names_of_months() -> None:
    assert languages.languages()["zh"].months == () and len(languages.words().months) == 12


def test_readers_know_the_words_of_all_languages() -> None:
    known = languages.words()
    assert {"satu", "one"} <= known.digits.keys() and {"dan", "and"} <= known.number_joiners
    assert [name in names for name, names in zip(("mei", "may"), (known.months[4],) * 2, strict=True)] == [True, True]
    assert languages.words() is known


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("surat sy blm jadi2", ("surat", "sy", "belum", "jadi")),
        ("jalan2 sama anak2nya", ("jalan", "sama", "anaknya")),
        ("tolonggg dong kakkk", ("tolong", "dong", "kak")),
        ("gmn klu ktpnya ilang, bsa jg?", ("bagaimana", "kalau", "ktpnya", "ilang", "bisa", "juga")),
        ("RT2 rw 05 blok2 lantai2", ("rt", "2", "rw", "05", "blok", "2", "lantai", "2")),
        ("SMA2, kelas2, anak ke2, ber2", ("sma", "2", "kelas", "2", "anak", "ke", "2", "ber", "2")),
        ("lahir2 Januari", ("lahir", "2", "januari")),
        ("AB2 jadi3 jadi22 2jadi", ("ab", "2", "jadi", "3", "jadi", "22", "2", "jadi")),
        ("Jalan Cempaka III", ("jalan", "cempaka", "iii")),
    ],
)
def test_words_of_a_chat_are_read_in_full_and_what_counts_stays_a_number(written: str, read: tuple[str, ...]) -> None:
    assert fold(written) == read
