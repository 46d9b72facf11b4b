"""The conditions in a question: stored values, numbers, text parts, missing properties. Links no relationship."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from servers.text2cypher.graph.schema import FLOAT, INTEGER, GraphSchema
from servers.text2cypher.linking.amounts import BESIDE, NEGATIVE
from servers.text2cypher.linking.asks import Ask, Wording
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.lexicon import Lexicon
from servers.text2cypher.linking.names import parts, root, roots_in
from servers.text2cypher.linking.naming import Naming
from servers.text2cypher.linking.values import Mention, Place, ValueIndex

Span = tuple[int, int, str]
"""Span of a word for a name of the graph: (start, end, name)."""
_COMPARISONS = (("greater", "|>", ">"), ("less", "|<", "<"), ("at_least", "|>=", ">="), ("at_most", "|<=", "<="))
_WAYS = {"contains": "CONTAINS", "starts": "STARTS WITH", "ends": "ENDS WITH"}
_PART_OF_TEXT = (
    r"\b(?:(?P<contains>‹contains_text›)|(?P<starts>‹starts_text›)|(?P<ends>‹ends_text›))‹text_filler›\s+"
    r"(?P<what>['\"“](?P<quoted>[^'\"”]+)['\"”]|(?P<word>(?-i:[A-Z])\w*))"
)
MOST_BETWEEN = 3
"""The most function words between a property and its value: `a bank located in the …`."""
_SAME_PHRASE = 12  # max. characters between two words for one thing: `bobot 2 SKS`


@dataclass(frozen=True)
class Filter:
    """A condition of the question. `values` has several items for IN, and none for `null` and `not null`."""

    label: str
    property: str
    operator: str
    values: tuple[str | int, ...]
    start: int = 0


@dataclass(frozen=True)
class Stated:
    """All conditions. `having`: (sign, number) on a count; `used`: offsets of the property words in conditions."""

    filters: tuple[Filter, ...]
    having: tuple[str, int] | None
    used: frozenset[int]


@dataclass(frozen=True)
class Words:
    """A question as asked and with stored values masked, and what its words were linked to."""

    question: str
    masked: str
    mentions: list[Mention]
    labels: list[Span]
    properties: list[Span]
    asks: frozenset[Ask]


class Conditions:
    """Finds conditions over one graph; pure after construction."""

    def __init__(
        self, schema: GraphSchema, lexicon: Lexicon, values: ValueIndex, naming: Naming, wording: Wording
    ) -> None:
        self.schema, self.lexicon, self.values, self.naming, self.wording = schema, lexicon, values, naming, wording
        function = languages().function
        self._told = {
            kind: {root(part) for part in parts(kind) if part not in function} for kind in schema.relationships
        }
        self._numeric = {
            name: label
            for label, types in schema.nodes.items()
            for name, kind in types.items()
            if kind in (INTEGER, FLOAT)
        }

    def stated(self, words: Words) -> Stated:
        """The conditions of one question."""
        filters, used = self._of_values(words)
        numbers, having, used_by_numbers = self._of_numbers(words)
        used |= used_by_numbers
        filters += numbers
        filters += self._of_missing(words, used)
        filters += self._of_texts(words, used)
        return Stated(tuple(filters), having, frozenset(used))

    # -- stored values

    def _of_values(self, words: Words) -> tuple[list[Filter], set[int]]:
        """(one filter per property with all its values, the offsets of the property words that announce them)."""
        found: dict[Place, list[Mention]] = {}
        used: set[int] = set()
        said = roots_in(blanked(words.masked, words.properties)) - {root(name) for name in self.schema.nodes}
        for number, mention in enumerate(words.mentions):
            before = words.mentions[number - 1] if number else None
            place = self._joined_to(words, mention, before, found)
            if place is None:
                place, announced = self._likeliest(words, mention, said)
                used |= announced
            found.setdefault(place, []).append(mention)
        excepted = Ask.NOT in words.asks and self.wording.compiled(r"\b‹except›\b").search(words.question)
        filters = []
        for place, held in found.items():
            values = tuple(dict.fromkeys(m.value for m in held))
            operator = "<>" if excepted and self.values.is_choice(place) else "="
            filters.append(Filter(place.label, place.property, operator, values, held[0].start))
        return filters, used

    def _joined_to(
        self, words: Words, mention: Mention, before: Mention | None, found: dict[Place, list[Mention]]
    ) -> Place | None:
        """The place of the previous value, if an `and` joins this value to it; else None."""
        if before is None:
            return None
        between = words.question[before.end : mention.start]
        if not self.wording.compiled(r"\W*(?:‹joins›|,)?\W*").fullmatch(between):
            return None
        return next((place for place in mention.places if before in found.get(place, [])), None)

    def _likeliest(self, words: Words, mention: Mention, said: set[str]) -> tuple[Place, set[int]]:
        """The most likely place of a value, by the words around it (`said`: roots) and by what usually names a node."""
        scores: dict[Place, float] = {}
        announced: set[tuple[int, Place]] = set()
        for place in mention.places:
            score = 1.0 if place.property in self.naming.display(place.label)[:1] else 0.0
            score += 0.5 if self.naming.names(place.property) else 0.0
            score += 0.3 if self.values.is_choice(place) else 0.0
            score += 1.0 if any(name == place.label for _, _, name in words.labels) else 0.0
            # `orders shipped to France`: their shipCountry
            telling = {root(part) for part in parts(place.property)[:-1]}
            score += 2.0 if telling and telling <= said else 0.0
            score -= 2.0 if place.property in self.schema.nodes else 0.0  # it repeats another node's name
            score += 2.5 if self._is_joined(place.label, words.labels, said) else 0.0
            for start, end, name in words.properties:
                after = start >= mention.end and self._adjoins(words.question, mention.end, start)
                if name == place.property and (after or self._adjoins(words.question, end, mention.start)):
                    score += 4.0
                    announced.add((start, place))
                elif self._begins(name, place) and self._leads(words.question, end, mention.start):
                    score += 3.5
                    announced.add((start, place))
            for start, end, name in words.labels:
                if name == place.label and self._adjoins(words.question, end, mention.start):
                    score += 3.0
                if name == place.label and start > mention.end and self._adjoins(words.question, mention.end, start):
                    score += 0.5
            scores[place] = score
        best = max(scores, key=lambda place: scores[place])
        return best, {start for start, place in announced if place == best}

    def _is_joined(self, label: str, labels: list[Span], said: set[str]) -> bool:
        """True if a relationship that is said whole joins an unnamed label to a named one: `resulted in death`."""
        named = {name for _, _, name in labels}
        ends = [({start, end}, kind) for start, kind, end in self.schema.paths if label in (start, end)]
        joins = any(held & named and self._told[kind] and self._told[kind] <= said for held, kind in ends)
        return joins and label not in named

    def _begins(self, name: str, place: Place) -> bool:
        """True if a name is the start of the property's name: `bank` of `bank country`, for "a bank in Germany"."""
        own, held = parts(name), parts(place.property)
        return len(own) < len(held) and held[: len(own)] == own

    def _leads(self, text: str, end: int, start: int) -> bool:
        """True if only a few function words stand between two offsets."""
        between = re.findall(r"\w+", text[end:start].lower())
        return end <= start and len(between) <= MOST_BETWEEN and languages().function.issuperset(between)

    # -- numbers

    def _of_numbers(self, words: Words) -> tuple[list[Filter], tuple[str, int] | None, set[int]]:
        """Number conditions (`semester 5`, `3 SKS`), and separately a bound on a count (`lebih dari empat topik`)."""
        masked, ranged = words.masked, self.wording.compiled(r"\W*‹range›\W*")
        found: dict[tuple[str, str], list[int]] = {}
        having: tuple[str, int] | None = None
        used: set[int] = set()
        last: tuple[str, str] | None = None
        last_end = 0
        for start, end, number in self._numbers(masked):
            before = masked[max(start - BESIDE, 0) : start]
            comparison = self._comparison(before)
            near = self._numeric_word(words, start, end)
            if near is not None:
                used |= {at for at, _, name in words.properties if name == near[1] and abs(at - start) < _SAME_PHRASE}
                used.add(near[0])
                last = (near[1], comparison or "=")
                found.setdefault(last, []).append(number)
            elif comparison and (self._counts_something(words, end) or self._is_counted_before(before)):
                having = (comparison, number)
            elif last is not None and last[1] == "=" and ranged.fullmatch(masked[last_end:start]):
                low = found[last].pop()
                found.setdefault((last[0], ">="), []).append(low)
                found.setdefault((last[0], "<="), []).append(number)
            elif last is not None and last[1] == "=":
                found[last].append(number)
            last_end = end
        named = {name: label for _, _, label in reversed(words.labels) for name in self.schema.nodes[label]}
        filters = [
            Filter((self._numeric | named)[name], name, operator, tuple(dict.fromkeys(values)))
            for (name, operator), values in found.items()
            if values
        ]
        return filters, having, used

    def _numbers(self, masked: str) -> list[tuple[int, int, int]]:
        said = self.lexicon.numbers
        words = "|".join(re.escape(word) for word in said) or "(?!)"
        pattern = self.wording.compiled(rf"(?<![\w.])(?:(?:{NEGATIVE})?\d{{1,9}}|{words})(?![\w.]*\w)")
        found = ((m.start(), m.end(), m.group().lower()) for m in pattern.finditer(masked))
        return [(start, end, said[text] if text in said else int(text)) for start, end, text in found]

    def _counts_something(self, words: Words, end: int) -> bool:
        named = any(self._adjoins(words.masked, end, start) for start, _, _ in words.labels)
        return named or bool(self.wording.compiled(r"\s*‹relation›").match(words.masked[end:]))

    def _is_counted_before(self, before: str) -> bool:
        """True if a bound follows the thing whose count it bounds: `topiknya lebih dari 4`."""
        return bool(self.wording.compiled(r"\b‹counted_before›\s+(?:‹exceeds›|[<>]=?)\s*$").search(before))

    def _numeric_word(self, words: Words, start: int, end: int) -> tuple[int, str] | None:
        between = self.wording.compiled(r"\W*(?:‹before_number›|[=<>\s])*\W*")
        for word_start, word_end, name in words.properties:
            if name in self._numeric and word_end <= start and between.fullmatch(words.masked[word_end:start]):
                return word_start, name
        for word_start, _, name in words.properties:
            if name in self._numeric and word_start >= end and not words.masked[end:word_start].strip():
                return word_start, name
        return None

    def _comparison(self, before: str) -> str | None:
        for name, written, sign in _COMPARISONS:
            if self.wording.compiled(rf"(?:‹{name}›{written})[\s$€£]*$").search(before):
                return sign
        return None

    # -- what is missing, parts of texts

    def _of_missing(self, words: Words, used: set[int]) -> list[Filter]:
        """Conditions on properties that some nodes lack: `tidak punya jalur`, `jalur yang ada`."""
        filters = []
        for start, end, name in words.properties:
            label = next((label for label, types in self.schema.nodes.items() if name in types), "")
            if start in used or not self._optional(Place(label, name)):
                continue
            before, after = words.masked[:start], words.masked[end:]
            each = self.wording.compiled(r"\b‹each›\s*$")
            lacks = self.wording.compiled(r"‹lacks›\s*$").search(before)
            if Ask.NOT in words.asks and (lacks or self.wording.compiled(r"\s*‹is_missing›").match(after)):
                filters.append(Filter(label, name, "null", ()))
                used.add(start)
            elif each.search(before) or self.wording.compiled(r"\s*‹has›").match(after):
                filters.append(Filter(label, name, "not null", ()))
        return filters

    def _optional(self, place: Place) -> bool:
        """True if some nodes of the label have the property and others don't."""
        most = max((count for held, count in self.values.counts.items() if held.label == place.label), default=0)
        return 0 < self.values.counts.get(place, 0) < most

    def _of_texts(self, words: Words, used: set[int]) -> list[Filter]:
        """Conditions on a part of a text instead of a stored value: `namanya mengandung kata Jaringan`."""
        filters = []
        for match in self.wording.compiled(_PART_OF_TEXT).finditer(words.question):
            text = (match["quoted"] or match["word"] or "").strip()
            named = [*words.mentions, *(Mention(start, end, name, ()) for start, end, name in words.labels)]
            if not text or any(m.start < match.end() and match.start("what") < m.end for m in named):
                continue
            before = [(start, name) for start, end, name in words.properties if end <= match.start()]
            said = [name for start, _, name in words.labels if start < match.start()]
            label = next(iter(said), self.schema.labels[0])
            start, name = before[-1] if before else (-1, self.naming.display(label)[0])
            owners = [
                *(said[::-1] if before else said),
                label,
                *(held for held, types in self.schema.nodes.items() if name in types),
            ]
            owner = next((held for held in owners if name in self.schema.nodes[held]), label)
            used.add(start)
            way = next(operator for group, operator in _WAYS.items() if match[group])
            filters.append(Filter(owner, name, way, (text,)))
        return filters

    def _adjoins(self, text: str, end: int, start: int) -> bool:
        """True if at most one function word stands between two offsets."""
        return end <= start and bool(self.wording.compiled(r"\W*(?:‹small›\b\W*)?").fullmatch(text[end:start]))


def blanked(text: str, spans: Sequence[Span | Mention], by: str = " ") -> str:
    """The text with these spans replaced by spaces or another character."""
    for held in spans:
        start, end = (held.start, held.end) if isinstance(held, Mention) else held[:2]
        text = text[:start] + by * (end - start) + text[end:]
    return text
