"""A misspelt name is found among very many without being compared to all of them (issue 20)."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import pytest
from rapidfuzz import process
from rapidfuzz.distance.Indel import normalized_similarity

from servers.text2cypher.linking.near import CLOSE, NearTexts, most_like

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _texts(count: int) -> list[str]:
    chance = random.Random(4)
    return ["".join(chance.choices(LETTERS + "  ", k=chance.randint(5, 24))).strip() + "z" for _ in range(count)]


def _changed(text: str, chance: random.Random) -> str:
    """One to three letters dropped, put in or replaced."""
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(text))
        text = text[:place] + chance.choice(["", *LETTERS]) + text[place + chance.randint(0, 1) :]
    return text


def test_the_nearest_is_what_comparing_with_all_of_them_finds() -> None:
    texts, chance = _texts(400), random.Random(5)
    index = NearTexts(texts)
    found = 0
    for text in texts:
        asked = _changed(text, chance)
        best = max(normalized_similarity(asked, other) for other in texts)
        nearest = index.nearest(asked)
        assert (nearest is None) == (best < CLOSE)
        if nearest is not None:
            found += 1
            assert normalized_similarity(asked, nearest) == best
    assert found > 100


def test_few_of_very_many_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = _texts(20_000)
    index = NearTexts(texts)
    compared: list[int] = []
    whole: Any = process.extractOne

    def counting(text: str, candidates: list[str], **how: object) -> object:
        compared.append(len(candidates))
        return whole(text, candidates, **how)

    monkeypatch.setattr(process, "extractOne", counting)
    for text in texts[:50]:
        assert index.nearest(text[:3] + "q" + text[3:]) is not None or len(text) < 6
    assert sum(compared) < 50 * 20


def test_nothing_is_near_where_nothing_is_stored() -> None:
    assert NearTexts([]).nearest("anything") is None
    assert most_like("abc", ["abd", "xyz"], 3, least=0.4) == ["abd"]


def test_without_the_extra_the_command_line_still_starts() -> None:
    blocked = "import sys; sys.modules.update(dict.fromkeys(('numpy', 'rapidfuzz'))); "
    code = blocked + "import servers.text2cypher.cli; from servers.text2cypher.linking.near import NearTexts; "
    done = subprocess.run(
        [sys.executable, "-c", code + "assert NearTexts([]).nearest('abcde') is None"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
