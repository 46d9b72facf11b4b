"""The letter types that this office offers, read from folders and reloaded when they change. Issues nothing."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

from hardening.files import stamp
from servers.certificate.letters.checking import conflicts, mistakes
from servers.certificate.letters.lettertype import LetterType, LetterTypeError, load
from servers.certificate.letters.ownkinds import file_of

Stamps = tuple[tuple[int, int, int], ...]
"""What tells whether a letter's files have changed."""

log = logging.getLogger(__name__)


class Catalogue:
    """All letter types by key, in the order they are offered. A later folder's type replaces one of the same name."""

    def __init__(self, folders: Sequence[Path], signers: Collection[str] = ()) -> None:
        """`signers` are the office's: a type that needs another signer isn't offered."""
        self._folders, self._signers = folders, signers
        self._seen: dict[Path, Stamps] | None = None
        self.types: dict[str, LetterType] = {}
        self.refresh()

    def refresh(self) -> bool:
        """Reload what changed on disk; returns True if the offered types changed.

        Each mistake of an unusable folder is logged, and its type is left out until corrected; the others stay.
        """
        try:
            seen = self._look()
        except OSError as error:  # a folder was moved during the scan: the next scan sees the result
            log.warning("letter folders could not be read: %s", error)
            return False
        if seen == self._seen:
            return False
        self._seen = seen
        found: dict[str, LetterType] = {}
        for folder, stamps in seen.items():
            try:
                found[folder.name] = _loaded(folder, stamps)
            except LetterTypeError:
                for mistake in mistakes(folder):
                    log.error("letter type left out: %s", mistake)
        types = dict(sorted(found.items(), key=lambda item: (item[1].order, item[0])))
        for letter, key, what in conflicts([*types.values()], self._signers):
            log.error("letter type left out: %s: %s: %s", letter.key, key, what)
            types.pop(letter.key, None)
        changed = types != self.types
        self.types = types
        return changed

    def named(self, name: str) -> LetterType | None:
        """Return the type with this key, tool, title (in any language) or alias."""
        wanted = _fold(name.removeprefix("generate_"))
        for letter in self.types.values():
            if wanted in map(_fold, (letter.key, letter.title, *letter.titles.values(), *letter.aliases)):
                return letter
        return None

    def elsewhere(self, name: str, language: str) -> str | None:
        """Return the answer for a letter that another office issues, or None."""
        wanted = _fold(name)
        for letter in self.types.values():
            for other, answer in letter.elsewhere.items():
                if wanted == _fold(other):
                    return letter.word_in(answer, language)
        return None

    def _look(self) -> dict[Path, Stamps]:
        seen: dict[Path, Stamps] = {}
        for parent in self._folders:
            children = sorted(parent.iterdir()) if parent.is_dir() else []
            for folder in children:
                if folder.is_dir() and not folder.name.startswith((".", "_")):
                    files = (folder / "letter.toml", folder / "letter.txt", file_of(folder))
                    seen[folder] = tuple(map(stamp, files))
        return seen


@lru_cache(maxsize=128)
def _loaded(folder: Path, _stamps: Stamps) -> LetterType:
    """Load a folder with these modification times; cached, since most folders don't change."""
    return load(folder)


def _fold(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())
