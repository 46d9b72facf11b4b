"""Finds phrases by their first words, preferring the longest at each position. Knows no meanings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

Phrase = tuple[str, ...]


class Phrasebook:
    """A set of phrases of folded words."""

    __slots__ = ("_known", "_sizes", "firsts", "longest")

    def __init__(self, phrases: Iterable[str | Phrase]) -> None:
        """`phrases`: tuples of words, or strings separated by spaces."""
        self._known = {tuple(each.split()) if isinstance(each, str) else each for each in phrases} - {()}
        self._sizes: dict[str, tuple[int, ...]] = {}
        for phrase in self._known:
            self._sizes[phrase[0]] = tuple(sorted({len(phrase), *self._sizes.get(phrase[0], ())}, reverse=True))
        self.firsts = frozenset(self._sizes)
        self.longest = max(map(len, self._known), default=0)

    def begins(self, word: str) -> bool:
        """Whether a phrase may begin with this word."""
        return word in self._sizes

    def at(self, words: Sequence[str], at: int) -> Phrase:
        """The longest phrase that begins at an index; empty if none does."""
        if at < len(words):
            for size in self._sizes.get(words[at], ()):
                phrase = tuple(words[at : at + size])
                if phrase in self._known:
                    return phrase
        return ()

    def find(self, words: Sequence[str], stems: Sequence[str] = ()) -> Iterator[tuple[int, Phrase]]:
        """(index, phrase) of the phrases in `words`, in order without overlaps. `stems`: alternatives for the words."""
        end = 0
        for at, word in enumerate(words):
            known = word in self._sizes or (stems and stems[at] in self._sizes)
            if at >= end and known and (phrase := self.at(words, at) or self.at(stems, at)):
                end = at + len(phrase)
                yield at, phrase
