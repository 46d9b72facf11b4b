"""Parses times of day as people say them: `jam 7 malam`, `quarter past five`, `19.00`. Ignores whose time it is."""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.normalisers.clock import UNTIL, at_clock, count, first_clock
from agentd.apps.letters.evidence.normalisers.numbers import DIGIT_WORDS, SPOKEN
from agentd.apps.letters.languages import phrases

_FIRST = SPOKEN | {phrase.split()[0] for known in phrases().clock.values() for phrase in known}
"""Words, other than numbers, that a time of day may begin with."""
HALF_A_DAY = 12 * 60
_FAR = 3
"""How far after an hour its part of the day is searched, in words (`3:45 in the afternoon`)."""

Hour = tuple[int, int, int]
"""(index of the first word, index after the last word, minutes since midnight)."""


def hour(value: str) -> int | None:
    """The time of day if the value contains exactly one: `19:00`, `19.00`, `jam 7 malam`."""
    hits = hours(folded_tokens(value))
    return hits[0][2] if len(hits) == 1 else None


def at(words: Sequence[str], start: int) -> int | None:
    """The time of day that begins at an index of folded words."""
    return next((minutes for first, _, minutes in hours(words) if first == start), None)


def hours(words: Sequence[str]) -> list[Hour]:
    """Every time of day in folded words. A bare number needs minutes, a clock word or a part of the day to count."""
    found: list[Hour] = []
    at = 0
    while at < len(words):
        ends = bool(found) and found[-1][1] == at - 1 and words[at - 1] in UNTIL
        hit = _hour(words, at, bare=ends) if words[at].isdecimal() or words[at] in _FIRST else None
        if hit is None:
            at += 1
            continue
        found[len(found) - ends :] = _range(words, found[-1], hit) if ends else [hit]
        at = hit[1]
    return found


def _range(words: Sequence[str], first: Hour, last: Hour) -> list[Hour]:
    """The two hours of a range, of which one may name the part of the day for both: `jam 7 sampai 10 malam`."""
    said = [bool(parts(words[start:end])) for start, end, _ in (first, last)]
    if said[0] == said[1] or not first[2] % HALF_A_DAY < last[2] % HALF_A_DAY:
        return [first, last]
    late = max(first[2], last[2]) >= HALF_A_DAY
    return [(start, end, minutes % HALF_A_DAY + HALF_A_DAY * late) for start, end, minutes in (first, last)]


def _hour(words: Sequence[str], at: int, *, bare: bool) -> Hour | None:
    start = at
    part = _part(words, at)
    before = part[0] if part else ""
    at += part[1] if part else 0
    clock = at_clock(words, at, "at")
    at += clock
    shift, begun = _begun(words, at)
    at += begun
    number, end = count(words, at)
    packed = _packed(words, at, said=clock > 0) if number is None else None
    if packed:
        number, end = packed[0], at + 1
    if number is None or number > 24:
        return _named(words, start) or (_named(words, at, shift, start) if begun or clock else None)
    clock += (oclock := at_clock(words, end, "oclock"))
    at = end + oclock
    minutes, size = (packed[1], 0) if packed else _minutes(words, at)
    if not packed and not size and (pair := _pair(words, at, said=bool(clock or before))):
        minutes, size = pair
    at += size
    if at + 1 < len(words) and words[at] == "." and words[at + 1].isdecimal():
        return None  # `23.04.2022`
    number_after, stop = count(words, at + 1) if words[at : at + 1] and words[at] in UNTIL else (None, at)
    ranged = number_after is not None
    after = _part_after(words, stop + _minutes(words, stop)[1] if ranged else at)
    if not (clock or begun or size or after or before or bare):
        return None
    after = None if ranged else after
    if after is not None and not before:
        at += after[1]
    total = _of_day(number, after[0] if after else before) * 60 + minutes + shift
    return (start, at, total % 1440) if minutes < 60 else None


def _named(words: Sequence[str], at: int, shift: int = 0, start: int | None = None) -> Hour | None:
    """`midnight`, `at noon`, `a quarter past noon`."""
    key, size = first_clock(words, at, "midday", "midnight")
    return (at if start is None else start, at + size, ((key == "midday") * 720 + shift) % 1440) if size else None


def _part_after(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """The part of the day shortly after an hour, if no other number is in between: `3:45 in the afternoon`."""
    for far in range(_FAR):
        if hit := _part(words, at + far, far):
            return hit
        if at + far >= len(words) or count(words, at + far)[0] is not None or words[at + far] in UNTIL:
            return None
    return None


def _packed(words: Sequence[str], at: int, *, said: bool) -> tuple[int, int] | None:
    """(hour, minutes) of three or four digits behind a word for an hour or before a part of the day: `jam 1930`."""
    if at >= len(words) or not words[at].isdecimal() or len(words[at]) not in (3, 4):
        return None
    alone = not "".join(words[at + 1 : at + 2]).isalnum() or at_clock(words, at + 1, "oclock")
    clock = said and (alone or _part_after(words, at + 1))
    return divmod(int(words[at]), 100) if clock or _part(words, at + 1) else None


def _pair(words: Sequence[str], at: int, *, said: bool) -> tuple[int, int] | None:
    """(minutes, words) said as a second number: `ten forty five pm`, `jam 7 30`."""
    zero = at < len(words) and DIGIT_WORDS.get(words[at]) == 0
    minutes, end = count(words, at + zero)
    if minutes is None or not (0 < minutes < 10 if zero else 10 <= minutes < 60):
        return None
    alone = end == len(words) or not words[end][0].isalnum()
    return (minutes, end - at) if (said and alone) or _part_after(words, end) else None


def _begun(words: Sequence[str], at: int) -> tuple[int, int]:
    """(minutes, words) of `quarter past`, `half past`, `ten past`, `setengah` before an hour."""
    first, end = count(words, at)
    key, size = first_clock(words, end, "minutes_first", "minutes_before")
    if first is not None and first < 60 and size:
        return first if key == "minutes_first" else -first, end + size - at
    part, size = first_clock(words, at, "quarter", "half", "half_to")
    minutes = 15 if part == "quarter" else 30
    key, more = first_clock(words, at + size, "past", "to")
    if more and part in ("quarter", "half"):
        return minutes if key == "past" else -minutes, size + more
    if part == "half_to":
        return -30, size
    return (30, size) if part == "half" and count(words, at + size)[0] is not None else (0, 0)  # `half six`


def _minutes(words: Sequence[str], at: int) -> tuple[int, int]:
    """(minutes, words) after an hour: `:45`, `.15`, `lewat 10`, `kurang 5`, `seperempat`."""
    if at + 1 < len(words) and words[at] in (":", ".", "h") and words[at + 1].isdecimal() and len(words[at + 1]) == 2:
        seconds = at + 3 < len(words) and words[at + 2] == ":" and words[at + 3].isdecimal()
        return int(words[at + 1]), 4 if seconds else 2
    key, size = first_clock(words, at, "past", "to")
    if size and words[at] not in UNTIL:  # `from 7 to 10`
        quarter = at_clock(words, at + size, "quarter")
        number, end = (15, at + size + quarter) if quarter else count(words, at + size)
        if number is not None and number < 60:
            return number if key == "past" else -number, end - at
    size = at_clock(words, at, "quarter")
    return (15, size) if size else (0, 0)


def _part(words: Sequence[str], at: int, far: int = 0) -> tuple[str, int] | None:
    """(part of the day, number of words up to its end) at an index, or None."""
    key, size = first_clock(words, at, "morning", "noon", "evening", "night")
    return (key, far + size) if size else None


def _of_day(number: int, part: str) -> int:
    """The hour of 24 that is meant by an hour of twelve and a part of the day."""
    if part == "morning":
        return number % 12
    if part == "noon":
        return number + 12 if number <= 7 else number
    if part == "night" and not 4 < number < 12:  # `12 malam`, `jam 1 malam`
        return number % 12 if number <= 12 else number
    return number + 12 if part in ("evening", "night") and number < 12 else number


def parts(words: Sequence[str]) -> frozenset[str]:
    """The parts of the day that folded words name."""
    return frozenset(part[0] for at in range(len(words)) if (part := _part(words, at)) is not None)


def within(part: str) -> range:
    """The minutes since midnight that may be in a part of the day."""
    return {"morning": range(12 * 60), "noon": range(10 * 60, 16 * 60)}.get(part, range(12 * 60, 24 * 60))
