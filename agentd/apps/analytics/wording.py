"""The host's phrases in the asker's language, and the removal of repeated sentences. Compares nothing.

The phrases are in `wording/`, one TOML file per language; comparisons.py has the words that compare.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentd.agent.languages import packs
from agentd.apps.analytics.vocabulary import asked_in

MADE_IN = "id"
"""The language in which period labels are made, and the default for languages without a pack."""
BRACED = re.compile(r"\{[^{}]*\}")
"""A placeholder or a computed statement."""
_LINE = re.compile(r"(?<!:)(?<!:\n)\n")
"""The end of a line; a heading that ends in a colon and the list under it are one."""
_SENTENCE = re.compile(rf"(?<=[.!?;])\s+|{_LINE.pattern}")
_WORD = re.compile(r"\d+(?:[.,:]\d+)+|[\w{}]+")
"""A word or a whole number: `33,33` repeats nothing."""
_AGAIN = re.compile(r"(?<![\w-])(\w[^.!?\n{}]{1,80}?)(?:(?!(?<=\d)[,:]\d)[\s,;:]+\1)+(?![\w-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One language's phrases; the files explain each key."""

    say: Mapping[str, str]
    labels: Mapping[str, str]


@cache
def wordings() -> Mapping[str, Wording]:
    """The pack of each language. Raises IncompletePack."""
    return packs(Path(__file__).with_suffix(""), Wording)


def words_for(question: str) -> Wording:
    """The pack of the question's language; Indonesian for Javanese."""
    return wordings().get(asked_in(question)) or wordings()[MADE_IN]


def say_for(question: str) -> Mapping[str, str]:
    """The host's phrases in the language of the question."""
    return words_for(question).say


def label_for(question: str, label: str) -> str:
    """A period's label ("Kuartal 1 2023") translated to the language of the question."""
    for part, ours in words_for(question).labels.items():
        pattern = re.escape(wordings()[MADE_IN].labels[part]).replace(r"\{n\}", r"(\d+)")
        label = re.sub(rf"(?<!\w){pattern}(?!\w)", ours.replace("{n}", r"\1"), label)
    return label


def labelled(part: str, number: int = 0) -> str:
    """A part of a period's label in the source language; `label_for` translates it."""
    return wordings()[MADE_IN].labels[part].replace("{n}", str(number))


def sentences(template: str) -> list[str]:
    """The non-empty sentences and lines of a template."""
    return [part for part in _SENTENCE.split(template) if part and part.strip()]


def without(template: str, is_wrong: Callable[[str], bool]) -> str:
    """The template without the sentences for which `is_wrong` holds; "" if no figure would be left."""
    lines = (" ".join(part for part in sentences(line) if not is_wrong(part)) for line in _LINE.split(template))
    left = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return left if BRACED.search(left) else ""


def heading(template: str, sentence: str, question: str) -> str:
    """The heading of a list that replaces a sentence: the question; empty after a colon or after the question."""
    before, asked = template[: template.index(sentence)].rstrip(), re.sub(r"[{}]", "", question).strip(" ?.")
    introduced = before.endswith(":") or asked.casefold() in before.casefold()
    return "" if introduced else f"{asked}: "


def unrepeated(template: str) -> str:
    """The template without repeated sentences and immediately repeated phrases ("Jadi, Jadi, …")."""
    words = list(_WORD.finditer(template))
    half = len(words) // 2
    if [word[0] for word in words[:half]] == [word[0] for word in words[half:]] and half:  # the whole text is repeated
        template = template[: words[half].start()].rstrip()
    seen: set[str] = set()
    lines = []
    for line in template.split("\n"):
        kept = []
        for part in sentences(_once(line)):
            key = " ".join(_words(part.casefold()))
            if not key or key not in seen:
                kept.append(part)
            seen.add(key)
        if kept or not line.strip():
            lines.append(" ".join(kept))
    return "\n".join(lines).strip()


def _once(line: str) -> str:
    """The line without immediate repetitions, except in braces."""
    parts = re.split(rf"({BRACED.pattern})", line)
    return "".join(part if part.startswith("{") else _AGAIN.sub(r"\1", part) for part in parts)


def repeats(template: str) -> bool:
    """Whether the text has repeated words or sentences."""
    return [*_words(template)] != [*_words(unrepeated(template))]


def _words(text: str) -> Iterable[str]:
    return _WORD.findall(text)


@cache
def _sample() -> re.Pattern[str]:
    """The notice of a sample in every language."""
    begins = "|".join(re.escape(pack.say["sample"].partition(":")[0]) for pack in wordings().values())
    return re.compile(rf"(?:{begins}): [^.]+\.")


def says_sample(notice: str) -> bool:
    """Whether a data server's notice begins with the sample notice, i.e. its rows are made up."""
    return _sample().match(notice) is not None


def is_sample(warning: str) -> bool:
    """Whether a warning only says that the data are a sample; it doesn't lower the answer's quality."""
    return _sample().fullmatch(warning) is not None


def with_sample(narrative: str, warnings: Iterable[str]) -> str:
    """The narrative, followed by the sample notice if one of the warnings is one."""
    return "\n\n".join([narrative, *filter(is_sample, warnings)])
