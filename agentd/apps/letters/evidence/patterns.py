"""The regular expressions by which a tool says what a code looks like. It reads no conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

_CHARACTER = r"(?:\[[^\]\\]{1,99}\]|\\[dw/.-]|[\w /-])"
_PART = re.compile(_CHARACTER + r"(?:\{(\d{1,3})(,)?(\d{0,3})\}|([?+*]))?")
_PLAIN = re.compile(r"\^?(?:\(\?:)?((?:" + _CHARACTER + r"(?:\{\d{1,3}(?:,\d{0,3})?\}|[?+*])?){1,99})\)?\$?")
"""Characters in a row, read alike everywhere: no group that repeats, no alternatives."""
_WAYS = 4096
"""In so many ways at most may a text be shared among the parts of varying length: a match takes no longer."""
_PIECES = 8
"""Words and marks of which a code may be written (`2026/2027` is three)."""
_LONGEST = 64
"""Characters of a code."""


def plain(pattern: str) -> str:
    """The pattern, if it is a plain one that compiles; empty where it isn't."""
    try:
        re.compile(pattern)
    except re.error:
        return ""
    found = _PLAIN.fullmatch(pattern)
    return pattern if found is not None and prod(map(_lengths, _PART.finditer(found[1]))) <= _WAYS else ""


def _lengths(part: re.Match[str]) -> int:
    """How many lengths a part may have."""
    least, comma, most, sign = part.groups()
    if sign or comma:
        return 2 if sign == "?" else int(most) - int(least) + 1 if most else _LONGEST
    return 1


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
