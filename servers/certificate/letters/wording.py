"""Finds and fills the slots in a letter's lines. No I/O; it knows no letters."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape

CASES: Mapping[str, Callable[[str], str]] = {"": str, "upper": str.upper, "lower": str.lower, "title": string.capwords}
"""Letter cases that a slot may request: `{nama:upper}`; `title` is Each Word."""


class _Word(str):
    __slots__ = ()

    def __format__(self, case: str) -> str:
        return escape(CASES[case](self))


def slots(line: str) -> frozenset[str]:
    """Return the slot names in a line of a letter. Raises ValueError for a case that isn't one of CASES, and for a
    conversion (`{nama!s}`), whose text would not be escaped."""
    found = [(name, case, turned) for _, name, case, turned in string.Formatter().parse(line) if name is not None]
    for name, case, turned in found:
        if turned:
            raise ValueError(f"{{{name}!{turned}}} should be {{{name}}}")
        if case not in CASES:
            raise ValueError(f"{{{name}:{case}}} is none of {', '.join(f'{{{name}:{one}}}' for one in CASES if one)}")
    return frozenset(name for name, _, _ in found)


def fill(line: str, words: Mapping[str, str]) -> str:
    """Fill the slots of a line; values are escaped and can't become markup."""
    return escape(line).format_map({name: _Word(word) for name, word in words.items()})
