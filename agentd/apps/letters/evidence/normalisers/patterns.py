"""The regular expressions that tools declare for codes. Doesn't read the conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hardening.patterns import bounded

_PLAIN = re.compile(r"\^?(?:\(\?:)?(?:\[[^\]\\]{1,99}\]|\\[dw/.-]|[\w /{},?*+-]){1,999}\)?\$?")
"""A sequence of literal characters and character classes, without alternatives or wildcards."""
_PIECES = 8
"""The most words and marks of a code (`2026/2027` has three)."""
_LONGEST = 64
"""The most characters of a code."""


def plain(pattern: str) -> str:
    """The pattern if it is a simple one that can't be slow to match; otherwise empty."""
    try:
        return bounded(pattern) if _PLAIN.fullmatch(pattern) else ""
    except ValueError:
        return ""


def whole(pattern: str, text: str) -> bool:
    """Whether a code's pattern matches the whole text."""
    return len(text) <= _LONGEST and re.fullmatch(pattern, text, re.IGNORECASE) is not None


def matching(pattern: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """(index of the first word, index after the last) of each run that fully matches a pattern, the longest first."""
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(words):
        ends = range(min(len(words), at + _PIECES), at, -1)
        end = next((end for end in ends if whole(pattern, "".join(words[at:end]))), None)
        found += [(at, end)] if end is not None else []
        at = end or at + 1
    return found
