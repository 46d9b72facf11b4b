"""Numbers as people write and say them, in Indonesian and English. It reads values; it doesn't know what they count."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

DIGIT_WORDS = {
    **{"nol": 0, "kosong": 0, "satu": 1, "dua": 2, "tiga": 3, "empat": 4, "lima": 5, "enam": 6, "tujuh": 7},
    **{"delapan": 8, "lapan": 8, "sembilan": 9, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5},
    **{"six": 6, "seven": 7, "eight": 8, "nine": 9},
}
_TEENS = {
    **{"sepuluh": 10, "sebelas": 11, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14},
    **{"fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30},
    **{"forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90},
    **{"seratus": 100, "seribu": 1000, "sejuta": 1_000_000},
    **{"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8},
    **{"ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12, "twentieth": 20, "thirtieth": 30},
}
_SCALES = {
    **{"puluh": 10, "ratus": 100, "hundred": 100, "ribu": 1000, "rb": 1000, "thousand": 1000, "juta": 1_000_000},
    **{"jt": 1_000_000, "million": 1_000_000, "miliar": 1_000_000_000, "milyar": 1_000_000_000},
}
_GLUE = frozenset({"and", "dan", "-"})
LONGEST = 32
"""Words of one number; the longest that people say has about twenty."""
SPOKEN = frozenset(DIGIT_WORDS) | frozenset(_TEENS) | frozenset(_SCALES) | {"belas"}


def spoken(words: Sequence[str], start: int) -> tuple[int, int] | None:
    """(value, end) of the number in words that begins at `start`: `sembilan belas`, `dua ribu lima`, `twenty one`."""
    total = current = 0
    at = start
    while at < min(start + LONGEST, len(words)):
        word = words[at]
        if word in DIGIT_WORDS:
            current += DIGIT_WORDS[word]
        elif word == "belas" and at > start:
            current += 10
        elif word in _TEENS:
            current += _TEENS[word]
        elif word in _SCALES and at > start:
            scale = _SCALES[word]
            if scale == 10:
                current += (current % 10) * 9
            elif scale == 100:
                current += (current % 10) * 99
            else:
                total, current = (total + current) * scale if total < scale else total + current * scale, 0
        elif not (word in _GLUE and at > start and at + 1 < len(words) and words[at + 1] in SPOKEN):
            break
        at += 1
    return (total + current, at) if at > start else None


def spoken_digits(words: Sequence[str], start: int) -> tuple[str, int] | None:
    """(digits, end) of digits said one by one from `start`: `tiga satu tujuh lima`."""
    at = start
    while at < len(words) and words[at] in DIGIT_WORDS:
        at += 1
    return ("".join(str(DIGIT_WORDS[word]) for word in words[start:at]), at) if at > start else None


def amounts(words: Sequence[str]) -> list[Decimal]:
    """Every amount in folded words: `2.500.000`, `2,5 juta`, `500 rb`, `dua juta lima ratus ribu`."""
    found: list[Decimal] = []
    at = 0
    while at < len(words):
        if words[at].isdecimal():
            value, at = _written(words, at)
            if at < len(words) and words[at] in _SCALES:
                value, at = value * _SCALES[words[at]], at + 1
            found.append(value)
        elif (said := spoken(words, at)) is not None:
            found.append(Decimal(said[0]))
            at = said[1]
        else:
            at += 1
    return found


def value(text: str) -> Decimal | None:
    """The one amount that a whole text is."""
    try:
        return Decimal(text)
    except InvalidOperation:
        found = amounts(text.casefold().replace("rp", " ").split())
        return found[0] if len(found) == 1 else None


def _written(words: Sequence[str], at: int) -> tuple[Decimal, int]:
    whole = words[at]
    at += 1
    while at + 1 < len(words) and words[at] in ".," and len(words[at + 1]) == 3 and words[at + 1].isdecimal():
        whole += words[at + 1]
        at += 2
    if at + 1 < len(words) and words[at] in ".," and words[at + 1].isdecimal():
        return Decimal(f"{whole}.{words[at + 1]}"), at + 2
    return Decimal(whole), at
