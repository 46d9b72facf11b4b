"""A sentence of the letter service that is in no language yet, and the error of a value that carries one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from servers.certificate.languages import DEFAULT, OfficeWords, words


@dataclass(frozen=True)
class Message:
    """A key of `[messages]` in languages/*.toml, and what fills its places. Its `str` is in the default language."""

    key: str
    values: Mapping[str, object] = field(default_factory=dict)

    def in_words(self, spoken: OfficeWords) -> str:
        """The sentence in a language."""
        return spoken.say(self.key, **self.values)

    def __str__(self) -> str:
        return self.in_words(words(DEFAULT))


class WrongValue(ValueError):
    """A value that its field doesn't take; `message` finishes "<label>: …", for the citizen."""

    def __init__(self, key: str, **values: object) -> None:
        self.message = Message(key, values)
        super().__init__(str(self.message))
