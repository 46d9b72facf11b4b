"""An answer while it is written: its text out of the JSON action, shown as far as it passed a check. No JSON parser."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable

from agentd.agent.text import encodable

_START = re.compile(r'"action"\s*:\s*"final"\s*,\s*"response"\s*:\s*"')
NEAR = 256
"""Characters in which an action's beginning is found; one with more blanks in it is shown when it is whole."""
_WHOLE = re.compile(
    r"""(?:[^"\\]++                                         # a text as it stands
    |\\["\\/bfnrt]                                          # an escape
    |\\u(?![dD][89abAB])[0-9a-fA-F]{4}                      # any character of four digits
    |\\u[dD][89abAB][0-9a-fA-F]{2}                          # half of a character, then
        (?:\\u[dD][c-fC-F][0-9a-fA-F]{2}                    # its other half, or
        |(?=[^\\]|\\[^u]|\\u(?:[^dD]|[dD][^c-fC-F])))       # anything else
    )*+""",
    re.VERBOSE,
)
"""The part of a JSON text, from its start, in which no escape is cut off."""


class AnswerText:
    """Feed it the raw pieces of a turn; it gives back what is new of a `final` action's response."""

    def __init__(self) -> None:
        self._begun = False
        self._waiting = ""

    def feed(self, piece: str) -> str:
        """The new text in this piece: escapes decoded, surrogate pairs whole, nothing before or after the response."""
        self._waiting += piece
        if not self._begun:
            found = _START.search(self._waiting)
            if found is None:
                self._waiting = self._waiting[-NEAR:]
                return ""
            self._begun, self._waiting = True, self._waiting[found.end() :]
        whole = _WHOLE.match(self._waiting)
        assert whole is not None
        self._waiting = self._waiting[whole.end() :]
        return encodable(json.loads(f'"{whole[0]}"', strict=False))


_END = re.compile(r"[.!?]\s|\n")
PORTION = 8
"""What is checked at once is at least this part of what was shown: all checks together are linear in the answer."""


class CheckedText:
    """Shows whole sentences that `passes` lets pass; behind one that doesn't, nothing until the whole answer did."""

    def __init__(self, passes: Callable[[str], Awaitable[bool]], show: Callable[[str], None]) -> None:
        self._passes = passes
        self._show = show
        self._answer = AnswerText()
        self._shown = ""
        self._held: list[str] = []
        self._length = 0
        self._last = ""
        self._ended = False
        self._checking: asyncio.Task[None] | None = None

    def feed(self, piece: str) -> None:
        """Take in a raw piece of the turn; what is whole now is checked, and shown a little later."""
        text = self._answer.feed(piece)
        self._held.append(text)
        self._length += len(text)
        self._ended = self._ended or _END.search(self._last + text) is not None
        self._last = text[-1:] or self._last
        if self._may_check() and self._checking is None:
            self._checking = asyncio.create_task(self._check(), name="check-answer")

    def _may_check(self) -> bool:
        return self._ended and self._length * PORTION >= len(self._shown)

    async def _check(self) -> None:
        while self._may_check():
            held = "".join(self._held)
            whole = held[: max(found.end() for found in _END.finditer(held))]
            self._held, self._length, self._ended = [held[len(whole) :]], len(held) - len(whole), False
            if not await self._passes(whole):
                return
            self._told(whole)
        self._checking = None

    def _told(self, text: str) -> None:
        self._shown += text
        self._show(text)

    def stop(self) -> None:
        """Cancel the check under way, so that nothing more is shown."""
        if self._checking is not None:
            self._checking.cancel()

    def finish(self, answer: str) -> None:
        """Show the rest of an answer that has passed as a whole."""
        if answer.startswith(self._shown) and len(answer) > len(self._shown):
            self._told(answer[len(self._shown) :])
