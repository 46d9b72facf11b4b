"""A person's PIN in what they write: seen, and taken out before the text is kept."""

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
