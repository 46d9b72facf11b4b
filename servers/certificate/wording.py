"""The slots in a letter's lines: which there are, and how they are filled. Pure; it knows no letter."""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape

CASES: Mapping[str, Callable[[str], str]] = {"": str, "upper": str.upper, "lower": str.lower, "title": string.capwords}
"""How a slot may say that its value is written: `{nama:upper}`; `title` is Each Word."""


class _Word(str):
    __slots__ = ()

    def __format__(self, case: str) -> str:
        return escape(CASES[case](self))


def slots(line: str) -> frozenset[str]:
    """The names in braces in a line of a letter. Raises ValueError for a case that isn't one of CASES."""
    found = [(name, case) for _, name, case, _ in string.Formatter().parse(line) if name is not None]
    for name, case in found:
        if case not in CASES:
            raise ValueError(f"{{{name}:{case}}} is none of {', '.join(f'{{{name}:{one}}}' for one in CASES if one)}")
    return frozenset(name for name, _ in found)


def fill(line: str, words: Mapping[str, str]) -> str:
    """A line of a letter with its slots filled; words from outside can't become markup."""
    return escape(line).format_map({name: _Word(word) for name, word in words.items()})
