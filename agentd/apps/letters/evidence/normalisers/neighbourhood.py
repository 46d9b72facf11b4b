"""RT and RW: the two small numbers of an Indonesian address. It reads `RT 3/RW 7`, `rt/rw 003/007`, `RT tiga`."""

from __future__ import annotations

from collections.abc import Sequence

from agentd.apps.letters.evidence.normalisers.numbers import spoken
from agentd.apps.letters.languages import phrases

_SKIPPED = phrases().beside_neighbourhood


def numbers(words: Sequence[str], *, anywhere: bool = False) -> list[int]:
    """The small numbers at the start of a segment: one for `RT 3`, two for `RT/RW 3/7` or `3 dan 7`.

    `anywhere`: all small numbers (up to three digits) in folded words, in digits or words.
    """
    found: list[int] = []
    at = 0
    while at < len(words):
        word = words[at]
        said = (int(word), at + 1) if word.isdecimal() and len(word) <= 3 else spoken(words, at)
        if said is not None and said[0] < 1000:
            found.append(said[0])
        elif not (anywhere or word in _SKIPPED):
            break
        at = said[1] if said is not None else at + 1
    return found


def value(text: str) -> int | None:
    """The number of an RT or RW value (`3`, `003`, `RT 03`), or None."""
    words = [word for word in text.casefold().replace(".", " ").split() if word not in ("rt", "rw")]
    joined = "".join(words).removeprefix("rt").removeprefix("rw")
    return int(joined) if joined.isdecimal() and joined.isascii() and len(joined) <= 3 else None
