"""Streams an answer: extracts its text from the unfinished JSON action and shows what passed a check."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable

from agentd.agent.text import encodable

_START = re.compile(r'"action"\s*:\s*"(?:final"\s*,\s*"response"\s*:\s*"|(?P<call>call_tool"|list_tools"))')
NEAR = 256
"""Characters in which an action's beginning is searched; one with more blanks is shown only when complete."""
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
"""The longest start of a JSON string's content in which no escape is cut off."""


class AnswerText:
    """Extracts the response of a `final` action from the raw pieces of a turn."""

    def __init__(self) -> None:
        self._begun = self._calls = False
        self._waiting = ""

    def feed(self, piece: str) -> str:
        """Return the response's new text in this piece: escapes decoded, surrogate pairs never split."""
        self._waiting += piece
        if not self._begun:
            found = _START.search(self._waiting)
            if found is None:
                self._waiting = self._waiting[-NEAR:]
                return ""
            self._begun, self._calls, self._waiting = True, bool(found["call"]), self._waiting[found.end() :]
        if self._calls:  # an answer behind the call rests on a result that the model invented
            return ""
        whole = _WHOLE.match(self._waiting)
        assert whole is not None
        self._waiting = self._waiting[whole.end() :]
        return encodable(json.loads(f'"{whole[0]}"', strict=False))


_END = re.compile(r"[.!?]\s|\n")
PORTION = 8
"""A check covers at least 1/PORTION of the text shown so far, so all checks together are linear in the answer."""


class CheckedText:
    """Shows the complete sentences that pass; after one fails, nothing until the whole answer has passed."""

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
        """Add a raw piece of the turn; start a check of the complete sentences, which shows them if they pass."""
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
            self._show_more(whole)
        self._checking = None

    def _show_more(self, text: str) -> None:
        self._shown += text
        self._show(text)

    def stop(self) -> None:
        """Cancel the running check, so that nothing more is shown."""
        if self._checking is not None:
            self._checking.cancel()

    def finish(self, answer: str) -> None:
        """Show the rest of an answer that has passed as a whole."""
        if answer.startswith(self._shown) and len(answer) > len(self._shown):
            self._show_more(answer[len(self._shown) :])
