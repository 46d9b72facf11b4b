"""Spans of a message that could be one value, without courtesy words. Evidence decides whether one is a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentd.agent.languages import words as all_words
from agentd.agent.text import FILLERS, folded
from agentd.apps.letters.evidence.normalisers.texts import content
from agentd.apps.letters.evidence.reading.lexicon import SELF
from agentd.apps.letters.evidence.reading.persons import FAMILY
from agentd.apps.letters.languages import phrases

LONGEST = 8
"""Maximum words of a span."""
WHOLE = 64
"""Maximum words of a whole piece that is one value, such as an address or a purpose."""
_LEADING = phrases().weak_purpose | frozenset(all_words().assents)
"""Words before a value: those of a wish and of a yes."""


def longest_first(
    kind: str, raws: Sequence[str], texts: Sequence[str], *, cut: bool = False, parted: bool = False
) -> Iterator[str]:
    """The whole piece without courtesy words, then its shorter spans; `cut`: stop before an RT or RW.

    `parted`: only spans between filler words.
    """
    words = list(raws)
    if cut:
        words = words[: next((at for at, word in enumerate(words) if at and word.casefold() in ("rt", "rw")), None)]
    words = _trimmed(kind, words)
    if LONGEST < len(words) <= WHOLE:
        yield verbatim(words, texts)
    for size in range(min(len(words), LONGEST), 0, -1):
        for at in range(len(words) - size + 1):
            span = words[at : at + size]
            if (not parted or _whole(kind, words, at, at + size)) and _trimmed(kind, span) == span:
                yield verbatim(span, texts)


def _whole(kind: str, words: Sequence[str], start: int, end: int) -> bool:
    """Whether filler words or the piece's ends enclose a span; for a name or place, numbers may enclose it too."""
    numbered = kind in ("name", "place")
    if numbered and any(map(str.isdecimal, words[start:end])):
        return False
    beside = (words[at] for at in (start - 1, end) if 0 <= at < len(words))
    return all(_idle(word) or (numbered and word.isdecimal()) for word in beside)


def _trimmed(kind: str, words: list[str]) -> list[str]:
    """The words without marks, courtesy and joining words at both ends, or words of a wish or a yes before them."""
    start, end = 0, len(words)
    while start < end and (_idle(words[start]) or words[start].casefold() in _LEADING):
        if _begins(kind, words[start:end]):
            break
        start += 1
    while end > start and _idle(words[end - 1]) and words[end - 1].casefold() not in SELF:
        if words[end - 1].isalpha() and len(words[end - 1]) == 1 and words[end - 2].isdecimal():
            break  # keep the A of `No. 3A`
        end -= 1
    while kind == "name" and end > start + 1 and words[start][0].isupper() and words[end - 1][0].islower():
        end -= 1  # `Yoga Pratama tanpa gelar`
    return words[start:end]


def _begins(kind: str, words: Sequence[str]) -> bool:
    """Whether a word that is usually filler begins the value: `I Made Wirawan`, `ibu rumah tangga`."""
    first, after = words[0], "".join(words[1:2])[:1]
    if kind == "name":
        return len(first) == 1 and first.isupper() and after.isupper()
    return first.casefold() in FAMILY and after.isalpha()


def _idle(word: str) -> bool:
    return not word[0].isalnum() or word.casefold() in FILLERS or not content((folded(word),))


def verbatim(raws: Sequence[str], texts: Sequence[str]) -> str:
    """The words as the citizen wrote them."""
    pattern = re.compile(r"\s*".join(re.escape(raw.strip()) for raw in raws if raw.strip()))
    found = (match for text in texts if (match := pattern.search(text)))
    match = next(found, None)
    return " ".join(raws) if match is None else " ".join(match[0].split())
