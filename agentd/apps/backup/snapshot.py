"""Copies a state folder while a daemon uses it: all databases at one moment, then the letters. Restores nothing.

Runs are copied before letters, so no copied run knows a letter that the copied register lacks. An interrupted run
requests its letter again when it continues, by the same key, and gets the existing one.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from agentd.apps.backup.manifest import (
    LETTERS,
    NAME,
    STATE,
    BackupError,
    Manifest,
    described,
    files_in,
    make_private_folder,
)
from hardening.files import sync

SQLITE = b"SQLite format 3\0"
LOCK_WAIT_S = 30.0
LEFT_OUT = ("letters", "snapshots", "graph", "before-restore-")
"""Not copied here: the letter server copies letters; the others can be made again or were set aside."""
TRAIL = "audit.jsonl"


def begin(state: Path, folder: Path) -> None:
    """Create the backup's folder; raises BackupError, OSError where there can be none."""
    if folder.exists() and any(folder.iterdir()):
        raise BackupError(f"{folder} is not empty: a backup goes into a folder of its own")
    if folder.is_relative_to(state):
        raise BackupError(f"{folder} lies in the state folder itself: a backup goes elsewhere, best to another disk")
    make_private_folder(folder)


def make(
    state: Path, folder: Path, now: Callable[[], datetime], letters: Callable[[Path], str | None], missing: list[str]
) -> Manifest:
    """Copy the state into a new folder; `letters` copies its part into the given folder, or says what is missing.

    Raises BackupError and OSError. The manifest is written last; a folder without it is no backup.
    """
    begin(state, folder)
    loose, databases = _files(state)
    try:
        _copy_databases(state, databases, folder / STATE)
    except sqlite3.Error as error:
        raise BackupError(
            f"the databases were not copied ({error}): is the disk full, or a database damaged?"
        ) from None
    with _still(state / TRAIL):
        for path in loose:
            _copy(path, folder / STATE / path.relative_to(state))
    made_at = now()
    outside = letters(folder / LETTERS)
    for path in (*files_in(folder), *(one for one in folder.rglob("*") if one.is_dir())):
        path.chmod(0o700 if path.is_dir() else 0o600)
        sync(path)
    manifest = Manifest(
        agentd=version("agentd"),
        made_at=made_at.isoformat(),
        files=[described(folder, path) for path in files_in(folder)],
        missing=[*missing, *([outside] if outside else []), *_links(state)],
    )
    part = folder / f"{NAME}.part"
    part.write_text(json.dumps(manifest.model_dump(), indent=1) + "\n", encoding="utf-8")
    part.chmod(0o600)
    sync(part)
    part.rename(folder / NAME)
    sync(folder)
    sync(folder.parent)
    return manifest


def _files(state: Path) -> tuple[list[Path], list[Path]]:
    """(plain files, databases) of the state folder, without locks, sockets and databases' side files."""
    loose: list[Path] = []
    databases: list[Path] = []
    for path in files_in(state):
        top = path.relative_to(state).parts[0]
        if top.startswith(LEFT_OUT) or path.name.startswith(".") or path.name.endswith(("-wal", "-shm", "-journal")):
            continue
        try:
            with path.open("rb") as file:
                (databases if file.read(len(SQLITE)) == SQLITE else loose).append(path)
        except FileNotFoundError:
            continue  # deleted meanwhile, with its session
    return loose, databases


def _links(state: Path) -> Iterator[str]:
    """Descriptions of the targets of links in the state folder, which a backup leaves out."""
    for path in sorted(state.rglob("*")):
        if path.is_symlink() and not path.relative_to(state).parts[0].startswith(LEFT_OUT):
            yield f"what the link {path} leads to"


def _copy_databases(state: Path, databases: list[Path], folder: Path) -> None:
    """Copy all databases as of one moment: all are locked for writing until every reader has begun."""
    with ExitStack() as readers:
        pinned = []
        with ExitStack() as writers:
            for path in databases:
                writers.enter_context(_opened(path)).execute("BEGIN IMMEDIATE")
            for path in databases:
                reader = readers.enter_context(_opened(path))
                reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
                pinned.append((path, reader))
        for path, reader in pinned:
            target = folder / path.relative_to(state)
            make_private_folder(target.parent)
            with closing(sqlite3.connect(target)) as copy:
                reader.backup(copy)
                copy.execute("PRAGMA journal_mode=DELETE")


def _opened(path: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(path, timeout=LOCK_WAIT_S, isolation_level=None))


def _copy(source: Path, target: Path) -> None:
    make_private_folder(target.parent)
    try:
        shutil.copyfile(source, target)
    except FileNotFoundError:
        target.unlink(missing_ok=True)  # deleted meanwhile, with its session


@contextmanager
def _still(trail: Path) -> Iterator[None]:
    """Lock the audit trail, so that nobody appends an entry while it and its head are copied."""
    if not trail.exists():
        yield
        return
    with os.fdopen(os.open(trail, os.O_RDONLY), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield
