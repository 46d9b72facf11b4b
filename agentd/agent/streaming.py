"""The answer's text out of a JSON action that is still being written, as far as it has come. Not a JSON parser."""

from __future__ import annotations

import json
import re

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
