"""The end of a server's standard error, limited in size, with secrets and personal data removed."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

_NUMBER = re.compile(r"\d{5,}")
_UNPRINTABLE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[^\x20-\x7e\u00a0-\uffff]")
_STRUCK = "…"
_CONFIDED, _CONFIDED_AT_ONCE, _LONGEST = 2000, 200, 2000
_LAST_LINE = 200
_CLOSING = re.compile(r"(?:Node\.js|Bun) v\d|note: run with `RUST")
_CAUSE = re.compile(r"(?:Uncaught )?\w*Error\b|error: |thread '.*' panicked")
_ERROR = re.compile(r"(?:ERROR|CRITICAL)\b")
_OUR_ERROR = re.compile(r"(?:ERROR|CRITICAL) servers\.")
"""Our own servers don't log personal data (hardening/logs.py)."""
_MOST_ERRORS, _LONGEST_ERROR = 50, 1000


class StderrTail:
    """Keeps the last bytes of standard error and the values that must not be shown with them.

    Secrets are the server's own environment and credentials. Confided values are the arguments and results of recent
    calls, which are citizens' data; case is ignored. Numbers of five or more digits are always removed.
    """

    def __init__(self, limit: int, secrets: Iterable[str] = ()) -> None:
        self._limit = limit
        self._bytes = bytearray()
        self._secrets = {value for value in secrets if len(value) >= 6}
        self._confided: deque[str] = deque(maxlen=_CONFIDED)
        self._begun = ""
        self._reported: set[str] = set()

    def feed(self, data: bytes) -> None:
        """Append the data and drop what exceeds the limit."""
        self._bytes += data
        del self._bytes[: -self._limit]

    def errors(self, data: bytes) -> list[str]:
        """Return new error lines that end in these bytes, for the daemon's log: each line once, and a limited number.

        After citizens' data went to the server, only our own servers' lines: other servers may log such data.
        """
        *lines, begun = (self._begun + data.decode("utf-8", "replace")).split("\n")
        self._begun = begun[:_LONGEST_ERROR]
        reports = _OUR_ERROR if self.confided else _ERROR
        found = (
            self.struck(_UNPRINTABLE.sub(" ", line[:_LONGEST_ERROR])).strip() for line in lines if reports.match(line)
        )
        new = [line for line in dict.fromkeys(found) if line not in self._reported]
        new = new[: _MOST_ERRORS - len(self._reported)]
        self._reported.update(new)
        return new

    def confide(self, value: Any) -> None:
        """Never show this value again, nor the strings inside it (only the first ones, and their beginning)."""
        for text in islice(_texts(value), _CONFIDED_AT_ONCE):
            beginning = text[:_LONGEST]
            self._confided.extend(word for word in (beginning, *beginning.split()) if len(word) >= 3)

    @property
    def confided(self) -> bool:
        """True after personal data was sent to this process."""
        return bool(self._confided)

    def struck(self, text: str) -> str:
        """Return the text without secrets, confided values and long numbers."""
        folded, said = text.casefold(), self._secrets.union(self._confided)
        if values := sorted((value for value in said if value.casefold() in folded), key=len, reverse=True):
            text = re.sub("|".join(map(re.escape, values)), _STRUCK, text, flags=re.IGNORECASE)
        return _NUMBER.sub(_STRUCK, text)

    def text(self) -> str:
        """Return everything kept, on one line, for the log."""
        text = self.struck(self._bytes.decode("utf-8", "replace"))
        lines = (_UNPRINTABLE.sub(" ", line).strip() for line in text.splitlines())
        return " | ".join(line for line in lines if line)

    def last_line(self) -> str:
        """Return the last line, to be shown to people; empty after citizens' data went to the server. Where a runtime
        closes with a line of its own, the last error above it."""
        lines = self.text().split(" | ")
        if _CLOSING.match(lines[-1]):
            lines = [line for line in lines if _CAUSE.match(line)] or lines
        return "" if self.confided else lines[-1][:_LAST_LINE]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
