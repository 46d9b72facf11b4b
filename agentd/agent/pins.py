"""Detects a PIN in a person's message and masks it before the text is stored."""

from __future__ import annotations

import re

from agentd.agent.languages import words

HIDDEN = "••••••"
_APART = r"\.?\s?"
_WORD = rf"\b(?:{'|'.join(map(_APART.join, words().pin))})\b"
_DIGITS = r"(?<!\d)\d(?:[ .-]?\d){5}(?!\d)"
_PIN_WORD = re.compile(_WORD, re.IGNORECASE)
_SIX = re.compile(_DIGITS)
_SIX_ALONE = re.compile(r"\W*\d(?: ?\d){5}\W*")
_NIK = re.compile(r"(?<!\d)\d{16}(?!\d)")
_AFTER = re.compile(rf"({_WORD}\D{{0,30}}){_DIGITS}", re.IGNORECASE)
_BEFORE = re.compile(rf"{_DIGITS}(\D{{0,12}}{_WORD})", re.IGNORECASE)


def looks_like_pin(text: str) -> bool:
    """Whether the text has six digits and the word PIN, or consists of six digits with or without a NIK."""
    others = _NIK.sub(" ", text)
    return bool((_PIN_WORD.search(text) and _SIX.search(others)) or _SIX_ALONE.fullmatch(others))


def without_pin(text: str) -> str:
    """Mask six digits that are next to the word PIN or accompanied only by a NIK.

    Six digits alone stay: as the answer to a question they may be an amount.
    """
    if _NIK.search(text) and _SIX_ALONE.fullmatch(_NIK.sub(" ", text)):
        return _SIX.sub(HIDDEN, text)
    return _BEFORE.sub(rf"{HIDDEN}\1", _AFTER.sub(rf"\1{HIDDEN}", text))
