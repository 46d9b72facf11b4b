"""Long numbers that identify somebody (NIK, KK, telephone): finds runs of digits, also grouped or spelled out."""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.text import fold
from agentd.apps.letters.evidence.normalisers.numbers import DIGIT_WORDS

SIXTEEN = frozenset({"nik", "kk"})
"""The kinds of numbers with sixteen digits."""
_GROUPING = frozenset({"-", ".", " ", ")"})
"""`(` begins a number only: `(021) 5551234`."""


def runs(words: Sequence[str], at_least: int) -> list[tuple[int, int, str]]:
    """(start, end, digits) of every run of digits: `3175064501900003`, `3175 0645 …`, `0812-3456-789`, or in words."""
    found: list[tuple[int, int, str]] = []
    at = 0
    while at < len(words):
        if not (words[at].isdecimal() or words[at] in DIGIT_WORDS):
            at += 1
            continue
        start, digits = at, ""
        while at < len(words):
            if words[at].isdecimal():
                if len(digits) + len(words[at]) > 16 and len(digits) >= at_least:
                    break
                digits += words[at]
            elif words[at] in DIGIT_WORDS:
                digits += str(DIGIT_WORDS[words[at]])
            elif not (words[at] in _GROUPING and at + 1 < len(words) and words[at + 1].isdecimal()):
                break
            at += 1
        if len(digits) >= at_least:
            found.append((start, at, digits))
    return found


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
