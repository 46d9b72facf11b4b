"""Finds phrases in a sentence: patterns of words and classes of words, given as data. It knows no word and no meaning.

A pattern consists of words, `{class}`, either with `?` (optional) or `*` (repeated), `...` (up to a dozen other words),
and `^` and `$` for the ends of the sentence. A search takes time linear in the sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook

GAP = 12
"""Maximum number of words that `...` matches."""
_ELEMENT = re.compile(r"(?:\{(?P<name>\w+)\})?(?P<text>[^\s?*]*)(?P<times>[?*]?)")


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """A fixed set of phrases. `endings` are those that a word may have, or the last must have (`must_end`)."""

    phrases: Phrasebook
    endings: tuple[str, ...] = ()
    must_end: bool = False

    def end(self, words: Sequence[str], at: int) -> int | None:
        """Where the longest phrase that starts here ends."""
        if not self.must_end and (phrase := self.phrases.at(words, at)):
            return at + len(phrase)
        if not self.endings or at >= len(words) or not self._may_start(words[at]):
            return None
        near = words[at : at + self.phrases.longest]
        roots = [bare(word, self.endings) for word in near]
        phrase = self.phrases.at([root or word for root, word in zip(roots, near, strict=True)], 0)
        return at + len(phrase) if phrase and (roots[len(phrase) - 1] or not self.must_end) else None

    def _may_start(self, word: str) -> bool:
        return self.phrases.begins(word) or self.phrases.begins(bare(word, self.endings) or "")


def bare(word: str, endings: tuple[str, ...]) -> str | None:
    """A word without the first of these endings that fits (`suratnya`), or None if none does."""
    if not word.endswith(endings):
        return None
    ending = next((each for each in endings if word.endswith(each) and len(word) > len(each) + 3), None)
    return ending and word.removesuffix(ending)


@dataclass(frozen=True, slots=True)
class OtherWord:
    """Any word with one of the endings that is not among the known ones. It can't start a pattern."""

    known: frozenset[str]
    endings: tuple[str, ...]

    def end(self, words: Sequence[str], at: int) -> int | None:
        """The next index if the word fits, else None."""
        fits = at < len(words) and words[at].endswith(self.endings) and words[at] not in self.known
        return at + 1 if fits else None


Class = Words | OtherWord
"""The words that may stand in one place of a pattern."""


@dataclass(frozen=True, slots=True)
class _Step:
    words: Class
    optional: bool = False
    repeated: bool = False
    after_gap: bool = False


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A parsed pattern, which may have to begin or end the sentence."""

    steps: tuple[_Step, ...]
    begins_sentence: bool
    ends_sentence: bool

    def end(self, sentence: _Sentence, at: int, number: int = 0) -> int | None:
        """Where the steps from this one end if they match here; after a gap each word is tried, nearest first."""
        if number == len(self.steps):
            return None if self.ends_sentence and at < len(sentence.words) else at
        step = self.steps[number]
        ends = sentence.soon(step.words, at) if step.after_gap else sentence.here(step.words, at)
        for end in ends:
            while step.repeated and (further := sentence.here(step.words, end)):
                (end,) = further
            if (found := self.end(sentence, end, number + 1)) is not None:
                return found
        return self.end(sentence, at, number + 1) if step.optional and not ends else None


class _Sentence:
    """The words of one sentence and where phrases start in it; no phrase starts after a relative (`which`)."""

    def __init__(self, words: Sequence[str], relatives: Words) -> None:
        self.words = words
        ends = (relatives.end(words, at) for at in range(len(words)))
        self.closed = frozenset(end for end in ends if end is not None)
        self._starts: dict[int, list[int]] = {}
        self._here: dict[tuple[int, int], tuple[int, ...]] = {}

    def here(self, wanted: Class, at: int) -> tuple[int, ...]:
        """The one end of the wanted phrase at this word, or none. Kept, because most patterns share their classes."""
        key = id(wanted), at
        if (known := self._here.get(key)) is None:
            end = wanted.end(self.words, at)
            known = self._here[key] = () if end is None else (end,)
        return known

    def soon(self, wanted: Class, at: int) -> Sequence[int]:
        """The ends of the wanted phrases that start within GAP words."""
        starts = self._starts.get(id(wanted))
        if starts is None:
            every = range(len(self.words))
            starts = [each for each in every if each not in self.closed and self.here(wanted, each)]
            self._starts[id(wanted)] = starts
        near = starts[bisect_left(starts, at) : bisect_right(starts, at + GAP)]
        return [self.here(wanted, each)[0] for each in near]


class Patterns:
    """Several patterns, searched together: each is tried only at words it can start with."""

    def __init__(self, clitics: tuple[str, ...]) -> None:
        self._clitics = clitics
        self._at_start: list[_Pattern] = []
        self._by_first: dict[str, list[_Pattern]] = defaultdict(list)

    def add(self, text: str, classes: Mapping[str, Class]) -> None:
        """Parse a pattern; one that begins with an empty class never matches.

        Raises KeyError for an unknown class, ValueError if the first element is optional or an OtherWord.
        """
        parts = text.split()
        steps = [
            _step(part, classes, before == "...")
            for before, part in zip(["", *parts], parts, strict=False)
            if part not in ("...", "^", "$")
        ]
        made = _Pattern(tuple(steps), parts[0] == "^", parts[-1] == "$")
        if made.begins_sentence:
            self._at_start.append(made)
            return
        if steps[0].optional or not isinstance(steps[0].words, Words):
            raise ValueError(f"{text}: begins with nothing that must stand there")
        for word in steps[0].words.phrases.firsts:
            self._by_first[word].append(made)

    def spans(self, words: Sequence[str], relatives: Words) -> list[tuple[int, int]]:
        """Spans of all matches, sorted: (index of the first word, index after the last)."""
        sentence = _Sentence(words, relatives)
        found = {(0, made.end(sentence, 0)) for made in self._at_start}
        for at, word in enumerate(words):
            if at not in sentence.closed:
                first = word if word in self._by_first else bare(word, self._clitics)
                found |= {(at, made.end(sentence, at)) for made in self._by_first.get(first or "", ())}
        return sorted((start, end) for start, end in found if end is not None)


def _step(part: str, classes: Mapping[str, Class], gap: bool) -> _Step:
    found = _ELEMENT.fullmatch(part)
    if found is None:
        raise ValueError(f"{part}: neither a word nor {{class}}")
    name, text, times = found["name"], found["text"], found["times"]
    words = _word(text) if name is None else classes[name]
    if name is not None and text and isinstance(words, Words):  # `{thing}nya`: the word must have this ending
        words = _ended(words, text)
    return _Step(words, optional=times != "", repeated=times == "*", after_gap=gap)


@cache
def _word(text: str) -> Words:
    """One object for a word in all patterns, so that a sentence is searched for it once."""
    return Words(Phrasebook([text]))


@cache
def _ended(words: Words, ending: str) -> Words:
    return replace(words, endings=(ending,), must_end=True)
