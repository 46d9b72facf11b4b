"""Every language has every key of the letters' pack, or says why not; no word of a pack stands in the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import agentd
from agentd.agent.languages import LANGUAGES, IncompletePack, read, words
from agentd.apps.letters import languages
from agentd.apps.letters.claims import deeds
from agentd.apps.letters.evidence.fields.shapes import KINDS
from agentd.apps.letters.evidence.reading.lexicon import Cue

PACK = Path(languages.__file__).with_suffix("")
ROOT = Path(agentd.__file__).parent


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pack_has_every_key_or_a_reason(language: str) -> None:
    pack = read(PACK / f"{language}.toml", languages.Phrases)
    assert pack.labels["nama"] and pack.relations["anak"] and pack.cues["negation"]


def test_every_language_tells_of_every_deed_or_none_is_claimed_in_it() -> None:
    packs = deeds.languages()
    known = {key for pack in packs.values() for key in pack.deeds}
    assert all(pack.deeds.keys() == known for pack in packs.values())
    assert all(pack.claims and pack.promises and pack.truth for pack in packs.values())


def test_a_key_left_out_is_refused_by_file_and_key(tmp_path: Path) -> None:
    text = (PACK / "en.toml").read_text(encoding="utf-8")
    (tmp_path / "en.toml").write_text(text.replace("\njobs = [", "\njob = ["), encoding="utf-8")
    with pytest.raises(IncompletePack, match=r"en\.toml: jobs: "):
        read(tmp_path / "en.toml", languages.Phrases)


def test_every_language_names_the_same_fields_persons_and_cues() -> None:
    indonesian = read(PACK / "id.toml", languages.Phrases)
    cues = {cue.name.lower() for cue in Cue} - {"label", "relation", "other_time"}
    assert indonesian.cues.keys() == cues
    for language in LANGUAGES:
        pack = read(PACK / f"{language}.toml", languages.Phrases)
        assert pack.labels.keys() <= indonesian.labels.keys()
        assert pack.relations.keys() <= indonesian.relations.keys()
        assert pack.cues.keys() <= cues


def test_number_words_stand_in_the_packs_alone() -> None:
    digits = words().digits.keys() - {"one"}  # also a pronoun in every docstring
    for file in ROOT.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if len(digits.intersection(re.findall(r"\w+", text))) < 2:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Set | ast.Tuple | ast.List | ast.Dict):
                items = node.keys if isinstance(node, ast.Dict) else node.elts
                listed = {item.value for item in items if isinstance(item, ast.Constant)}
                assert len(digits & listed) < 2, f"{file}:{node.lineno} lists number words"
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("vocabulary", "split", "compile")):
                assert len(digits & set(ast.unparse(node).replace("|", " ").split())) < 2, f"{file}:{node.lineno}"


ROWS = ("labels", "relations", "choices", "senses", "cues", "clock", "lengths", "address", "transcript")
"""Tables whose keys are names that the code asks for."""


def _words(held: Any) -> Iterator[str]:
    if isinstance(held, str):
        yield from (found for found in re.findall(r"\w+", held) if found.isalpha() and len(found) > 2)
    else:
        for each in (*held, *held.values()) if isinstance(held, Mapping) else held if not isinstance(held, int) else ():
            yield from _words(each)


def test_words_that_a_letter_is_asked_for_by_stand_in_the_packs_alone() -> None:
    indonesian, english = (read(PACK / f"{language}.toml", languages.Phrases) for language in ("id", "en"))
    rows = {row for table in ROWS for row in _words(tuple(getattr(indonesian, table)))} | KINDS
    sides = [
        {word for each in fields(pack) for word in _words(getattr(pack, each.name))} for pack in (indonesian, english)
    ]
    held = sides[0] - sides[1] - rows - {"saya", "idr", "ktp"}  # the citizen, as a person of the tables; codes
    found = [
        f"{file.name}:{node.lineno}: {held.intersection(_words(node.value))}"
        for room in ("evidence", "claims", "policies")
        for file in (PACK.parent / room).rglob("*.py")
        for node in _texts(ast.parse(file.read_text(encoding="utf-8")))
        if not held.isdisjoint(_words(node.value))
    ]
    assert found == []


def _texts(tree: ast.Module) -> Iterator[ast.Constant]:
    """Its texts without docstrings."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    every = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    yield from (node for node in every if id(node) not in docstrings)
