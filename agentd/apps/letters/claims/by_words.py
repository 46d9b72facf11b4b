"""Finds answers that claim or promise a deed that no tool did, by their words, so that no citizen reads them.

A small model ends a conversation as its examples end: with the deed done. Only a successful call of this session
proves a deed. This module only judges text, in linear time; the loop decides what follows.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

from agentd.agent.text import HAN, folded, normal
from agentd.agent.toolset import Toolset
from agentd.apps.letters.claims.deeds import (
    ANYWHERE,
    Deeds,
    DeedWords,
    Scope,
    deed_keys,
    deed_words,
    done_by,
    languages,
    looks_up,
    scope_of,
    stems,
    titles_of,
    words_of,
)
from agentd.apps.letters.claims.phrasing import Class, OtherWord, Patterns, Words
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.languages import phrases
from agentd.errors import Language
from agentd.messages import Said, ToolInfo

_SENTENCE = re.compile(r"(?:[^.!?\n]|(?<=\d)\.(?=\d)|\.(?=[A-Za-z]))+[.!?]*")
_WORD = re.compile(rf"{HAN}|[^\W\d_]+(?='t\b)|'?[^\W_]+|[,;:]")
_ABBREVIATED = re.compile(rf"\b({'|'.join(phrases().abbreviations - deed_words().denials)})\.(?=\s)", re.I)
_BREAKS = frozenset(",;:")
_TITLE = "<title>"
"""Replaces the words of a title; no text contains it as a word."""
_NUMBER = re.compile(r"\b\d{1,5}/[A-Z][\w.-]*(?:/[\w.-]*\w)+")
_STATUS_WORDS = 4
"""Maximum words of a status; a longer text in a result describes a procedure, not an outcome."""
_NAMING_WORDS = 2
"""In longer statuses a verb's stem is part of a name (`foto cetak 3x4`), unless it is the last word (`terbit`)."""
MOST_SEARCHED = 32


def false_claim(answer: str, toolset: Toolset, said: Sequence[Said]) -> str | None:
    """The first sentence with a false claim, or None. Where no tool acts (all only read) it is always None."""
    acting = _acting(toolset)
    if not acting:
        return None
    past = _Past(acting, said)
    reader = _reader(past.scope)
    for sentence in _sentences(_ABBREVIATED.sub(r"\1", normal(answer))):
        numbers = _NUMBER.findall(sentence)
        if numbers and not past.found(numbers):
            return sentence
        claims = list(reader.claimed(sentence))
        if any(not past.did(claimed) for claimed in claims) or (claims and not past.made(sentence)):
            return sentence
    return None


def _acting(toolset: Toolset) -> list[ToolInfo]:
    """The tools that may change something, or could; a failed call of theirs, or none, proves no deed."""
    every = (*toolset.every, *toolset.gone)
    return [tool for tool in every if tool.official or not (tool.read_only or looks_up(tool))]


def _scope(acting: Sequence[ToolInfo]) -> Scope:
    """What these tools do, and in an office the deeds that none claims innocently: one that blocks no card has blocked
    none. Elsewhere an agent may tell of them: `The treaty was signed in 1648.`"""
    own = scope_of(acting)
    return own._replace(named=own.named | ANYWHERE) if any(tool.official for tool in acting) else own


def _sentences(answer: str) -> Iterator[str]:
    """Each sentence, and each cell of a table's row."""
    for sentence in (part.group().strip() for part in _SENTENCE.finditer(answer)):
        yield sentence
        if "|" in sentence:
            yield from filter(None, map(str.strip, sentence.split("|")))


def nothing_done(toolset: Toolset, said: Sequence[Said]) -> bool:
    """Whether there are tools that act and none of their deeds was done in this session, so that any claim is false."""
    acting = _acting(toolset)
    return bool(acting) and not _Past(acting, said).did(frozenset())


def said_instead(language: Language, spoken: str | None = None) -> DeedWords:
    """What the citizen reads when the model repeats a claim, in the language they write if a pack has it.

    `truth` replaces a false claim; `unsure` replaces an answer that names what nobody named.
    """
    return languages().get(spoken or language, languages()[language])


class _Past:
    """What tools did and found in a session, computed once per answer."""

    def __init__(self, acting: Sequence[ToolInfo], said: Sequence[Said]) -> None:
        self._acting, self._said, self.scope = acting, said, _scope(acting)
        self._searched = 0

    def did(self, claimed: frozenset[str]) -> bool:
        """Whether one of these deeds was done or a result states it.

        A claim without a deed, or of one that is no tool's, may be any that was done (`registered` for a booking).
        """
        if claimed & (self._done | self._stated):
            return True
        return bool(self._done) and not claimed & self.scope.keys

    def made(self, sentence: str) -> bool:
        """Whether a tool with a title in the sentence was called. True without a title, or if a look-up states a deed.

        Part of a title is enough: `surat pengantar` for `Surat Pengantar SKCK`.
        """
        text = sentence.casefold()
        found = {title for tool in self._acting for title in titles_of(tool) if title in text}
        whole = [title for title in found if not any(title in other for other in found - {title})]
        known = [title for tool in self._acting if tool.name in self._called for title in titles_of(tool)]
        if not whole or any(title in each for title in whole for each in known):
            return True
        acting = {tool.name for tool in self._acting}
        return bool(self._proved_by(one for one in self._said if one.tool not in acting) & self.scope.keys)

    @cached_property
    def _called(self) -> frozenset[str | None]:
        return frozenset(one.tool for one in self._said if one.by == "tool")

    @cached_property
    def _done(self) -> frozenset[str]:
        acted = [tool for tool in self._acting if tool.name in self._called]
        return done_by(acted, self._acting) | (self._stated & self.scope.keys)

    @cached_property
    def _stated(self) -> frozenset[str]:
        return self._proved_by(self._said)

    def _proved_by(self, said: Iterable[Said]) -> frozenset[str]:
        """The deeds, of tools or not, that results state (`"status": "issued"`, a letter's number)."""
        known = words_of(self.scope.keys | deed_keys()).done
        every = frozenset().union(*known.values())
        proved: set[str] = set()
        for text in (text for one in said if one.by == "tool" for text in _stated(one.value)):
            words = _words(text.replace("_", " "))
            if _NUMBER.search(text):
                proved |= every
            elif len(words) <= _STATUS_WORDS and not self.scope.things.intersection(words):
                stating = words[-1:] if len(words) <= _NAMING_WORDS else ()
                stated = (word for word in words if word in stating or word not in stems())
                proved |= {key for word in stated for key in known.get(word, ())}
        return frozenset(proved)

    @cached_property
    def _known(self) -> str:
        return " ".join(f"{one.text} {one.value}" for one in self._said if one.by != "agent")

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(_NUMBER.findall(self._known))

    def found(self, numbers: Sequence[str]) -> bool:
        """Whether each number was said or found; at most MOST_SEARCHED are also searched inside longer ones."""
        for number in numbers:
            if number not in self._numbers:
                self._searched += 1
                if self._searched > MOST_SEARCHED or number not in self._known:
                    return False
        return True


def _words(text: str) -> list[str]:
    return [folded(word) for word in _WORD.findall(text)]


def _stated(value: Any) -> Iterator[str]:
    """Every text of a result, and the names of its true values (`"blocked": true`); lists of texts are left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            if inner and not isinstance(inner, (Mapping, list)):
                yield str(name)
            yield from _stated(inner)
    elif isinstance(value, list):
        for inner in value:
            if not isinstance(inner, str) or _NUMBER.search(inner):
                yield from _stated(inner)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Finds claims about the deeds of a set of tools in sentences."""

    deeds: Deeds
    claims: Patterns
    promises: Patterns
    titles: Words

    def claimed(self, sentence: str) -> Iterator[frozenset[str]]:
        """The deeds of each claim and promise in a sentence; an empty set for a claim that names no deed (`Done.`)."""
        for name in deed_words().names:
            sentence = sentence.replace(name, " ")
        words = list(self._titled(_words(sentence)))
        plain = [word for word in words if word not in _BREAKS]
        if sentence.endswith("?"):
            return
        if spans := self.claims.spans(plain, _cue("relatives")):
            taken_back = _taken_back(words, _cue("denials", "hedges"))
            yield from (self._of(plain[slice(*span)]) for span in spans if not taken_back(span))
        spans = self.promises.spans(plain, _cue("relatives"))
        if spans and not any(_cue("waits_for").end(plain, at) for at in range(len(plain))):
            taken_back = _taken_back(words, _cue("denials"))
            yield from (self._of(plain[slice(*span)]) for span in spans if not taken_back(span))

    def _titled(self, words: Sequence[str]) -> Iterator[str]:
        """The words, with each title replaced by one token."""
        at = 0
        while at < len(words):
            end = self.titles.end(words, at)
            yield words[at] if end is None else _TITLE
            at = end or at + 1

    def _of(self, words: Sequence[str]) -> frozenset[str]:
        return frozenset(key for word in words for forms in self.deeds for key in forms.get(word, ()))


@cache
def _cue(*names: str) -> Words:
    """The phrases of the packs under these keys."""
    return Words(Phrasebook(phrase for name in names for phrase in getattr(deed_words(), name)))


def _taken_back(words: Sequence[str], hedges: Words) -> Callable[[tuple[int, int]], bool]:
    """A function: whether the claim at a span is denied in its clause or follows a condition."""
    plain = [word for word in words if word not in _BREAKS]
    found = [at for at in range(len(plain)) if hedges.end(plain, at)]
    conditions = (at for at in range(len(plain)) if _cue("conditions").end(plain, at))
    condition = next(conditions, len(plain))
    marks = [at for at, word in enumerate(words) if word in _BREAKS]
    breaks = [at - before for before, at in enumerate(marks)]

    def taken_back(span: tuple[int, int]) -> bool:
        start, end = span
        before = bisect(breaks, start)
        hedge = bisect_left(found, breaks[before - 1] if before else 0)
        return (hedge < len(found) and found[hedge] < end) or condition < end

    return taken_back


@lru_cache(maxsize=32)
def _reader(scope: Scope) -> _Reader:
    every, scope_words, all_deeds = deed_words(), words_of(scope.keys), words_of(scope.keys | deed_keys())
    things = scope.things | {_TITLE}
    forms = {"done": scope_words.done, "doing": scope_words.doing, "going": scope_words.going, "thing": things}
    forms |= {"any_done": all_deeds.done, "noun": all_deeds.nouns}
    deeds: dict[str, Class] = {name: Words(Phrasebook(each), every.clitics) for name, each in forms.items()}
    claims, promises = Patterns(every.clitics), Patterns(every.clitics)
    for pack in languages().values():
        classes: dict[str, Class] = {name: Words(Phrasebook(each)) for name, each in pack.classes.items()}
        classes |= {**deeds, "deed": OtherWord(pack.harmless, pack.endings)}
        for text in pack.claims:
            claims.add(text, classes)
        for text in pack.promises:
            promises.add(text, classes)
    titles = Words(Phrasebook(tuple(_words(normal(title))) for title in scope.titles))
    return _Reader(all_deeds, claims, promises, titles)
