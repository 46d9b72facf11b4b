"""Phrases by their first words: the longest that begins at a place. It knows no meanings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

Phrase = tuple[str, ...]


class Phrasebook:
    """Some phrases of folded words."""

    __slots__ = ("_known", "_sizes")

    def __init__(self, phrases: Iterable[str | Phrase]) -> None:
        """`phrases`: words, or texts in which a space stands between them."""
        self._known = {tuple(each.split()) if isinstance(each, str) else each for each in phrases} - {()}
        self._sizes: dict[str, tuple[int, ...]] = {}
        for phrase in self._known:
            self._sizes[phrase[0]] = tuple(sorted({len(phrase), *self._sizes.get(phrase[0], ())}, reverse=True))

    def begins(self, word: str) -> bool:
        """Whether a phrase may begin with this word."""
        return word in self._sizes

    def at(self, words: Sequence[str], at: int) -> Phrase:
        """The longest phrase that begins there; none is empty."""
        if at < len(words):
            for size in self._sizes.get(words[at], ()):
                phrase = tuple(words[at : at + size])
                if phrase in self._known:
                    return phrase
        return ()

    def find(self, words: Sequence[str], stems: Sequence[str] = ()) -> Iterator[tuple[int, Phrase]]:
        """Where phrases stand, from left to right, none inside another. `stems`: the words, as they may also be."""
        end = 0
        for at, word in enumerate(words):
            known = word in self._sizes or (stems and stems[at] in self._sizes)
            if at >= end and known and (phrase := self.at(words, at) or self.at(stems, at)):
                end = at + len(phrase)
                yield at, phrase
