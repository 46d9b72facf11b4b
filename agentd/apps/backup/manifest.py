"""The manifest of a backup: each file with size and SHA-256, the time, and agentd's version. It copies nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ValidationError

from agentd.errors import CommandError
from hardening.files import give, sha256

NAME = "manifest.json"
FORMAT = 1
STATE, LETTERS = "state", "letters"
"""The two parts of a backup: the daemon's files, and what the letter server copied."""


class BackupError(CommandError):
    """A backup can't be made or restored; the text says why and what to do."""


class File(BaseModel, frozen=True):
    """One file; `path` is relative to the backup, with `/`."""

    path: str
    size: int
    sha256: str


class Manifest(BaseModel, frozen=True):
    """`made_at` (ISO 8601): the backup has nothing from after it. `missing` says in words what else must be saved."""

    format: int = FORMAT
    agentd: str
    made_at: str
    files: list[File]
    missing: list[str]


def files_in(folder: Path) -> Iterator[Path]:
    """Every regular file below the folder, sorted."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())


def described(folder: Path, path: Path) -> File:
    """The manifest's entry for the file as it is now."""
    return File(path=path.relative_to(folder).as_posix(), size=path.stat().st_size, sha256=sha256(path))


def verified(folder: Path) -> Manifest:
    """The manifest of an unchanged backup. Raises BackupError that names changed, missing and extra files."""
    try:
        manifest = Manifest.model_validate_json((folder / NAME).read_bytes())
    except FileNotFoundError:
        raise BackupError(f"{folder} has no {NAME}: it is no backup, or one that was not finished") from None
    except ValidationError:
        raise BackupError(f"{folder / NAME} can't be read as a manifest") from None
    if manifest.format > FORMAT:
        raise BackupError(f"{folder} was made by agentd {manifest.agentd}, in a newer form: restore it with that one")
    present = {path.relative_to(folder).as_posix() for path in files_in(folder)} - {NAME}
    named = {file.path for file in manifest.files}
    wrong = [f"{path} is missing" for path in sorted(named - present)]
    wrong += [f"{path} is not in the manifest" for path in sorted(present - named)]
    wrong += [
        f"{file.path} was changed"
        for file in manifest.files
        if file.path in present and described(folder, folder / file.path) != file
    ]
    if wrong:
        raise BackupError(f"{folder} is not as it was made: {'; '.join(wrong[:5])}")
    return manifest


def make_private_folder(folder: Path, owner: os.stat_result | None = None) -> None:
    """Create the folder and its missing parents, accessible only to the owner."""
    for one in reversed([folder, *folder.parents]):
        if not one.exists():
            one.mkdir(mode=0o700)
            if owner is not None:
                give(one, owner)
