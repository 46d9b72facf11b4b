"""RT and RW: the two small numbers of an Indonesian address. It reads `RT 3/RW 7`, `rt/rw 003/007`, `RT tiga`."""

from __future__ import annotations

from collections.abc import Sequence

from agentd.apps.letters.evidence.numbers import spoken

_SKIPPED = frozenset(
    {".", ":", "-", "/", "no", "nomor", ". ", ", ", "nya", "saya", "adalah", "itu", "is", "jadi", "ganti", "ke"}
)


def numbers(words: Sequence[str]) -> list[int]:
    """The small numbers (up to three digits) in folded words, written or spoken."""
    found: list[int] = []
    at = 0
    while at < len(words):
        if words[at].isdecimal():
            if len(words[at]) <= 3:
                found.append(int(words[at]))
            at += 1
        elif (said := spoken(words, at)) is not None:
            if said[0] < 1000:
                found.append(said[0])
            at = said[1]
        else:
            at += 1
    return found


def leading(words: Sequence[str]) -> list[int]:
    """The small numbers with which a segment begins: one for `RT 3`, two for `RT/RW 3/7` or `3 dan 7`."""
    found: list[int] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word.isdecimal() and len(word) <= 3:
            found.append(int(word))
            at += 1
        elif (said := spoken(words, at)) is not None and said[0] < 1000:
            found.append(said[0])
            at = said[1]
        elif word in _SKIPPED or word in ("dan", "and", "sama", "rt", "rw"):
            at += 1
        else:
            break
    return found


def value(text: str) -> int | None:
    """The number of an RT or RW value: `3`, `003`, `RT 03`."""
    words = [word for word in text.casefold().replace(".", " ").split() if word not in ("rt", "rw")]
    joined = "".join(words).removeprefix("rt").removeprefix("rw")
    return int(joined) if joined.isdecimal() and joined.isascii() and len(joined) <= 3 else None
