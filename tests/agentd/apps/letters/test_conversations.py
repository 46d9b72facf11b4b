"""Ten right and ten wrong conversations for each of the twelve letters: what was said is proven, nothing else is."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agentd.apps.letters.policies.grounding import ungrounded
from agentd.messages import ToolInfo
from servers.certificate.drawing import page
from servers.certificate.letters import lettertype
from servers.certificate.settings import SHIPPED_LETTERS
from tests.agentd.apps.letters.letters import call
from tests.servers.certificate.letters import ANSWERS

TABLE = tomllib.loads(Path(__file__).with_name("conversations.toml").read_text(encoding="utf-8"))
COMMON = TABLE.pop("common")
VALUE, WRONG, PROSE, FORM, ENGLISH = range(5)


@cache
def tool(key: str) -> ToolInfo:
    letter = lettertype.load(SHIPPED_LETTERS / key)
    return ToolInfo(name=letter.tool, server="certificate", official=True, input_schema=letter.input_schema())


def told(key: str) -> dict[str, list[str]]:
    """{field: [value, wrong value, prose, form, English]}, in the letter's order."""
    row = TABLE[key]
    known = {name: COMMON[name] for name in row["uses"]} | {name: each for name, each in row.items() if name != "uses"}
    return {name: known[name] for name in tool(key).input_schema["properties"] if name in known}


def lines(parts: list[str], delivery: str) -> list[str]:
    """What the citizen says, message by message."""
    if delivery == "at once":
        return [". ".join(parts) + "."]
    if delivery == "as a form":
        return ["\n".join(parts)]
    if delivery == "in two":
        half = len(parts) // 2
        return [". ".join(parts[:half]) + ".", ". ".join(parts[half:]) + "."]
    return [f"{part}." for part in parts]


RIGHT = [
    *((PROSE, delivery) for delivery in ("at once", "one by one", "in two")),
    *((FORM, delivery) for delivery in ("as a form", "one by one", "at once")),
    *((ENGLISH, delivery) for delivery in ("at once", "one by one", "in two", "as a form")),
]


@pytest.mark.parametrize(("way", "delivery"), RIGHT, ids=lambda value: str(value).replace(" ", "-"))
@pytest.mark.parametrize("key", TABLE)
def test_a_right_conversation_comes_to_its_letter(key: str, way: int, delivery: str) -> None:
    said = told(key)
    arguments = {name: each[VALUE] for name, each in said.items()}
    judged = ungrounded(call(arguments, *lines([each[way] for each in said.values()], delivery), tool=tool(key)))
    assert [field.path for field in judged] == []


def wrong(key: str) -> Iterator[tuple[str, str]]:
    """(field, what is wrong with it), ten of them: the letter's own fields first."""
    own = [name for name in told(key) if name not in COMMON] + [name for name in told(key) if name in COMMON]
    faults = ("swapped", "unsaid", "supposed", "denied")
    yield from ((own[at % len(own)], faults[(at + at // len(own)) % len(faults)]) for at in range(10))


@pytest.mark.parametrize(("key", "field", "fault"), [(key, *one) for key in TABLE for one in wrong(key)])
def test_a_wrong_conversation_comes_to_no_letter(key: str, field: str, fault: str) -> None:
    said = told(key)
    arguments = {name: each[VALUE] for name, each in said.items()}
    parts = {name: each[PROSE] for name, each in said.items()}
    if fault == "swapped":
        arguments[field] = said[field][WRONG]
    elif fault == "unsaid":
        del parts[field]
    elif fault == "supposed":
        parts[field] = f"Misalnya {parts[field][0].lower()}{parts[field][1:]}"
    else:
        value = said[field][PROSE].rpartition(said[field][VALUE])[0] or f"{said[field][PROSE]} itu "
        parts[field] = f"{value}bukan {said[field][PROSE].removeprefix(value)}"
    judged = ungrounded(call(arguments, *lines(list(parts.values()), "one by one"), tool=tool(key)))
    assert field in [one.path for one in judged]


@pytest.mark.parametrize("key", TABLE)
def test_what_the_right_conversation_comes_to_can_be_printed(key: str) -> None:
    letter = lettertype.load(SHIPPED_LETTERS / key)
    values: dict[str, Any] = {name: each[VALUE] for name, each in told(key).items()}
    from datetime import date

    kept, warnings = letter.check(values, date(2026, 3, 12), page.glyphs())
    assert values.keys() <= kept.keys() and warnings == []


@pytest.mark.parametrize("key", sorted(ANSWERS))
def test_what_is_answered_under_a_fields_own_title_is_believed(key: str) -> None:
    """As a page's form of what is missing writes it."""
    rules = tool(key).input_schema
    said = {
        name: str(value).replace("Contoh Raya", "Melati").replace("Contoh", "Lestari")  # "contoh" supposes
        for name, value in ANSWERS[key].items()
        if name in rules["required"]
    }
    lines = {name: f"{rules['properties'][name]['title']}: {value}" for name, value in said.items()}
    alone = [
        name
        for name, line in lines.items()
        if name in [field.path for field in ungrounded(call({name: said[name]}, line, tool=tool(key)))]
    ]
    judged = ungrounded(call(said, "\n".join(lines.values()), tool=tool(key)))
    assert (alone, [field.path for field in judged]) == ([], [])


@pytest.mark.parametrize("words", ["mau surat ini", "minta surat", "bermaksud membuat surat", "warga baru di sini"])
@pytest.mark.parametrize("key", ["surat_keterangan_kematian", "surat_pengantar_kelahiran"])
def test_what_who_speaks_wants_is_not_their_name(key: str, words: str) -> None:
    said, letter = f"Saya {words}", tool(key)
    for value in (words, "surat"):
        judged = ungrounded(call({"nama_pelapor": value, "nik_pelapor": value}, said, tool=letter))
        assert {"nama_pelapor", "nik_pelapor"} <= {field.path for field in judged}


SHARED = ("A: Apa nama, jenis, dan alamat usaha Anda?", "Jaya Motor, bengkel sepeda motor, Jl. Raya Bekasi KM 23")
PARENTS = ("A: Siapa nama ayah dan ibunya?", "Bambang Setiawan dan Nurhayati")
DEAD = ("bapak saya, Sukardi, meninggal hari Rabu tanggal 18 November 2026 di RS Persahabatan",)
MOTHER = ("Ibu saya Suryati wafat 15 November 2026, saya anaknya",)
RENAMED = ("The name of the deceased is Selamet Widodo, sorry, I mean Slamet Widagdo.",)
BORN = ("Anak saya lahir, perempuan, namanya Aisyah Zahra, di Jakarta tanggal 15 November 2026",)


@pytest.mark.parametrize(
    ("key", "lines", "right", "wrong"),
    [
        ("usaha", SHARED, {"nama_usaha": "Jaya Motor", "jenis_usaha": "bengkel sepeda motor"}, {"nama": "Jaya Motor"}),
        ("kelahiran", PARENTS, {"nama_ayah": "Bambang Setiawan", "nama_ibu": "Nurhayati"}, {"nama_ayah": "Nurhayati"}),
        (
            "kematian",
            DEAD,
            {"nama_almarhum": "Sukardi", "tanggal_meninggal": "2026-11-18", "tempat_meninggal": "RS Persahabatan"},
            {"nama_pelapor": "Sukardi"},
        ),
        ("kematian", MOTHER, {"nama_almarhum": "Suryati", "hubungan_pelapor": "anak"}, {"nama_pelapor": "Suryati"}),
        ("kematian", RENAMED, {"nama_almarhum": "Slamet Widagdo"}, {"nama_pelapor": "Slamet Widagdo"}),
        ("kelahiran", BORN, {"nama_anak": "Aisyah Zahra", "jenis_kelamin_anak": "Perempuan"}, {"nama_ibu": "Aisyah"}),
    ],
)
def test_a_value_is_of_whom_and_of_what_it_is_said(
    key: str, lines: tuple[str, ...], right: dict[str, str], wrong: dict[str, str]
) -> None:
    letter = next(tool(name) for name in TABLE if name.endswith(key))
    for arguments, proven in ((right, True), (wrong, False)):
        judged = {field.path for field in ungrounded(call(arguments, *lines, tool=letter))}
        assert judged.isdisjoint(arguments) if proven else arguments.keys() <= judged
