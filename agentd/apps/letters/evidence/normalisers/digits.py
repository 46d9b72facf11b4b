"""Long numbers that identify somebody (NIK, KK, telephone): finds runs of digits, also grouped or spelled out."""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.text import fold
from agentd.apps.letters.evidence.normalisers.numbers import DIGIT_WORDS
from agentd.apps.letters.languages import phrases

SIXTEEN = frozenset({"nik", "kk"})
"""The kinds of numbers with sixteen digits."""
_GROUPING = frozenset({"-", ".", " ", ")", "/"})
"""`(` begins a number only: `(021) 5551234`."""
_WHOLE = 6
"""From this many digits on, a slash ends a telephone number; other slashes group one that begins with 0 or `+`."""
_TIMES = {word: int(key[1:]) for key, known in phrases().lengths.items() if key[0] == "*" for word in known}
"""Words that repeat the next digit (`double three`), or with 0 are a zero among digits (`oh`)."""


def runs(words: Sequence[str], at_least: int) -> list[tuple[int, int, str]]:
    """(start, end, digits) of every run of digits: `3175064501900003`, `3175 0645 …`, `0812-3456-789`, or in words."""
    found: list[tuple[int, int, str]] = []
    at = 0
    while at < len(words):
        start, digits = at, ""
        while at < len(words):
            said, end = _digit(words, at)
            if said and len(digits) + len(said) > 16 and len(digits) >= at_least:
                break
            if not said and not (digits and _groups(words, start, at)):
                break
            digits, at = digits + said, end
        if len(digits) >= at_least:
            found.append((start, at, digits))
        at = max(at, start + 1)
    return found


def _digit(words: Sequence[str], at: int) -> tuple[str, int]:
    """(the digits that a word says, index after it); no digits for any other word."""
    times, word = _TIMES.get(words[at]), words[at]
    if times is None or at + 1 == len(words):
        return (word if word.isdecimal() else str(DIGIT_WORDS.get(word, ""))), at + 1
    after = str(DIGIT_WORDS.get(words[at + 1], words[at + 1]))
    said = after * times or "0" if len(after) == 1 and after.isdecimal() else ""
    return said, at + 2 if times else at + 1


def _groups(words: Sequence[str], start: int, at: int) -> bool:
    """Whether a mark stands inside a grouped number."""
    dialled = len(words[start]) > 2 and (words[start][0] == "0" or "+" in words[max(0, start - 1) : start])
    slashed = words[at] == "/" and not (dialled and len(words[at - 1]) < _WHOLE)
    return words[at] in _GROUPING and not slashed and "".join(words[at + 1 : at + 2]).isdecimal()


def sixteen(value: str) -> str | None:
    """The 16 digits of a NIK or KK without grouping; None for anything else."""
    digits = "".join(word for word in fold(value))
    return digits if len(digits) == 16 and digits.isdecimal() and digits.isascii() else None


def phone(value: str) -> str | None:
    """A telephone number without its prefix, so that 0812…, +62 812… and 62812… are equal; None for anything else."""
    digits = "".join(fold(value))
    if not (digits.isdecimal() and 7 <= len(digits) <= 15):
        return None
    return digits.removeprefix("62") if digits.startswith("62") else digits.removeprefix("0")


def sex(nik: str) -> str:
    """`p` or `l`: a NIK adds 40 to a woman's day of birth."""
    return "p" if int(nik[6:8]) > 40 else "l"
