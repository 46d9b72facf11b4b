"""The words of question that belong to a language, not to a graph: from languages/*.toml. Links nothing."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "languages"


@dataclass(frozen=True)
class Language:
    """Every language read together; phrases in lower case.

    `function`: words that say nothing of what is looked for; `aside`: phrases of that kind; `lists`: phrases that ask
    for all of a kind; `yes_no`: how such a question begins; `cues`: phrase → what a query must do for it, any one of
    them; `numbers`: number words.
    """

    function: frozenset[str]
    aside: frozenset[str]
    lists: frozenset[str]
    yes_no: frozenset[str]
    cues: dict[str, frozenset[str]]
    numbers: dict[str, int]


@cache
def languages(folder: Path = FOLDER) -> Language:
    """All files of the folder as one."""
    function: set[str] = set()
    aside: set[str] = set()
    lists: set[str] = set()
    yes_no: set[str] = set()
    cues: dict[str, frozenset[str]] = {}
    numbers: dict[str, int] = {}
    for file in sorted(folder.glob("*.toml")):
        held = tomllib.loads(file.read_text(encoding="utf-8"))
        function |= set(held["function"].split())
        aside |= set(held["aside"])
        lists |= set(held["lists"])
        yes_no |= set(held["yes_no"])
        numbers |= held["numbers"]
        for cue, phrases in held["cues"].items():
            for phrase in phrases:
                cues[phrase] = cues.get(phrase, frozenset()) | {cue}
    return Language(frozenset(function), frozenset(aside), frozenset(lists), frozenset(yes_no), cues, numbers)
