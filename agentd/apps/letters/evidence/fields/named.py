"""The phrases for a form's fields, and where a text contains them. Reads no values."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from agentd.agent.text import FILLERS, folded_tokens
from agentd.apps.letters.evidence.fields.shapes import Shape
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrase, Phrasebook
from agentd.apps.letters.evidence.reading.lexicon import ITS, LABELS
from agentd.apps.letters.languages import phrases

_SENSES = phrases().senses
WAYS = frozenset({"origin", "destination"})
"""Direction words (`dari`, `to`): they go with places if the form has one (a city and also the airport's name)."""
_CALL_NO_FLAG = WAYS | {"identifier", "new", "recipient", "city", "place", "artist", "device", "name", "title"}
"""Senses whose words don't name a boolean: `to` of `permissionToEnter`, `number` of `contains_id`."""
_NO_FLAG = frozenset(phrase for sense in _CALL_NO_FLAG for phrase in (sense, *_SENSES.get(sense, ())))
_JOINS = phrases().joins | {","}
_COMMON = FILLERS | phrases().interrogatives
_BIRTH = frozenset({"tanggal_lahir", "tempat_lahir"})
_NUMBERS = [pair for one, forms in phrases().plurals.items() for many in forms for pair in ((one, many), (many, one))]
"""Pairs of singular and plural endings, in both directions."""
BOUNDS = frozenset(tuple(phrase.split()) for phrase in phrases().bounds)
"""Words for a limit or the end of a range, before a value: `sampai`, `more than`."""
SHORTEST = 3
"""The fewest letters of a word in a field's name (`number_of_beds`) that may name the field."""


class Named(NamedTuple):
    """A phrase that names fields: (index of the first word, index after the last, the fields that it may mean)."""

    start: int
    end: int
    keys: frozenset[str]
    plain: bool
    """It is the fields' own name, not just a word that goes with them (`dari`)."""


class Names:
    """Every phrase that names a field of one form; one phrase may name several fields."""

    __slots__ = ("_book", "_own", "_phrases", "_plain", "_vocabulary", "_words")

    def __init__(self, shapes: Mapping[str, Shape], people: Mapping[str, tuple[str, ...]]) -> None:
        """`people`: the words for each of the tool's persons; they go with all fields of that person."""
        found: dict[Phrase, set[str]] = {}
        own: dict[Phrase, set[str]] = {}
        for key, shape in shapes.items():
            for phrase in shape.named():
                own.setdefault(folded_tokens(phrase), set()).add(key)
            born = LABELS["lahir"] if shape.label in _BIRTH else ()
            for phrase in (*shape.named(), *LABELS.get(shape.label, ()), *born):
                found.setdefault(folded_tokens(phrase), set()).add(key)
        self._plain = frozenset(found)
        self._own = {phrase: frozenset(keys) for phrase, keys in own.items()}
        self._words = frozenset(word for phrase in own for word in phrase)
        kinds = {(sense, shape.kind) for shape in shapes.values() for sense in shape.senses}
        for key, shape in shapes.items():
            common = _COMMON | _NO_FLAG if shape.kind == "boolean" else _COMMON
            alone = [(word,) for word in shape.words if len(word) >= SHORTEST and word not in common]
            said = (*people.get(shape.person or "", ()), *_by_sense(shape, kinds))
            for known in (*alone, *map(folded_tokens, said)):
                found.setdefault(known, set()).add(key)
        found.pop((), None)
        none = dict.fromkeys(map(folded_tokens, phrases().no_names), frozenset[str]())
        self._phrases = none | {phrase: frozenset(keys) for phrase, keys in found.items()}
        self._vocabulary = frozenset(word for phrase in self._phrases for word in phrase)
        self._book = Phrasebook(self._phrases)

    def find(self, words: Sequence[str]) -> list[Named]:
        """The phrases in folded words that name a field, preferring the longest, without overlaps."""
        found = self._book.find(words, [self._stem(word) for word in words])
        said = ((at, phrase, self._phrases[phrase]) for at, phrase in found)
        return [Named(at, at + len(phrase), keys, phrase in self._plain) for at, phrase, keys in said if keys]

    def _stem(self, word: str) -> str:
        """The known form of a word: `jadwalnya` → `jadwal`, `copy` → `copies`, if that names a field."""
        word = next((bare for bare in map(word.removesuffix, ITS) if bare in self._vocabulary), word)
        if word in self._vocabulary:
            return word
        forms = (word[: len(word) - len(end)] + other for end, other in _NUMBERS if word.endswith(end))
        return next((form for form in forms if len(form) > SHORTEST and (form,) in self._plain), word)

    def has(self, word: str) -> bool:
        """Whether a word is part of the tool's own name for a field."""
        return word in self._words

    def knows(self, word: str) -> bool:
        """Whether a word is part of any phrase for a field."""
        return word in self._vocabulary

    def asked(self, text: str) -> tuple[Named, ...]:
        """The fields that an agent's message names, each once; a complete name means its field alone.

        Several names may share a word: `nama ayah dan ibu`, `nama, jenis dan alamat usaha`.
        """
        words = folded_tokens(text)
        stems = tuple(map(self._stem, words))
        named = self.find(words)
        tails: dict[int, Phrase] = {}
        head: Phrase = ()
        tail: Phrase = ()
        following, preceding = len(words), 0
        for one in reversed(named):
            tail = words[one.start + 1 : one.end] or (tail if _JOINS.issuperset(words[one.end : following]) else ())
            tails[one.start], following = tail, one.start
        found: dict[frozenset[str], Named] = {}
        for one in named:
            at, last = slice(one.start, one.end), one.end - 1
            head = words[one.start : last] or (head if _JOINS.issuperset(words[preceding : one.start]) else ())
            preceding = one.end
            shared = self._own.get((words[one.start], *tails[one.start])) or self._own.get((*head, stems[last]))
            keys = shared or self._own.get(words[at], one.keys)
            found.setdefault(keys, Named(one.start, one.end, keys, one.plain or shared is not None))
        return tuple(found.values())


def _by_sense(shape: Shape, kinds: set[tuple[str, str]]) -> Iterator[str]:
    """The words for the senses of a field's name; direction words only for places or, without places, for names."""
    for sense in shape.senses - (_CALL_NO_FLAG if shape.kind == "boolean" else frozenset()):
        goes_with = next((kind for kind in ("place", "name") if (sense, kind) in kinds), shape.kind)
        if sense not in WAYS or shape.kind == goes_with:
            yield from _SENSES.get(sense, ())


def among(named: Sequence[Named], words: range) -> Sequence[Named]:
    """The named fields that begin within a range of words."""
    start = attrgetter("start")
    return named[bisect_left(named, words.start, key=start) : bisect_left(named, words.stop, key=start)]


def bounded(words: Sequence[str]) -> bool:
    """Whether words have one for a limit or the end of a range: `sampai selesai`."""
    return any(tuple(words[at : at + size]) in BOUNDS for at in range(len(words)) for size in (1, 2))


def narrow(sets: Iterable[frozenset[str]], among: frozenset[str]) -> frozenset[str]:
    """The fields that several phrases mean together: `tanggal berangkat` is the departure date, not every date."""
    meant = {keys & among for keys in sets} - {frozenset()}
    meant |= {keys & other for keys in meant for other in meant} - {frozenset()}
    return frozenset().union(*(keys for keys in meant if not any(other < keys for other in meant)))


def plainest(keys: frozenset[str], spoken: Sequence[frozenset[str]], shapes: Mapping[str, Shape]) -> frozenset[str]:
    """Drops fields whose longer name has words that nobody said: keeps `account_type`, not the recipient's."""
    kept = set(keys)
    for key in keys & shapes.keys():
        words = set(shapes[key].words)
        for other in keys & shapes.keys():
            plainer = set(shapes[other].words) < words
            if plainer and not any(key in named and other not in named for named in spoken):
                kept.discard(key)
    return frozenset(kept)
