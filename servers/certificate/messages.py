"""A message of the letter service before translation, and the error of a value that carries one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from servers.certificate.languages import DEFAULT, OfficeWords, words


@dataclass(frozen=True)
class Message:
    """A key of `[messages]` in languages/*.toml with its placeholders' values. `str` gives the default language."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)

    def in_words(self, spoken: OfficeWords) -> str:
        """Return the sentence in a language."""
        return spoken.say(self.key, **self.values)

    def __str__(self) -> str:
        return self.in_words(words(DEFAULT))


class WrongValue(ValueError):
    """A value that its field rejects; `message` completes "<label>: …" for the citizen."""

    def __init__(self, key: str, **values: object) -> None:
        self.message = Message(key, values)
        super().__init__(str(self.message))
