"""Letters asked for in Javanese, Arabic and Chinese: what is said is proven, and nothing else."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from agentd.agent.languages import LANGUAGES, Words, packs, read, understood
from agentd.agent.text import fold, folded_tokens, normal
from agentd.apps.letters import languages
from agentd.apps.letters.policies.grounding import ungrounded
from tests.agentd.apps.letters.letters import call

NIK = "3175012345678901"
SAID: list[tuple[dict[str, Any], list[str]]] = [
    (
        {
            "nama": "Siti Rahayu",
            "nik": NIK,
            "tempat_lahir": "Surakarta",
            "tanggal_lahir": "1990-01-05",
            "agama": "Islam",
        },
        [f"Nami kula Siti Rahayu, NIK {NIK}. Kula lair ing Surakarta tanggal 5 Januari 1990, agami Islam."],
    ),
    (
        {"jenis_kelamin": "Perempuan", "status_perkawinan": "Belum Kawin", "pekerjaan": "guru"},
        ["Kula estri, dereng nikah.", "Pedamelan kula guru."],
    ),
    (
        {"alamat_domisili": "Jl. Melati No. 5", "keperluan": "mbikak rekening bank"},
        ["Kula manggen wonten Jl. Melati No. 5. Kangge mbikak rekening bank."],
    ),
    ({"nama": "Bagus Prasetyo"}, ["A: Nyuwun kasebataken: asma jangkep.", "Bagus Prasetyo"]),
    ({"pekerjaan": "petani"}, ["Pedamelan kula guru.", "Ngapunten, ingkang leres pedamelan kula petani."]),
    (
        {"nama": "أحمد سليم", "nik": NIK, "tanggal_lahir": "1990-01-05"},
        ["اسمي أحمد سليم، رقم هويتي ٣١٧٥٠١٢٣٤٥٦٧٨٩٠١، وتاريخ ميلادي ٥ يناير ١٩٩٠."],
    ),
    ({"agama": "Islam", "status_perkawinan": "Kawin"}, ["أنا مسلم ومتزوج"]),
    (
        {"alamat_domisili": "Jl. Melati No. 5", "pekerjaan": "معلم", "tempat_lahir": "جاكرتا"},
        ["أسكن في Jl. Melati No. 5. أعمل معلم. مكان الميلاد: جاكرتا"],
    ),
    (
        {"nama": "王小明", "nik": NIK, "tanggal_lahir": "1990-01-05"},
        ["我叫王小明，身份证号码３１７５０１２３４５６７８９０１，出生日期1990年1月5日。"],
    ),
    (
        {"tempat_lahir": "雅加达", "agama": "Buddha", "status_perkawinan": "Belum Kawin", "jenis_kelamin": "Laki-laki"},
        ["出生地雅加达。我是男的，未婚，信仰佛教。"],
    ),
    (
        {
            "alamat_domisili": "Jl. Melati No. 5",
            "telepon": "081234567890",
            "pekerjaan": "Guru",
            "keperluan": "开银行账户",
        },
        ["我住在 Jl. Melati No. 5，电话 081234567890，职业：老师。用途：开银行账户"],
    ),
    ({"nama": "李华"}, ["A: Mohon sebutkan: nama lengkap.", "李华"]),
]
UNSAID: list[tuple[dict[str, Any], str]] = [
    ({"nama": "Siti Rahayu"}, "Simbok kula naminipun Siti Rahayu"),
    ({"pekerjaan": "guru"}, "Kula sanes guru"),
    ({"pekerjaan": "guru"}, "Biyen kula nyambut damel dados guru"),
    ({"pekerjaan": "guru"}, "Punapa pedamelan kula guru?"),
    ({"pekerjaan": "guru"}, "Upami pedamelan kula guru"),
    ({"pekerjaan": "guru"}, "Kula mboten nate nyambut damel dados guru"),
    ({"nama": "أحمد سليم"}, "اسم أبي أحمد سليم"),
    ({"nama": "أحمد سليم"}, "هل اسمي أحمد سليم؟"),
    ({"agama": "Islam"}, "لست مسلم"),
    ({"pekerjaan": "معلم"}, "لم أعمل معلم أبدا"),
    ({"agama": "Islam"}, "ربما أنا مسلم"),
    ({"nik": NIK}, "رقم هويتي ٣١٧٥٠١٢٣٤٥٦٧٨٩٠٢"),
    ({"agama": "Buddha"}, "我不是佛教徒"),
    ({"pekerjaan": "Guru"}, "我从未做过老师"),
    ({"nama": "王小明"}, "我叫王小明吗？"),
    ({"nama": "王小明"}, "我爸爸叫王小明"),
    ({"nama": "王小明"}, "如果我叫王小明"),
    ({"tanggal_lahir": "1990-01-06"}, "出生日期1990年1月5日"),
]


@pytest.mark.parametrize(("arguments", "lines"), SAID)
def test_what_was_said_is_proven(arguments: dict[str, Any], lines: list[str]) -> None:
    assert [field.path for field in ungrounded(call(arguments, *lines))] == []


@pytest.mark.parametrize(("arguments", "line"), UNSAID)
def test_what_is_denied_asked_supposed_past_or_anothers_is_not(arguments: dict[str, Any], line: str) -> None:
    assert {field.path for field in ungrounded(call(arguments, line))} == set(arguments)


def test_the_daemon_understands_more_languages_than_it_speaks() -> None:
    assert list(packs(Path(languages.__file__).with_suffix(""), languages.Phrases)) == [*LANGUAGES, "ar", "zh"]
    assert [code for code in ("id", "jv", "ar", "zh", "ms", "su", "sw", "fr", None) if not understood(code)] == [
        "su",
        "sw",
        "fr",
    ]


@pytest.mark.parametrize("language", ["jv", "ar", "zh"])
@pytest.mark.parametrize(
    ("module", "shape"), [(languages, languages.Phrases), (__import__("agentd.agent.languages", fromlist=["x"]), Words)]
)
def test_a_pack_is_written_as_the_reader_folds_words(language: str, module: Any, shape: type[Any]) -> None:
    pack = read(Path(module.__file__).with_suffix("") / f"{language}.toml", shape)
    written = [
        phrase
        for each in fields(shape)
        if each.name != "introductions"  # expressions over what people write, no words
        for phrase in phrases(getattr(pack, each.name))
    ]
    assert len(written) > 50
    assert [phrase for phrase in written if " ".join(folded_tokens(phrase)) != phrase] == []


def phrases(value: Any) -> list[str]:
    """Every phrase of a pack's key; of a table of phrases without its own keys."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        tables = any(not isinstance(one, str | int) for one in value.values())
        return [phrase for one in (value.values() if tables else value) for phrase in phrases(one)]
    return [phrase for one in value for phrase in phrases(one)] if not isinstance(value, int) else []


def test_digits_and_marks_of_other_scripts_are_read_as_latin_ones() -> None:
    assert normal("٣١،３１؟ ३१。") == "31, 31? 31. "
    assert fold("مَسَاءً أحمد") == ("مساء", "احمد") and fold("身份证 3175") == ("身", "份", "证", "3175")
