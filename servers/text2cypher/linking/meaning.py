"""What an unknown word means: a known word with another affix, or a name of the graph that is closest by embedding.

Similarities of words are too close together for a threshold; the lead of the nearest name over the next one is
meaningful. `kapten` is near the skipper, but `cuaca` near no name in a graph of ships.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from hardening.e5 import e5
from servers.text2cypher.linking.language import QUOTED, languages
from servers.text2cypher.linking.names import root, stem

AHEAD = 0.02
"""The required lead of the nearest name over the next (similarities range from 0.78 to 0.97)."""
SHORTEST = 5
"""The fewest letters of a shared stem, so that it isn't coincidence."""
MOST_UNKNOWN, LONGEST = 32, 40
"""How many unknown words of a question are embedded, and of how many letters: a long one takes seconds."""
MOST_NAMES = 200  # of more, none has a lead, and embedding them takes seconds


class Meanings:
    """`phrases`: phrase → name; `words`: the lexicon's. Embeds the names at the first unknown word.

    Keeps no word of a question.
    """

    def __init__(self, phrases: Mapping[str, str], words: frozenset[str]) -> None:
        self._phrases = phrases if len(set(phrases.values())) <= MOST_NAMES else {}
        self._known = languages().words | words
        built = ((stem(word), word) for word in (*sorted(languages().words), *sorted(words)))
        self._built = {held: word for held, word in built if len(held) >= SHORTEST}
        self._roots = {root(word) for phrase in phrases for word in phrase.split()}

    def written(self, question: str, values: Sequence[tuple[int, int]]) -> str:
        """Replaces unknown words outside stored values by known ones of the same stem: `dukungan`, `mendukung`."""

        def known(found: re.Match[str]) -> str:
            word = found[0].lower()
            stored = any(start < found.end() and found.start() < end for start, end in values)
            return found[0] if stored or self._is_known(word) else self._built.get(stem(word), found[0])

        return re.sub(r"\b[^\W\d_]{4,}\b", known, question)

    def bare(self, question: str, values: Sequence[tuple[int, int]], taken: Collection[str]) -> str:
        """The question without unknown words, except in quotes, names and stored values."""

        def left(found: re.Match[str]) -> str:
            inside = any(start < found.end() and found.start() < end for start, end in values)
            word = found[0] if found[0].isalpha() and found[0].islower() else ""
            return found[0] if inside or not word or word in taken or self._is_known(word) else ""

        return " ".join(re.sub(rf"{QUOTED}|\b[^\W\d_]{{3,}}\b", left, question).split())

    def likened(self, question: str) -> tuple[tuple[str, str, float], ...]:
        """(word, name, similarity) for each unknown word that is near a name."""
        words = dict.fromkeys(re.findall(r"[^\W\d_]{4,}", question.lower()))
        unknown = (word for word in words if len(word) <= LONGEST and not self._is_known(word))
        near = ((word, self._nearest(word)) for word in islice(unknown, MOST_UNKNOWN))
        return tuple((word, *found) for word, found in near if found is not None)

    def knows(self, name: str) -> bool:
        """True if a capitalised word of it is known to a language or the graph."""
        return any(self._is_known(word.lower()) for word in name.split() if word[0].isupper())

    def _is_known(self, word: str) -> bool:
        bare = {word, *(word.removesuffix(clitic) for clitic in languages().clitics)}
        return bool(bare & self._known or {root(form) for form in bare} & self._roots)

    def _nearest(self, word: str) -> tuple[str, float] | None:
        """(the nearest name, similarity from 0 to 1); None if no name has a lead over the others."""
        best: dict[str, float] = {}
        likes = self._vectors @ e5().passage([word])[0] if self._phrases else ()
        for name, like in zip(self._phrases.values(), likes, strict=True):
            best[name] = max(best.get(name, 0.0), float(like))
        name, other = [*sorted(best, key=lambda held: -best[held]), "", ""][:2]
        return (name, round(best[name], 3)) if name and best[name] - best.get(other, 0.0) >= AHEAD else None

    @cached_property
    def _vectors(self) -> Any:
        return e5().passage(list(self._phrases))
