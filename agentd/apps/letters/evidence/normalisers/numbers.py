"""Parses numbers as people write and say them, in Indonesian and English. Doesn't know what they count."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from itertools import takewhile

from agentd.agent.languages import words as all_words
from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrasebook
from agentd.apps.letters.languages import phrases

_WORDS = all_words()
DIGIT_WORDS = _WORDS.digits
_MORE = {word: int(key) for key, known in phrases().lengths.items() if key.isdecimal() for word in known}
"""Numbers that also multiply the number before them: `a dozen`, `two dozen`."""
_TEENS = {**_WORDS.numbers, **_WORDS.ordinals, **_MORE}
_SCALES = {**_MORE, **_WORDS.scales}
_GLUE = _WORDS.number_joiners | {"-"}
_BETWEEN = _WORDS.number_joiners | {","}
_TEN = frozenset(phrases().lengths["+10"])
LONGEST = 32
"""The most words of one number; the longest that people say have about twenty."""
SPOKEN = frozenset(DIGIT_WORDS) | frozenset(_TEENS) | frozenset(_SCALES) | _TEN


def spoken(words: Sequence[str], start: int) -> tuple[int, int] | None:
    """(value, end) of the number in words at `start` (`sembilan belas`, `dua ribu lima`, `twenty one`), or None.

    Each word must fit into those before it: `one twenty` and `fifteenth nine` are two numbers each.
    """
    total, last = 0, 0  # the thousands, and the smallest of their scales
    group = room = 0  # what is said after them, and what a further word must be below
    at = end = start
    while at < min(start + LONGEST, len(words)):
        word, first = words[at], end == start
        value, scale = DIGIT_WORDS.get(word, _TEENS.get(word)), _SCALES.get(word, 0)
        digit = DIGIT_WORDS.get(words[at - 1], 0) if at == end and not first else 0
        if value is not None and value >= 1000 and (first or (value < last and not group)):
            total, last, room = total + value, value, 1000
        elif value is not None and (first or 0 < value < room):
            group, room = group + value, 100 if value >= 100 else 10 if value >= 20 else 0
            if word in _WORDS.ordinals:
                return total + group, at + 1
        elif digit and (word in _TEN or scale == 10):
            group, room = (group + 10, 0) if word in _TEN else (group + digit * 9, 10)
        elif scale == 100 and at == end and group % 100:
            group, room = group + group % 100 * 99, 100
        elif scale >= 1000 and not first and (scale < last if group and last else scale > last):
            total, last = total + group * scale if last and group else (total + group) * scale, scale
            group, room = 0, 1000
        elif word in _GLUE and at == end and not first and (word == "-" or room >= 100):
            at += 1
            continue
        else:
            break
        at = end = at + 1
    return (total + group, end) if end > start else None


def amounts(words: Sequence[str]) -> list[Decimal]:
    """Every amount in folded words: `2.500.000`, `2,5 juta`, `500 rb`, `dua juta lima ratus ribu`."""
    return [value for _, _, value in found(words)]


def found(words: Sequence[str]) -> list[tuple[int, int, Decimal]]:
    """(start, end, amount) of every amount in folded words."""
    hits: list[tuple[int, int, Decimal]] = []
    at = 0
    while at < len(words):
        if hit := _amount(words, at):
            signed = tuple(words[max(0, at - 1) : at]) in _MINUS or tuple(words[max(0, at - 2) : at]) in _SIGNED
            hits.append((at, hit[1], -hit[0] if signed else hit[0]))
        at = hit[1] if hit else at + 1
    return hits


def year(words: Sequence[str], at: int) -> tuple[int | None, int]:
    """(year, index after it) at an index: `1990`, `dua ribu lima`, `nineteen ninety five`.

    One of two digits counts only if its century is clear (90 is 1990, 05 is 2005; 21 to 35 could be either).
    """
    if at < len(words) and words[at].isdecimal():
        number, size = int(words[at][:4]), len(words[at])
        century = 0 if size == 4 else 2000 if number <= 20 else 1900 if number > 35 else None
        return (None if century is None or size not in (2, 4) else century + number), at + 1
    said, end = spoken(words, at) or (None, at)
    for middle in range(at + 1, min(at + 3, len(words)) if said and said < 1000 else 0):
        first = middle + (words[middle] == "-")
        zero = DIGIT_WORDS.get("".join(words[first : first + 1])) == 0  # `nineteen zero one`
        head, tail = spoken(words[at:middle], 0), spoken(words, first + zero)
        century = head[0] if head and head[1] == middle - at else 0
        if century in (19, 20) and tail and tail[0] in (range(1, 10) if zero else range(10, 100)):
            return century * 100 + tail[0], tail[1]
    return (None if said and said < 1000 else said), end


def years(words: Sequence[str]) -> list[tuple[int, int, Decimal]]:
    """(start, end, year) of every year in folded words; one of two digits only behind the word for it: `tahun 98`."""
    hits: list[tuple[int, int, Decimal]] = []
    for at, word in enumerate(words):
        named = not word.isdecimal() or len(word) == 4 or unit(words[max(0, at - 1) : at]) == "year"
        if named and (not hits or at >= hits[-1][1]) and (hit := year(words, at))[0]:
            hits.append((at, hit[1], Decimal(hit[0] or 0)))
    return hits


def _amount(words: Sequence[str], at: int) -> tuple[Decimal, int] | None:
    """(amount, end) at an index: `2,5 juta`, `satu setengah juta`, `dua koma lima juta`, `1 juta 500 ribu`."""
    if (first := _scaled(words, at)) is None:
        return None
    value, end, scale = first
    while end < len(words) and words[end].isdecimal() and (more := _scaled(words, end)):
        if more[2] == 1 or more[0] >= scale:
            break
        value, end, scale = value + more[0], more[1], more[2]
    return value, end


def _scaled(words: Sequence[str], at: int) -> tuple[Decimal, int, int] | None:
    """(amount, end, scale) of a number and at most one scale: `1,5 juta` is 1,500,000 with the scale 1,000,000.

    The scale is 1 where none is said, and behind a half (`satu juta setengah`), which nothing smaller follows.
    """
    if (said := _halved(words, at)) is None:
        return None
    value, end = said
    scale = _SCALES.get(words[end], 1) if end < len(words) else 1
    if scale == 1:
        return value, end, 1
    half = len(_HALVES.at(words, end + 1))
    return value * scale + (Decimal(scale) / 2 if half else 0), end + 1 + half, 1 if half else scale


def _halved(words: Sequence[str], at: int) -> tuple[Decimal, int] | None:
    """(number, end) at an index, with its fraction: `2,5`, `dua koma lima`, `two and a half`, `setengah` (`juta`)."""
    nth = phrases().ordinals.get(words[at])
    said = _written(words, at) if words[at].isdecimal() else (nth, at + 1) if nth else spoken(words, at)
    value, end = (Decimal(said[0]), said[1]) if said else (Decimal(0), at)
    if said and end < len(words) and words[end] in _POINTS and (digits := _digits(words, end + 1)):
        value, end = Decimal(f"{value}.{digits}"), end + 1 + len(digits)
    half = len(_HALVES.at(words, end))
    counted = words[end + half] if half and end + half < len(words) else ""
    whole = said and half and (not counted or words[end] in _GLUE)  # `two and a half`
    if whole or counted in _SCALES or (counted and _LENGTH_BOOK.begins(counted)):
        return value + Decimal("0.5"), end + half
    return (value, end) if said else None


def _digits(words: Sequence[str], at: int) -> str:
    """The digits of a fraction in words, one a word: `dua koma lima`."""
    return "".join(str(DIGIT_WORDS[word]) for word in takewhile(DIGIT_WORDS.__contains__, words[at : at + 4]))


_SIZES = (
    {"minute": "1", "hour": "60", "day": "1440", "week": "10080"},
    {"month": "1", "year": "12"},
    {"cm": "1", "m": "100", "km": "100000", "inch": "2.54", "foot": "30.48", "mile": "160934.4"},
    {"g": "1", "ons": "100", "kg": "1000", "quintal": "100000", "ton": "1000000", "pound": "453.59237"},
    {"ml": "1", "liter": "1000"},
)
"""The units of each kind that is measured, each in the first of them."""
_UNITS = {unit: (kind, Decimal(size)) for kind, sizes in enumerate(_SIZES) for unit, size in sizes.items()}
_MINUS = [(word,) for word in phrases().lengths["-"]]
_SIGNED = [(mark, "-") for mark in ":=("]
"""Before a number below zero; a hyphen alone may also begin an item of a list or a range."""
_HALVES, _POINTS = Phrasebook(phrases().lengths["0.5"]), frozenset(phrases().lengths["."])
_LENGTHS = {
    tuple(each.split()): key.split() for key, known in phrases().lengths.items() if key[-1].isalpha() for each in known
}
_LENGTH_BOOK = Phrasebook(_LENGTHS)


def unit(words: Sequence[str]) -> str:
    """The only unit among folded words; empty if there is none or several. A letter alone may be anything (`I'm`)."""
    named = (_LENGTHS[phrase] for _, phrase in _LENGTH_BOOK.find(words) if len(phrase[0]) > 1)
    only, *others = {each[0] for each in named if len(each) == 1} or {""}
    return "" if others else only


def counts_other(words: Sequence[str], end: int, wanted: str) -> bool:
    """Whether a number before an index is in another unit of the wanted one's kind: `2` of `2 hours` for minutes."""
    said = _LENGTHS.get(_LENGTH_BOOK.at(words, end), [""])[-1] if wanted else ""
    return said not in ("", wanted) and _UNITS[said][0] == _UNITS[wanted][0]


def lengths(words: Sequence[str], wanted: str) -> list[tuple[int, int, Decimal]]:
    """(start, end, amount in the wanted unit) of every length: `half an hour` is 30 minutes, `setahun` 12 months.

    `2 years and 3 months` is one.
    """
    if not (named := list(_LENGTH_BOOK.find(words))):
        return []
    numbered = {end: (start, amount) for start, end, amount in found(words)}
    into = _UNITS[wanted]
    hits: list[tuple[int, int, Decimal]] = []
    smallest = Decimal(0)
    for at, phrase in named:
        *number, said = _LENGTHS[phrase]
        start, amount = (at, Decimal(number[0])) if number else numbered.get(at, (at, None))
        if number and at and _HALVES.begins(words[at - 1]):  # `half an hour`
            start, amount = at - 1, Decimal(number[0]) / 2
        kind, size = _UNITS[said]
        if amount is None or kind != into[0]:
            continue
        end = at + len(phrase)
        half = len(_HALVES.at(words, end))
        hit = start, end + half, (amount + Decimal(half > 0) / 2) * size / into[1]
        if hits and size < smallest and all(word in _BETWEEN for word in words[hits[-1][1] : start]):
            hit = hits[-1][0], hit[1], hits.pop()[2] + hit[2]
        hits.append(hit)
        smallest = size
    return hits


def value(text: str) -> Decimal | None:
    """The amount if the text contains exactly one, or None."""
    try:
        return Decimal(text)
    except InvalidOperation:
        said = amounts(folded_tokens(text))
        return said[0] if len(said) == 1 else None


def _written(words: Sequence[str], at: int) -> tuple[Decimal, int]:
    """(number, end) of digits at an index; a mark before three of them groups, another one begins the fraction."""
    whole = words[at]
    at += 1
    while at + 1 < len(words) and words[at] in ".," and len(words[at + 1]) == 3 and words[at + 1].isdecimal():
        whole += words[at + 1]
        at += 2
    if at + 1 < len(words) and words[at] in ".," and words[at + 1].isdecimal():
        return Decimal(f"{whole}.{words[at + 1]}"), at + 2
    return Decimal(whole), at
