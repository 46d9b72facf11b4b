"""The language-specific words of questions and answers, from languages/*.toml. Links nothing."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "languages"
_PLAIN = re.compile(r"\b([^\W\d]\w*)(?:-\1)?\b", re.IGNORECASE)
_TWICE = re.compile(r"\b([^\W\d_]{3,})2(?=[a-z]{0,3}\b)")
QUOTED = r"(?<!\w)['\"“‘]([^'\"”’]+)['\"”’]"
_GROUPED = r"\d{1,3}(?:(?:,\d{3})+|(?:\.\d{3}){2,})(?![.,]?\d)"
DEFAULT = "id"
"""The language of the answer if the question isn't clearly in another one."""


@dataclass(frozen=True)
class Voice:
    """One language: its function words, answers and example questions."""

    function: frozenset[str]
    answers: dict[str, str]
    examples: dict[str, str]


@dataclass(frozen=True)
class Language:
    """All languages merged; phrases in lower case.

    `function`: function words; `aside`: phrases without meaning; `lists`: phrases that ask for all of a kind; `yes_no`:
    beginnings of yes-no questions; `graph`: words for the parts of any graph; `cues`: phrase → what a query must do for
    it, any one of them; `numbers`: number words; `nouns`, `verbs`: irregular forms, and words for English ones in names
    of graphs; `of_years`, `of_dates`: words for such values; `naming`, `describing`: names of properties that name or
    explain a thing; `keys`: those that identify it by a number or code; `clitics`, `suffixes`: word endings; `doers`:
    endings of agent nouns (`director`); `patterns`: regular expressions by name (see id.toml); `voices`: by code;
    `messages`: texts about queries, of DEFAULT only; `informal`: spoken form → written; `tags`: final question tag →
    question word that replaces it; `doubled`: a doubled noun is its plural; `measures`: (word, a property's word);
    `scales`: words for factors of numbers; `ordinals`: words for ranks (second, third); `beginnings`, `endings`:
    affixes; `falls_away`: first letters that a prefix may replace; `plurals`: (noun ending, plural ending), the first
    match applies; `remarks`: words that begin a model's remark after its query.
    """

    def written(self, question: str) -> str:
        """The question in written form: no spoken forms, doubled nouns (`topik-topik`), `-nya` or `Can you`."""

        def once(found: re.Match[str]) -> str:
            said = found[0].lower()
            if "-" in said:
                return found[0] if not self.doubled or self._is_own(said) else found[1]
            said = found[0] if found.start() else said  # a capital elsewhere may begin a name
            bare = next((said.removesuffix(held) for held in self.clitics if said.endswith(held)), said)
            return self.informal.get(said, bare if bare in self.cues and said not in self.cues else found[0])

        question = re.sub(rf"^\W*(?:{self.patterns['polite']})\s+", "", self._in_figures(question), flags=re.IGNORECASE)
        question = re.sub(rf"\b(?:{self.patterns['requests']})\b", self._plainly, question, flags=re.IGNORECASE)
        question = _TWICE.sub(r"\1-\1", question) if self.doubled else question
        text = re.sub(rf"(?<=\w)-(?:{'|'.join(map(re.escape, self.clitics))})\b", "", _PLAIN.sub(once, question))
        ends = re.search(rf"\W({'|'.join(map(re.escape, self.tags))})\W*$", text, re.IGNORECASE) if self.tags else None
        return f"{self.tags[ends[1].lower()]} {text[: ends.start()]}?" if ends else text

    def _plainly(self, found: re.Match[str]) -> str:
        """The request without its verb (`Mohon direkap`), unless the verb has a known word in it (`mohon dihitung`)."""
        asked, verb = found[0].split()
        telling = (word for word in self.words if len(word) > 3 and word not in self.function)
        return found[0] if any(word in verb.lower() for word in telling) else asked

    def _in_figures(self, question: str) -> str:
        """The question with numbers outside quotes in plain digits: `500,000`, `1.5 million`."""

        def plain(found: re.Match[str]) -> str:
            if found["grouped"]:
                return re.sub("[,.]", "", found[0])
            if found["number"]:
                return f"{float(found['number'].replace(',', '.')) * self.scales[found['scale'].lower()]:.0f}"
            return found[0]

        scales = "|".join(map(re.escape, self.scales)) or "(?!)"
        low, high = self.patterns["range_from"], self.patterns["range_to"]
        number = r"\d+(?:[.,]\d+)?"  # `between 1 and 2 million`
        question = re.sub(
            rf"\b((?:{low})\s+{number})(\s+(?:{high})\s+{number}\s*({scales})(?!\w))",
            r"\1 \3\2",
            question,
            flags=re.IGNORECASE,
        )
        return re.sub(
            rf"{QUOTED}|(?<![\w.,])(?:(?P<grouped>{_GROUPED})|(?P<number>\d+(?:[.,]\d+)?)\s*(?P<scale>{scales}))(?!\w)",
            plain,
            question,
            flags=re.IGNORECASE,
        )

    @cached_property
    def irregular(self) -> dict[str, str]:
        """Inflected form → word, for nouns and verbs."""
        return self.nouns | self.verbs

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that the languages know."""
        phrases = [*self.function, *self.aside, *self.lists, *self.yes_no, *self.graph, *self.cues, *self.numbers]
        phrases += [
            *self.irregular,
            *self.irregular.values(),
            *self.naming,
            *self.describing,
            *self.informal,
            *self.tags,
        ]
        phrases += [*self.of_years, *self.of_dates, *(re.sub(r"\W|\\b", " ", text) for text in self.patterns.values())]
        return frozenset(word for phrase in phrases for word in phrase.split())

    def _is_own(self, word: str) -> bool:
        """True if a word is normally doubled."""
        return word in self.function or any(word in text for text in (*self.cues, *self.patterns.values()))

    function: frozenset[str]
    aside: frozenset[str]
    lists: frozenset[str]
    yes_no: frozenset[str]
    graph: frozenset[str]
    cues: dict[str, frozenset[str]]
    numbers: dict[str, int]
    nouns: dict[str, str]
    verbs: dict[str, str]
    of_years: tuple[str, ...]
    of_dates: tuple[str, ...]
    naming: tuple[str, ...]
    describing: tuple[str, ...]
    keys: tuple[str, ...]
    clitics: tuple[str, ...]
    informal: dict[str, str]
    tags: dict[str, str]
    doubled: bool
    measures: tuple[tuple[str, str], ...]
    suffixes: tuple[str, ...]
    doers: tuple[str, ...]
    scales: dict[str, int]
    ordinals: dict[str, int]
    beginnings: tuple[str, ...]
    endings: tuple[str, ...]
    falls_away: str
    plurals: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    patterns: dict[str, str]
    voices: dict[str, Voice]
    messages: dict[str, str]

    def voice_of(self, question: str) -> Voice:
        """The language with the most function words in the question, else DEFAULT."""
        words = question.lower().replace("?", " ").replace(",", " ").split()

        def fit(code: str) -> tuple[int, bool]:
            return sum(word in self.voices[code].function for word in words), code == DEFAULT

        return self.voices[max(self.voices, key=fit)]


@cache
def languages(folder: Path = FOLDER) -> Language:
    """All files of the folder merged."""
    files = sorted(folder.glob("*.toml"))
    held = {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in files}
    every = list(held.values())
    cues: dict[str, frozenset[str]] = {}
    for one in every:
        for cue, phrases in one["cues"].items():
            for phrase in phrases:
                cues[phrase] = cues.get(phrase, frozenset()) | {cue}
    names = dict.fromkeys(name for one in every for name in one["patterns"])
    return Language(
        frozenset(word for one in every for word in one["function"].split()),
        frozenset(_all(every, "aside")),
        frozenset(_all(every, "lists")),
        frozenset(_all(every, "yes_no")),
        frozenset(_all(every, "graph")),
        cues,
        {word: number for one in every for word, number in one["numbers"].items()},
        {form: word for one in every for form, word in one.get("irregular", {}).items()},
        {form: word for one in every for form, word in one.get("verbs", {}).items()},
        tuple(_all(every, "of_years")),
        tuple(_all(every, "of_dates")),
        tuple(_all(every, "naming")),
        tuple(_all(every, "describing")),
        tuple(_all(every, "keys")),
        tuple(_all(every, "clitics")),
        {said: word for one in every for said, word in one.get("informal", {}).items()},
        {tag: word for one in every for tag, word in one.get("tags", {}).items()},
        any(one.get("doubled") for one in every),
        tuple((word, name) for one in every for name, words in one.get("measures", {}).items() for word in words),
        tuple(sorted(_all(every, "suffixes"), key=len, reverse=True)),
        tuple(ending for one in every for ending in one.get("doers", ())),
        {word: number for one in every for word, number in one["scales"].items()},
        {word: number for one in every for word, number in one["ordinals"].items()},
        tuple(held for one in every for held in one.get("beginnings", ())),
        tuple(held for one in every for held in one.get("endings", ())),
        "".join(one.get("falls_away", "") for one in every),
        tuple((end, plural) for one in every for end, plural in one.get("plurals", ())),
        tuple(_all(every, "remarks")),
        {name: "|".join(one["patterns"][name] for one in every if name in one["patterns"]) for name in names},
        {
            code: Voice(frozenset(one["function"].split()), one["answers"], one["examples"])
            for code, one in held.items()
        },
        held[DEFAULT]["messages"],
    )


def message(name: str, /, **about: object) -> str:
    """A message about a query for the model or the query's author, in the DEFAULT language."""
    return languages().messages[name].format(**about)


def _all(every: Iterable[dict[str, Any]], key: str) -> list[str]:
    return [word for one in every for word in one[key]]
