"""The regular expressions by which a tool says what a code looks like. It reads no conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hardening.patterns import bounded

_PLAIN = re.compile(r"\^?(?:\(\?:)?(?:\[[^\]\\]{1,99}\]|\\[dw/.-]|[\w /{},?*+-]){1,999}\)?\$?")
"""Characters in a row, read alike everywhere: no alternatives, nothing that may be anything."""
_PIECES = 8
"""The most words and marks of a code (`2026/2027` has three)."""
_LONGEST = 64
"""Characters of a code."""


def plain(pattern: str) -> str:
    """The pattern, if it is a plain one that no text is slow to compare with; empty where it isn't."""
    try:
        return bounded(pattern) if _PLAIN.fullmatch(pattern) else ""
    except ValueError:
        return ""


def whole(pattern: str, text: str) -> bool:
    """Whether a code's pattern matches a whole text."""
    return len(text) <= _LONGEST and re.fullmatch(pattern, text, re.IGNORECASE) is not None


def matching(pattern: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """(first word, word after the last) of each run that a code's pattern matches as a whole, the longest first."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(words):
        ends = range(min(len(words), at + _PIECES), at, -1)
        end = next((end for end in ends if whole(pattern, "".join(words[at:end]))), None)
        found += [(at, end)] if end is not None else []
        at = end or at + 1
    return found
