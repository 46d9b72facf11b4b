"""Compares each content word of a question with a query: what it was taken for, or None if nothing accounts for it.

A word is covered if the query uses its label, type, property or value, does what it asks for (aggregate, order,
negation, number, comparison), or if the lexicon ignores it. Rules only; asks no model.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.parts import FIGURES
from servers.text2cypher.linking.amounts import (
    BOUNDS,
    FIRST_YEAR,
    LAST_YEAR,
    NEGATIVE,
    SIGNS,
    ends_of_years,
    in_year,
    is_decade,
    number_of,
    within,
)
from servers.text2cypher.linking.asks import is_cued
from servers.text2cypher.linking.bounds import compared, ordinals_in, ranges_in
from servers.text2cypher.linking.done import Done
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import Language, languages
from servers.text2cypher.linking.names import parts, root, said_in
from servers.text2cypher.linking.values import Mention, folded

_APART = {"<", ">", "<=", ">=", "<>"}
"""Signs that compare a number with other values than itself."""
_WORD = re.compile(rf"(?:{NEGATIVE})?\w+(?:[.\-']\w+)*")


@dataclass(frozen=True)
class Taken:
    """A word or phrase of the question; `meaning` is None if the query lacks it. `spelling`: similarity, 0–1."""

    words: str
    meaning: str | None
    spelling: float = 1.0


def coverage(hints: Hints, facts: QueryFacts, linker: Linker) -> list[Taken]:
    """The content words in the order of the question."""
    return _Reading(hints, facts, linker, languages()).read()


class _Reading:
    """Compares one question with one query; `open`: the spans of words not yet covered."""

    def __init__(self, hints: Hints, facts: QueryFacts, linker: Linker, language: Language) -> None:
        self.hints, self.facts, self.linker, self.language = hints, facts, linker, language
        self.text, self.done = hints.question.lower(), Done(hints, facts, linker)
        self.open = [(m.start(), m.end()) for m in _WORD.finditer(self.text)]
        self.found: list[tuple[int, Taken]] = []

    def read(self) -> list[Taken]:
        for step in (self._values, self._phrases, self._ranges, self._numbers, self._cues, self._names):
            step()
        left = [(s, e) for s, e in self.open if not self._is_function(self.text[s:e]) or self._is_left(self.text[s:e])]
        for start, end in self._whole_mentions(left):
            self.found.append((start, Taken(self.hints.question[start:end], None)))
        unread = [Taken(word, None) for word in self.hints.aside]
        return [*unread, *(taken for _, taken in sorted(self.found, key=lambda held: held[0]))]

    def _is_function(self, word: str) -> bool:
        bare = {word, *(word.removesuffix(clitic) for clitic in self.language.clitics)}
        return bool(bare & self.linker.function)

    def _is_left(self, word: str) -> bool:
        """True if a written lexicon maps the word to a relationship of the question that the query doesn't use."""
        kind = self.linker.lexicon.relationships.get(word) if self.linker.lexicon.written else None
        return kind in self.hints.relations and kind not in self.facts.names

    def _whole_mentions(self, left: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The remaining spans, with the words of one stored value merged."""
        last = -1
        for start, end in left:
            held = next((m for m in self.hints.mentions if m.start <= start and end <= m.end), None)
            if held is None:
                yield start, end
            elif held.start != last:
                last = held.start
                yield held.start, held.end

    def _take(self, start: int, end: int, meaning: str, spelling: float = 1.0) -> None:
        self.found.append((start, Taken(self.hints.question[start:end], meaning, spelling)))
        self._close(start, end)

    def _drop(self, start: int, end: int) -> None:
        """Marks these words as not covered by the query."""
        self.found.append((start, Taken(self.text[start:end], None)))
        self._close(start, end)

    def _close(self, start: int, end: int) -> None:
        self.open = [(s, e) for s, e in self.open if e <= start or end <= s]

    def _is_open(self, start: int, end: int) -> bool:
        inside = sum(len(_WORD.findall(self.text[s:e])) for s, e in self.open if start <= s and e <= end)
        return inside == len(_WORD.findall(self.text[start:end])) > 0

    def _match(self, phrase: str) -> Iterator[tuple[int, int]]:
        yield from (found.span() for found in said_in(phrase, self.text) if self._is_open(*found.span()))

    def _values(self) -> None:
        """Covers stored values that the query names, then single words inside one of its texts."""
        astray = {folded(held.value) for held in self.hints.mentions if not self._is_tested_where_it_is(held)}
        strings = [text for text in self.facts.strings if folded(text) not in astray]
        texts = {folded(text) for text in strings}
        for held in self.hints.mentions:
            if folded(held.value) in texts:
                said = self.hints.question[held.start : held.end]
                near = 1.0 if held.exact else difflib.SequenceMatcher(None, folded(said), folded(held.value)).ratio()
                self._take(held.start, held.end, f"'{held.value}'", near)
        bounds = {folded(text) for _, text in self.facts.bounds}
        whole = texts | {text.lower() for text in strings}
        whole -= {text for _, text in self.facts.bounds if text.isdecimal()}  # `a date above '1997'` is a number
        for text in sorted(whole, key=len, reverse=True):
            for span in list(self._match(text)):
                self._take(*span, f"'{text}'")
        used = {word for text in texts - bounds for word in text.split()}
        for start, end in list(self.open):
            word = folded(self.text[start:end])
            if word in used and not self._is_function(word) and not self._in_mention(start, end):
                self._take(start, end, "text")

    def _is_tested_where_it_is(self, mention: Mention) -> bool:
        """False if the query tests this value only on properties that don't store it."""
        wanted, labels = folded(mention.value), self.facts.structure.labels_of
        tests = [(v, name) for v, name, token in self.facts.property_tests if token and folded(token.value) == wanted]
        places = {(place.label, place.property) for place in mention.places}
        return not tests or any(not labels(v) or {(label, name) for label in labels(v)} & places for v, name in tests)

    def _in_mention(self, start: int, end: int) -> bool:
        return any(m.start <= start and end <= m.end for m in self.hints.mentions)

    def _phrases(self) -> None:
        """Covers phrases of the lexicon whose label, property or type the query uses."""
        lexicon, tails = self.linker.lexicon, self.linker.wording.compiled(r"\W(?:‹value_said›)\b")
        named = [
            (phrase, name)
            for held in (lexicon.labels, lexicon.properties, lexicon.relationships)
            for phrase, name in [*held.items(), *lexicon.also]
            if name in self.facts.names
        ]
        within = {root(part): kind for kind in self.hints.within if kind in self.facts.names for part in parts(kind)}
        for phrase in lexicon.properties if within else ():  # `receiving banks` are reached by RECEIVED
            named += [(phrase, within[held]) for held in map(root, phrase.split()) if held in within]
        for phrase, name in sorted(named, key=lambda pair: len(pair[0]), reverse=True):
            for start, end in list(self._match(phrase)):
                self._take(start, end, name)
                if name in self.linker.schema.properties and (tail := tails.match(self.text, end)):
                    self._close(end, tail.end())  # `freight charges`
        for phrase in sorted(lexicon.ignored | self.language.aside, key=len, reverse=True):
            for span in list(self._match(phrase)):
                self._close(*span)

    def _ranges(self) -> None:
        stated = set(self.facts.numbers)
        for low, high, spans in ranges_in(self.text, self.linker):
            signs = [{sign[0] for sign, number in stated if number == end} for end in (low, high)]
            if (">" in signs[0] and "<" in signs[1]) or self._is_between("=", low, high):
                self._take(*spans, f"{low:g} … {high:g}")
            elif self._is_open(*spans):
                self._drop(*spans)

    def _numbers(self) -> None:
        for held in ordinals_in(self.text, self.linker):
            if self.facts.limit == "1" and ("SKIP", held.number - 1) in self.facts.numbers:
                self._take(held.start, held.end, f"SKIP {held.number - 1}")
            else:
                self._drop(held.start, held.end)
        stated = self.done.stated
        for start, end in list(self.open):
            word = self.text[start:end]
            if is_decade(word) and within(float(word[:-1]), stated):
                self._take(start, end, word)
            value = number_of(word, self.linker.lexicon)
            if value is None:
                continue
            begin, bound = compared(self.text, start, end, self.linker)
            wanted = BOUNDS[bound](value) if bound in BOUNDS else None
            sign = SIGNS.get(bound, "=")
            if self._is_in_year(sign, value) or self._is_between(sign, value, value):
                self._take(begin, end, word)
                continue
            if wanted is None and self._is_stated(value):
                self._take(start, end, f"{value:g}")
            elif wanted and wanted & stated:
                self._take(begin, end, f"{bound} {value:g}")
            elif wanted and (bound == "greater" or not self._is_function(word)):  # `at least one` is any
                self._drop(begin, end)

    def _is_stated(self, value: float) -> bool:
        """True if this number itself is compared; as a strict bound only if the question has a bound somewhere.

        Two bounds may together mean exactly this number.
        """
        stated = self.done.stated
        bounded = is_cued(self.text, {*BOUNDS, "range", "not"})
        if any(number == value and (bounded or sign not in _APART) for sign, number in stated):
            return True
        return bool(BOUNDS["at_least"](value) & stated) and bool(BOUNDS["at_most"](value) & stated)

    def _is_in_year(self, sign: str, number: float) -> bool:
        """True if a timestamp is compared with this year."""
        held = set(self.linker.lexicon.moments.values())
        stated = set(self.facts.numbers)
        return FIRST_YEAR <= number <= LAST_YEAR and any(in_year(sign, int(number), units) <= stated for units in held)

    def _is_between(self, sign: str, first: float, last: float) -> bool:
        """True if dates stored as text are compared with the start or end of these years."""
        if not FIRST_YEAR <= first <= LAST_YEAR:
            return False
        held, (begins, ends) = self.facts.bounding_days, ends_of_years(first, last)
        if sign == "=":
            return bool(held[">"] & begins and held["<"] & ends)
        return bool(held[sign[0]] & (begins | ends))

    def _cues(self) -> None:
        for phrase in sorted(self.language.yes_no, key=len, reverse=True):
            if re.match(rf"\W*{re.escape(phrase)}(?!\w)", self.text) and not self.done.answers_yes_or_no():
                start = self.text.index(phrase)
                self._drop(start, start + len(phrase))
        taken: list[tuple[int, int]] = []
        for phrase in sorted(self.language.cues, key=len, reverse=True):
            for span in list(self._match(phrase)):
                if any(s < span[1] and span[0] < e for s, e in taken):
                    continue
                meant = {held.meaning for _, held in self.found}
                done = next((cue for cue in sorted(self.language.cues[phrase]) if self.done.does(cue, meant)), None)
                taken.append(span)
                if done is not None:
                    self._take(*span, done)
                    continue
                figure = "group" in self.language.cues[phrase] and self.facts.words & FIGURES  # one for each
                names = self._roots.keys() & {root(word) for word in phrase.split()}
                if (phrase not in self.language.lists or figure) and not names:
                    self._drop(*span)

    @cached_property
    def _roots(self) -> dict[str, str]:
        return {root(part): name for name in sorted(self.facts.names) for part in parts(name)}

    def _names(self) -> None:
        """Covers words that share a root with a name of the graph (`directors` for DIRECTED) or are likened to one."""
        likened = {word: (name, like) for word, name, like in self.hints.likened}
        for start, end in list(self.open):
            word = self.text[start:end]
            if self._is_function(word) or self._in_mention(start, end):
                continue
            if (name := self._roots.get(root(word))) is not None:
                self._take(start, end, name)
            elif word in likened and likened[word][0] in self.facts.names:
                self._take(start, end, *likened[word])
            elif self.done.says_any_graph(word) or self.done.says_key(word):
                self._take(start, end, word)
