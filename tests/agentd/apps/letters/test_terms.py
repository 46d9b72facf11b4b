"""What the pages show in English and Javanese beside the office's own words."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import agentd.apps.letters
from servers.certificate.letters.lettertype import load

TEXTS = Path(agentd.apps.letters.__file__).parent / "web" / "texts"
SHARED = Path(agentd.__file__).parent / "web" / "texts"
SAME = {"A", "B", "AB", "O", "Islam", "Hindu", "Buddha", ""}
"""Words that are the same in all three languages."""
LETTERS = sorted((Path(__file__).parents[4] / "profiles/kelurahan/letters").glob("*/letter.toml"))


@pytest.mark.parametrize("language", ["en", "jv"])
def test_each_field_hint_and_choice_of_a_shipped_letter_has_its_meaning(language: str) -> None:
    """A hint without one was Indonesian in an English form ("3 angka")."""
    terms = [tomllib.loads((folder / f"{language}.toml").read_text()).get("terms", {}) for folder in (TEXTS, SHARED)]
    words: set[str] = set()
    for file in LETTERS:
        for rule in load(file.parent).input_schema()["properties"].values():
            own_hint = rule.get("format") in {"nik", "kk", "date"}  # the form says these in its own texts
            words |= {rule["title"], *rule.get("enum", ()), *([] if own_hint else [rule.get("description", "")])}
    assert len(words) > 50
    assert sorted(words - SAME - terms[0].keys() - terms[1].keys()) == []
