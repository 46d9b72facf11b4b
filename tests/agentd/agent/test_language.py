"""Which language a message is in: 216 short sentences of twelve languages, and what keeps the language of a session."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from agentd.agent.language import NAMES, detect, own_language

SENTENCES: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("messages.toml").read_text(encoding="utf-8"))
UNKNOWN = {
    "jv": {"kertune rusak kena banjir"},
    "ms": {"saya hendak menukar alamat rumah", "bapa saya meninggal dunia minggu lepas"},
    "es": {"Perdí mi documento de identidad", "Mi padre falleció la semana pasada"},
}
"""Of the sentences that were looked at, those that are too short, or too near another language, to be told."""


@pytest.mark.parametrize("language", SENTENCES)
def test_a_first_message_is_in_the_language_that_it_is_written_in(language: str) -> None:
    looked_at = SENTENCES[language][::2]
    assert {text for text in looked_at if detect(text) != language} == UNKNOWN.get(language, set())


def test_of_the_sentences_that_nobody_looked_at_nine_of_ten_are_told() -> None:
    unseen = [(text, language) for language, texts in SENTENCES.items() for text in texts[1::2]]
    assert len(unseen) == 108 and sum(detect(text) == language for text, language in unseen) == 98


@pytest.mark.parametrize(
    ("text", "session", "language"),
    [
        ("Opening hours?", "id", "en"),
        ("Good morning", "id", "en"),
        ("Selamat pagi", "en", "id"),
        ("Saya mau pindah alamat", "fr", "id"),
        ("I need a letter", "zh", "en"),
        ("Je voudrais changer d'adresse", "id", "fr"),
        ("我想更改地址", "id", "zh"),
        ("我的名字是 Budi Santoso", "id", "zh"),
        ("kula badhe ndamel serat keterangan", "id", "jv"),
        ("inggih, leres sedaya", "id", "jv"),
        ("Jl. Griya Karo No. 5, Kabupaten Karo", "id", "id"),
        ("ya", "fr", "fr"),
        ("ok", "en", "en"),
        ("3175012345678901", "zh", "zh"),
        ("👍", "ar", "ar"),
        (" \x00\x96\ud800 ", "en", "en"),
        ("", "fr", "fr"),
        ("Budi Santoso", "fr", "fr"),
        ("Sugeng Prayitno", "id", "id"),
        ("Merci beaucoup", "en", "en"),
        ("Waar is mijn brief gebleven?", "id", "nl"),
        ("saya mau ambil surat di kantor", "nl", "id"),
        ("jual mi ayam dan es teh", None, "id"),
        ("Slamet Widodo Raharjo Sugeng", "id", "id"),
        ("almarhum bernama Slamet Riyadi, NIK 3175060502510003, lahir di Klaten 5 Februari 1951", "id", "id"),
        ("Jl. Kebon Sirih No. 12 RT 03 RW 05 Menteng", "en", "en"),
        ("Budi Santoso", None, "id"),
        ("buka rekening bank", None, "id"),
        ("3175012345678901", None, "id"),
        ("bonjour " * 100_000, None, "fr"),
        ("Halo, good morning, 早上好, saya mau tanya surat domisili", None, "id"),
    ],
)
def test_what_says_too_little_keeps_the_sessions_language(text: str, session: str | None, language: str) -> None:
    assert detect(text, session) == language


def test_the_daemons_own_sentences_are_english_for_who_writes_none_of_its_languages() -> None:
    assert {code: own_language(code) for code in NAMES} == (
        dict.fromkeys(NAMES, "en") | {"id": "id", "jv": "jv", "su": "id", "ms": "id"}
    )
