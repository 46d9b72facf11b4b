"""The language-specific words of questions and answers, from languages/*.toml. Links nothing."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, get_origin, get_type_hints

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
def languages() -> Language:
    """All files of FOLDER merged: lists and tables of one name are joined in the files' order; texts are not."""
    held = {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in sorted(FOLDER.glob("*.toml"))}
    every = list(held.values())
    cues: dict[str, frozenset[str]] = {}
    for cue, phrase in ((cue, phrase) for one in every for cue, said in one["cues"].items() for phrase in said):
        cues[phrase] = cues.get(phrase, frozenset()) | {cue}
    names = dict.fromkeys(name for one in every for name in one["patterns"])
    measures = [one.get("measures", {}).items() for one in every]
    own = {
        "function": frozenset(word for one in every for word in one["function"].split()),
        "cues": cues,
        "measures": tuple((word, name) for held in measures for name, words in held for word in words),
        "suffixes": tuple(sorted((word for one in every for word in one["suffixes"]), key=len, reverse=True)),
        "patterns": {
            name: "|".join(one["patterns"][name] for one in every if name in one["patterns"]) for name in names
        },
        "voices": {
            code: Voice(frozenset(one["function"].split()), one["answers"], one["examples"])
            for code, one in held.items()
        },
        "messages": held[DEFAULT]["messages"],
    }
    kinds = {name: get_origin(hint) or hint for name, hint in get_type_hints(Language).items()}
    plain = {name: kind(_joined(name, every) or kind()) for name, kind in kinds.items() if name not in own}
    return Language(**own, **plain)


def _joined(name: str, every: Sequence[dict[str, Any]]) -> Any:
    """The files' lists or tables of one name, joined; the first file's text or boolean; [] if none has it."""
    held = [one[name] for one in every if name in one]
    if held and isinstance(held[0], dict):
        return {word: value for one in held for word, value in one.items()}
    return [item for one in held for item in one] if not held or isinstance(held[0], list) else held[0]


def message(name: str, /, **about: object) -> str:
    """A message about a query for the model or the query's author, in the DEFAULT language."""
    return languages().messages[name].format(**about)
