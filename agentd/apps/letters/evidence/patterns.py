"""The regular expressions by which a tool says what a code looks like. It reads no conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

_PLAIN = re.compile(
    r"\^?(?:\(\?:)?(?:(?:\[[^\]\\]{1,99}\]|\\[dw/.-]|[\w /-])(?:\{\d{1,3}(?:,\d{0,3})?\}|[?+*])?){1,99}\)?\$?"
)
"""Patterns of characters in a row, read alike everywhere and in few steps: no group that repeats, no alternatives."""
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
    return pattern if _PLAIN.fullmatch(pattern) else ""


def matching(pattern: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """(first word, word after the last) of each run that a code's pattern matches as a whole, the longest first."""
    found: list[tuple[int, int]] = []
    read, at = re.compile(pattern, re.IGNORECASE), 0
    while at < len(words):
        ends = range(min(len(words), at + _PIECES), at, -1)
        runs = ((end, "".join(words[at:end])) for end in ends)
        end = next((end for end, run in runs if len(run) <= _LONGEST and read.fullmatch(run)), None)
        found += [(at, end)] if end is not None else []
        at = end or at + 1
    return found
