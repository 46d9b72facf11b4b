"""The letter types this office offers, read from folders and read again when they change. Issues nothing."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

from servers.certificate.checking import mistakes
from servers.certificate.lettertype import LetterType, LetterTypeError, load
from servers.certificate.ownkinds import file_of

log = logging.getLogger(__name__)


class Catalogue:
    """Every letter type by its key, in the order they are offered. A later folder's type replaces an earlier one's."""

    def __init__(self, folders: Sequence[Path], signers: Collection[str] = ()) -> None:
        """`signers` are the office's: a type that wants another one can't be offered."""
        self._folders, self._signers = folders, signers
        self._seen: dict[Path, tuple[float, ...]] | None = None
        self.types: dict[str, LetterType] = {}
        self.refresh()

    def refresh(self) -> bool:
        """Read what changed on disk; True when the offered types are others than before.

        A folder that can't be used is logged, a line a mistake, and left out until it is corrected; the rest goes on.
        """
        try:
            seen = self._look()
        except OSError as error:  # a folder moved away while we looked: the next look sees it whole
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
        by_series: dict[str, str] = {}
        for key, letter in list(types.items()):
            if letter.signer is not None and letter.signer not in self._signers:
                log.error(
                    "letter type left out: %s wants the signer %s, whom the office file doesn't have",
                    key,
                    letter.signer,
                )
                del types[key]
            elif (owner := by_series.setdefault(letter.series, key)) != key:
                log.error("letter type left out: %s uses the series %s of %s", key, letter.series, owner)
                del types[key]
        changed = types != self.types
        self.types = types
        return changed

    def named(self, name: str) -> LetterType | None:
        """The type somebody means: its key, its tool, its title in any language or one of its other names."""
        wanted = _fold(name.removeprefix("generate_"))
        for letter in self.types.values():
            if wanted in map(_fold, (letter.key, letter.title, *letter.titles.values(), *letter.aliases)):
                return letter
        return None

    def elsewhere(self, name: str) -> str | None:
        """What to say to somebody who wants a letter that another office issues."""
        wanted = _fold(name)
        for letter in self.types.values():
            for other, answer in letter.elsewhere.items():
                if wanted == _fold(other):
                    return answer
        return None

    def _look(self) -> dict[Path, tuple[float, ...]]:
        seen: dict[Path, tuple[float, ...]] = {}
        for parent in self._folders:
            children = sorted(parent.iterdir()) if parent.is_dir() else []
            for folder in children:
                if folder.is_dir() and not folder.name.startswith((".", "_")):
                    files = (folder / "letter.toml", folder / "letter.txt", file_of(folder))
                    seen[folder] = tuple(file.stat().st_mtime if file.exists() else 0.0 for file in files)
        return seen


@lru_cache(maxsize=128)
def _loaded(folder: Path, _stamps: tuple[float, ...]) -> LetterType:
    """A folder as it was at these times: of many, most have not changed."""
    return load(folder)


def _fold(name: str) -> str:
    return " ".join(name.replace("_", " ").casefold().split())
