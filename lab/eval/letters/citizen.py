"""The citizen of a conversation: chooses the next message from agentd's last answer. Pure; judges nothing.

The citizen is careless on purpose: any summary is answered "ya, benar" unread, so that only agentd can keep a wrong
value off a letter.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from lab.eval.letters.script import Conversation

MORE_TURNS = 7
"""Maximum number of the citizen's messages after the scripted turns."""

_WORDS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


class Citizen:
    """Speaks for one conversation and remembers which fields are still untold."""

    def __init__(self, script: Conversation) -> None:
        self._script = script
        self._left = list(script.later)
        self._said = 0
        self._words = _WORDS[script.language]

    def next(self, answer: str, *, waiting: bool, issued: bool) -> str | None:
        """The next message, or None when there is nothing more to say. `waiting`: a letter waits for a yes."""
        script = self._script
        self._said += 1
        if self._said <= len(script.turns):
            return script.turns[self._said - 1]
        if issued or self._said > len(script.turns) + MORE_TURNS:
            return None
        if waiting:
            return self._words["yes"]
        return self.reply(asked_for(answer, script)) if script.letter else None

    def reply(self, asked: list[str]) -> str:
        """State the requested fields, else all untold ones, else a request to make the letter."""
        fields = asked or self._left
        self._left = [field for field in self._left if field not in fields]
        if not fields:
            return self._words["please"]
        sentence = ", ".join(self._stated(field) for field in fields)
        return f"{sentence[0].upper()}{sentence[1:]}."

    def _stated(self, field: str) -> str:
        script = self._script
        return script.answers.get(field) or self._words[field].format(script.truth[field][0])


def asked_for(answer: str, script: Conversation) -> list[str]:
    """The fields of the truth that an answer mentions."""
    folded = answer.casefold()
    return [field for field in script.truth if re.search(_WORDS["asked"][field], folded)]
