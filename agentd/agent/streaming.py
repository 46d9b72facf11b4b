"""The answer's text out of a JSON action that is still being written, character by character. Not a JSON parser."""

from __future__ import annotations

import json
import re

_START = re.compile(r'"action"\s*:\s*"final"\s*,\s*"response"\s*:\s*"')
NEAR = 256
"""Characters in which an action's beginning is found; one with more blanks in it is shown when it is whole."""
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class AnswerText:
    """Feed it the raw pieces of a turn; it gives back what is new of a `final` action's response."""

    def __init__(self) -> None:
        self._raw = ""
        self._at: int | None = None
        self._done = False

    def feed(self, piece: str) -> str:
        """The new text in this piece: escapes decoded, surrogate pairs whole, nothing before the response."""
        if self._done:
            return ""
        before = max(0, len(self._raw) - NEAR)
        self._raw += piece
        if self._at is None:
            found = _START.search(self._raw, before)
            if found is None:
                self._raw = self._raw[-NEAR:]
                return ""
            self._at = found.end()
        text: list[str] = []
        while (step := self._next()) is not None:
            text.append(step)
        return "".join(text)

    def _next(self) -> str | None:
        assert self._at is not None
        if self._at >= len(self._raw):
            return None
        char = self._raw[self._at]
        if char == '"':
            self._done = True
            self._at = len(self._raw)
            return None
        if char != "\\":
            self._at += 1
            return char
        return self._escape()

    def _escape(self) -> str | None:
        """One escape, or None while it is not all there."""
        assert self._at is not None
        escape = self._raw[self._at + 1 : self._at + 2]
        if not escape:
            return None
        if escape != "u":
            self._at += 2
            return _ESCAPES.get(escape, escape)
        unit = self._raw[self._at : self._at + 6]
        if len(unit) < 6:
            return None
        if not re.fullmatch(r"\\u[0-9a-fA-F]{4}", unit):
            self._at += 2
            return ""
        if 0xD800 <= int(unit[2:], 16) < 0xDC00:
            pair = self._raw[self._at : self._at + 12]
            if len(pair) < 12 and pair[6:8] in ("", "\\", "\\u"):
                return None
            if re.fullmatch(r"\\u[dD][c-fC-F][0-9a-fA-F]{2}", pair[6:]):
                self._at += 12
                return str(json.loads(f'"{pair}"'))
        self._at += 6
        value = int(unit[2:], 16)
        return "\ufffd" if 0xD800 <= value < 0xE000 else chr(value)
