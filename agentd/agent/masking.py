"""Numbers that no text may keep: a citizen's in what is shown for operation (logs, errors), PINs in anything."""

from __future__ import annotations

import re
from typing import Any

_NUMBER = re.compile(r"(?<![0-9a-f])(?=\d*[a-f])(?P<id>[0-9a-f]{32}(?:[0-9a-f]{8})?)(?![0-9a-f])|\d(?:[ .-]?\d){5,}")
"""A number; or a random id of ours, in which digits stand side by side by chance."""


def mask(text: str) -> str:
    """Runs of six digits and more (NIK, KK, phone, however spaced) keep their first two only: `31••••`.

    Ids of 32 or 40 hexadecimal digits, as the daemon makes for runs and sessions, stay whole.
    """
    return _NUMBER.sub(lambda found: found["id"] or found[0][:2] + "••••", text)


def mask_all(value: Any) -> Any:
    """The same for every text inside a JSON value; numbers of six digits and more become texts."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: mask_all(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [mask_all(inner) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 100_000:
        return mask(str(value))
    return value


HIDDEN = "••••••"
_WORD = r"\bp\.?\s?i\.?\s?n\b"
_DIGITS = r"(?<!\d)\d(?:[ .-]?\d){5}(?!\d)"
_PIN_WORD = re.compile(_WORD, re.IGNORECASE)
_SIX = re.compile(_DIGITS)
_SIX_ALONE = re.compile(r"\W*\d(?: ?\d){5}\W*")
_NIK = re.compile(r"(?<!\d)\d{16}(?!\d)")
_AFTER = re.compile(rf"({_WORD}\D{{0,30}}){_DIGITS}", re.IGNORECASE)
_BEFORE = re.compile(rf"{_DIGITS}(\D{{0,12}}{_WORD})", re.IGNORECASE)


def looks_like_pin(text: str) -> bool:
    """Six digits beside the word PIN, or with nothing else than a NIK: an amount has its unit or its point."""
    others = _NIK.sub(" ", text)
    return bool((_PIN_WORD.search(text) and _SIX.search(others)) or _SIX_ALONE.fullmatch(others))


def without_pin(text: str) -> str:
    """The text with dots for six digits next to the word PIN, or beside nothing but a NIK.

    Six digits alone stay: where a question was asked, they may be an amount.
    """
    if _NIK.search(text) and _SIX_ALONE.fullmatch(_NIK.sub(" ", text)):
        return _SIX.sub(HIDDEN, text)
    return _BEFORE.sub(rf"{HIDDEN}\1", _AFTER.sub(rf"\1{HIDDEN}", text))
