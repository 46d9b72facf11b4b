"""Finds stored values in a question, including typos and variants of codes. Knows values, not meanings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from servers.text2cypher.graph.backend import GraphBackend
from servers.text2cypher.graph.schema import STRING
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import root
from servers.text2cypher.linking.near import NearTexts, most_like

MOST_VALUES = 100_000
"""The most values of one property; of more, only the first ones are indexed."""
FEW_VALUES = 12  # a property with no more distinct values than this is a choice, like tipe or jalur
LONGEST_VALUE = 120
MANY_VALUES = 100
"""The most distinct values of a property whose values are also found by their root: `consumers` for Consumer."""
QUOTES = ("'", '"', "`", "‘", "“", "«")
_LETTERS = 4  # min. letters of a lower-case word that is a value by itself
_SMALL = 3  # max. letters of a lower-case word in a name


@dataclass(frozen=True)
class Place:
    """The label and property where a value is stored."""

    label: str
    property: str


@dataclass(frozen=True)
class Mention:
    """A span of the question that names stored values; `exact` is False for a near miss."""

    start: int
    end: int
    value: str
    places: tuple[Place, ...]
    exact: bool = True


class ValueIndex:
    """All distinct string values of a graph, by folded form."""

    def __init__(self, values: dict[Place, list[str]], said: Mapping[str, Sequence[str]] | None = None) -> None:
        self._by_fold: dict[str, dict[Place, str]] = {}
        self._by_code: dict[str, str] = {}
        self._by_root: dict[str, str] = {}
        self.distinct: dict[Place, int] = {}
        self.counts: dict[Place, int] = {}
        self._samples = values
        for place, held in values.items():
            unique = dict.fromkeys(held)
            self.distinct[place], self.counts[place] = len(unique), len(held)
            for value in unique:
                if 1 < len(value) <= LONGEST_VALUE:
                    self._by_fold.setdefault(folded(value), {})[place] = value
                    if re.search(r"\d", value) and not re.fullmatch(r"[\d.,]+", value) and len(value.split()) <= 2:
                        self._by_code.setdefault(re.sub(r"\W", "", value.lower()), folded(value))
                    if len(unique) <= MANY_VALUES and value.isalpha() and len(value) >= _LETTERS:
                        self._by_root.setdefault(root(value), folded(value))
        for value, phrases in (said or {}).items():
            if folded(value) in self._by_fold:
                self._by_fold.update((folded(phrase), self._by_fold[folded(value)]) for phrase in phrases)
        self._longest = max((len(fold.split()) for fold in self._by_fold), default=0)
        self._near = NearTexts(self._by_fold)

    @classmethod
    def of(cls, backend: GraphBackend, said: Mapping[str, Sequence[str]] | None = None) -> ValueIndex:
        """Reads the live graph, at most MOST_VALUES per property; `said`: value → other names for it."""
        values: dict[Place, list[str]] = {}
        for label, properties in backend.schema.nodes.items():
            for name, kind in properties.items():
                if kind == STRING:
                    values[Place(label, name)] = backend.texts(label, name, MOST_VALUES)
        return cls(values, said)

    def sample(self, place: Place, count: int) -> list[str]:
        """Some stored values of one property."""
        return self._samples.get(place, [])[:count]

    def is_choice(self, place: Place) -> bool:
        """True if a property has few distinct values that are used often."""
        return self.distinct[place] <= FEW_VALUES and self.counts[place] >= 2 * self.distinct[place]

    @cached_property
    def choices(self) -> list[str]:
        """Every value of the choice properties."""
        held = (value for places in self._by_fold.values() for place, value in places.items() if self.is_choice(place))
        return list(dict.fromkeys(held))

    def identifies(self, place: Place) -> bool:
        """True if the property mostly identifies nodes of its label."""
        return self.distinct.get(place, 0) * 2 > self.counts.get(place, 0)

    def find(self, question: str, labelled: Iterable[int] = (), known: Iterable[str] = ()) -> list[Mention]:
        """The mentions from left to right; of overlapping ones the longest.

        `labelled`: offsets directly after a word for a label or property; there a single lower-case word may be a name.
        There, in capitalised names and in several unknown words, a near miss may be a typo, unless it is one of the
        `known` words.
        """
        words = [(w.start(), w.end()) for w in re.finditer(r"\w+(?:[.\-]\w+)*", question)]
        after, ordinary = set(labelled), frozenset(known)
        plain = languages().words | {word for phrase in ordinary for word in phrase.split()}
        taken: list[Mention] = []

        def free(sizes: Iterable[int]) -> Iterator[tuple[int, int, int]]:
            """(start, end, words) of word sequences of these sizes that overlap no mention so far."""
            for size in sizes:
                for (start, _), (_, end) in zip(words, words[size - 1 :], strict=False):
                    if not any(start < m.end and m.start < end for m in taken):
                        yield start, end, size

        for start, end, _ in free(range(min(self._longest, len(words)), 0, -1)):
            exact = self._exact(question, start, end, start in after, ordinary)
            if found := exact or self._of_word(question[start:end], start, ordinary):
                taken.append(found)
        for start, end, size in free((4, 3, 2, 1)):
            said = question[start:end]
            named = start > words[0][0] and _is_name(said)
            unknown = size > 1 and not {*said.split()} & plain
            own = said.lower() in ordinary or (said.islower() and root(said) in _roots_of(ordinary))
            if (start in after or named or unknown) and not own and (found := self._close(said, start, end)):
                taken.append(found)
        return sorted(taken, key=lambda m: m.start)

    def _exact(self, question: str, start: int, end: int, labelled: bool, ordinary: frozenset[str]) -> Mention | None:
        text = question[start:end]
        fold = folded(text)
        if fold not in self._by_fold and re.search(r"\d", text):
            fold = self._by_code.get(re.sub(r"\W", "", text.lower()), fold)
        if fold not in self._by_fold:  # `wajibnya` is said of Wajib
            stems = (fold.removesuffix(ending) for ending in languages().clitics if fold.endswith(ending))
            fold = next((stem for stem in stems if stem in self._by_fold), fold)
        held = self._by_fold.get(fold)
        if not held:
            return None
        if fold.isdecimal() and not labelled:
            return None  # a number, not a text of digits
        named = len(fold.split()) > 1 or labelled or bool(re.search(r"\d", fold)) or text[0].isupper()
        words = languages()
        if fold in words.function or fold in words.cues or fold in ordinary:  # `are` is no ARE, and `list` no tag
            plain = text.islower() and question[:start][-1:] not in QUOTES
            places = [place for place in held if text == held[place] and not plain]
        else:
            said = fold == text and root(fold) in _roots_of(ordinary)  # `released` is said of release_date
            places = [place for place in held if not said and (named or self.is_choice(place))]
        if not places:
            return None
        value = text if text in {held[place] for place in places} else held[places[0]]
        return Mention(start, end, value, tuple(place for place in places if held[place] == value))

    def _of_word(self, word: str, start: int, known: frozenset[str]) -> Mention | None:
        """A value of one word in lower case or in the plural, if neither a language nor a name has this word."""
        if len(word) < _LETTERS or not (word.islower() and word.isalpha()):
            return None
        language = languages()
        by_root = "" if word in language.irregular else self._by_root.get(root(word), "")
        fold = word if word in self._by_fold else by_root
        if not fold or word in language.words - language.nouns.keys() - {*language.nouns.values()}:
            return None
        if root(word) in _roots_of(known):
            return None
        places = self._by_fold[fold]
        return Mention(start, start + len(word), next(iter(places.values())), tuple(places))

    def _close(self, text: str, start: int, end: int) -> Mention | None:
        """A mention of the stored value whose spelling is nearest; None if none is near or a number differs."""
        fold = folded(text)
        if len(fold) < 5:
            return None
        near = self._near.nearest(fold)
        if near is None or _digits(near) != _digits(fold):  # another number isn't a misspelling
            return None
        held = self._by_fold[near]
        return Mention(start, end, next(iter(held.values())), tuple(held), exact=False)

    def nearest(self, place: Place, text: str, count: int = 3) -> list[str]:
        """The stored values of one property that are most similar to `text`."""
        held = {fold: values[place] for fold, values in self._by_fold.items() if place in values}
        return [held[fold] for fold in most_like(folded(text), list(held), count, least=0.4)]


def _is_name(text: str) -> bool:
    """True if the words are capitalised, except for small ones between or before them."""
    words = text.split()
    return any(word[0].isupper() for word in words) and all(word[0].isupper() or len(word) <= _SMALL for word in words)


@lru_cache(1)
def _roots_of(phrases: frozenset[str]) -> set[str]:
    """The roots of all words of these phrases."""
    return {root(word) for phrase in phrases for word in phrase.split()}


def _digits(text: str) -> str:
    return "".join(letter for letter in text if letter.isdigit())


def folded(text: str) -> str:
    """A text in the form for comparing values: lower case, single spaces, no punctuation except dots within words."""
    return " ".join(re.sub(r"[^\w.]+|\.(?!\w)", " ", text.lower()).split())
