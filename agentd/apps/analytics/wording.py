"""The words of comparison that a narrative may not say by itself, and those that repeat. It computes no comparison.

A claim ("naik", "lebih besar", "most of") is true only where the host worded it from the rows ({COMPARE …} and the
like, statements.py); a superlative ("tertinggi", "first") only beside a result that its query puts in that order. The
lists are in `wording/`, one TOML a language, and every language's words count in every answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agentd.agent.languages import packs
from agentd.apps.analytics.vocabulary import asked_in

MADE_IN = "id"
"""The language of a period's label, until it is said; who asks in a language without a pack reads it, too."""
_BRACED = re.compile(r"\{[^{}]*\}")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
_AGAIN = re.compile(r"(?<![\w-])(\w[^.!?\n{}]{1,80}?)(?:[\s,;:]+\1)+(?![\w-])", re.IGNORECASE)
_KINDS = re.compile(r"\{\s*(TOP|RANK|LAST|BOTTOM|FIRST)\s")
_BY_STATEMENT = {"TOP": "desc", "RANK": "desc", "LAST": "desc", "BOTTOM": "asc", "FIRST": "asc"}
_NAMES = re.compile(r"\{\s*(?:[A-Z]+\s+)?([^\W\d][\w.-]*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One language's lists and phrases; each key is explained in the files."""

    claims: frozenset[str]
    most: frozenset[str]
    least: frozenset[str]
    units: frozenset[str]
    before_bounds: frozenset[str]
    say: Mapping[str, str]
    labels: Mapping[str, str]


@cache
def wordings() -> Mapping[str, Wording]:
    """The pack of each language. Raises IncompletePack."""
    return packs(Path(__file__).with_suffix(""), Wording)


def words_for(question: str) -> Wording:
    """The pack of the language that a question is asked in; who asks in Javanese reads Indonesian."""
    return wordings().get(asked_in(question)) or wordings()[MADE_IN]


def say_for(question: str) -> Mapping[str, str]:
    """The host's own phrases for who asked that."""
    return words_for(question).say


def label_for(question: str, label: str) -> str:
    """A period's label ("Kuartal 1 2023") in the language of the question."""
    for part, ours in words_for(question).labels.items():
        pattern = re.escape(wordings()[MADE_IN].labels[part]).replace(r"\{n\}", r"(\d+)")
        label = re.sub(rf"(?<!\w){pattern}(?!\w)", ours.replace("{n}", r"\1"), label)
    return label


def labelled(part: str, number: int = 0) -> str:
    """A part of a period's label in the language that labels are made in; `label_for` says it in the asker's."""
    return wordings()[MADE_IN].labels[part].replace("{n}", str(number))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    words = sorted({word for pack in wordings().values() for word in getattr(pack, kind)}, key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, words))})(?![\w-])", re.IGNORECASE)


def uncovered(template: str, orders: Mapping[str, frozenset[str]], question: str) -> list[str]:
    """The words of comparison in the template that nothing computed covers, each once.

    `orders` are the directions (`desc`, `asc`) that each placeholder's result is sorted in or picked by. What the
    question itself sets as a bound ("lebih besar dari 10 juta") may be repeated.
    """
    return list(dict.fromkeys(word for sentence in sentences(template) for word in _faults(sentence, orders, question)))


def ends_of(question: str) -> Iterator[tuple[frozenset[str], str]]:
    """The orders that answer each superlative of a question ("terbesar": desc; "terlama": either), and the word; the
    question is one without its words of time, before a number they are a bound."""
    ends: dict[str, set[str]] = {}
    for kind, direction in (("most", "desc"), ("least", "asc")):
        for found in _pattern(kind).finditer(question):
            if not re.match(r"\W*\d", question[found.end() :]):
                ends.setdefault(found[0], set()).add(direction)
    for word, directions in ends.items():
        yield frozenset(directions), word


def unclaimed(text: str) -> str:
    """The text without the words that say how figures compare."""
    return _pattern("claims").sub(" ", text)


def _faults(sentence: str, orders: Mapping[str, frozenset[str]], question: str) -> Iterator[str]:
    bare = _BRACED.sub(" ", sentence)
    here = {name.casefold() for name in _NAMES.findall(sentence)}
    known = {direction for name in here for direction in orders.get(name, ())}
    known |= {_BY_STATEMENT[kind] for kind in _KINDS.findall(sentence)}
    for found in _pattern("claims").finditer(bare):
        if not _bound(found, question):
            yield found[0].casefold()
    for kind, direction in (("most", "desc"), ("least", "asc")):
        other = "least" if kind == "most" else "most"
        for found in _pattern(kind).finditer(bare):
            either = bool(known) and _pattern(other).fullmatch(found[0]) is not None
            if not (direction in known or either or _of_time(found) or _bound(found, question)):
                yield found[0].casefold()


def _bound(found: re.Match[str], question: str) -> bool:
    """Whether the question says this word before a number, too: a limit, not a finding."""
    behind = found.string[found.end() :]
    number = re.match(rf"\W*(?:{_pattern('before_bounds').pattern}\W+)*(\d[\d.,]*)", behind, re.IGNORECASE)
    asked = question.casefold()
    return number is not None and found[0].casefold() in asked and number[1].rstrip(".,") in asked


def _of_time(found: re.Match[str]) -> bool:
    """Whether a unit of time (or a name) stands beside the word, a number between them aside."""
    before = re.findall(r"\w+", found.string[: found.start()])[-1:]
    behind = [word for word in re.findall(r"\w+", found.string[found.end() :])[:2] if not word.isdigit()]
    return bool({word.casefold() for word in (*before, *behind)} & _units())


@cache
def _units() -> frozenset[str]:
    return frozenset(unit for pack in wordings().values() for unit in pack.units)


def sentences(template: str) -> list[str]:
    """Its sentences and lines, without those that are empty."""
    return [part for part in _SENTENCE.split(template) if part and part.strip()]


def heading(template: str, sentence: str, question: str) -> str:
    """What stands over a list instead of that sentence: the question, or nothing where a colon or it stands there."""
    before, asked = template[: template.index(sentence)].rstrip(), re.sub(r"[{}]", "", question).strip(" ?.")
    introduced = before.endswith(":") or asked.casefold() in before.casefold()
    return "" if introduced else f"{asked}: "


def without(template: str, orders: Mapping[str, frozenset[str]], question: str) -> str:
    """The template without the sentences that compare by themselves; "" where no figure would be left."""
    lines = []
    for line in template.split("\n"):
        kept = [part for part in sentences(line) if not list(_faults(part, orders, question))]
        lines.append(" ".join(kept))
    left = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return left if _BRACED.search(left) else ""


def unrepeated(template: str) -> str:
    """The template without sentences said before and without phrases said twice running ("Jadi, Jadi, …")."""
    words = list(re.finditer(r"[\w{}]+", template))
    half = len(words) // 2
    if [word[0] for word in words[:half]] == [word[0] for word in words[half:]] and half:  # all of it twice
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
    """The line without phrases twice running; what stands in braces is no phrase."""
    parts = re.split(r"(\{[^{}]*\})", line)
    return "".join(part if part.startswith("{") else _AGAIN.sub(r"\1", part) for part in parts)


def repeats(template: str) -> bool:
    """Whether a reader would stumble over repeated words or sentences."""
    return [*_words(template)] != [*_words(unrepeated(template))]


def _words(text: str) -> Iterable[str]:
    return re.findall(r"[\w{}]+", text)
