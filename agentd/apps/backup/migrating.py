"""Upgrades an older agentd's state folder: copies it whole, then changes it. It starts no daemon.

Every change only adds tables, columns and guards and can be repeated; the version is written last. So after an
interruption nothing is lost, and the same command continues.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import Engine
from sqlalchemy.exc import DatabaseError

from agentd.apps.backup.manifest import BackupError, files_in, make_private_folder
from agentd.runs.run_database import RunDatabase, sqlite_engine
from agentd.runs.tables import SCHEMA, lacking, written_schema
from agentd.state import LOCKS, UNFINISHED, alone
from hardening.files import sync

DATABASE = "agentd.db"
MADE_AGAIN = shutil.ignore_patterns("snapshots", "graph", "*.sock", *LOCKS)
"""Left out of a copy: files that can be made again, and files that exist only while a process runs."""


@dataclass(frozen=True)
class Pending:
    """The upgrade that a state folder needs: its schema's version, and the missing tables and columns."""

    schema: int | None
    lacking: list[str]

    @property
    def anything(self) -> bool:
        """Whether an older agentd made it or its upgrade was interrupted."""
        return self.schema != SCHEMA or bool(self.lacking)


def pending(state: Path) -> Pending:
    """The upgrade needed; changes nothing. Raises BackupError if the folder has no database or a newer agentd's."""
    if not (state / DATABASE).is_file():
        raise BackupError(f"{state} has no {DATABASE}: it is no state folder, or has nothing to bring up")
    with _opened(state) as engine:
        found = Pending(written_schema(engine), lacking(engine))
    if found.schema is not None and found.schema > SCHEMA:
        raise BackupError(
            f"{state} was written by a newer agentd (schema {found.schema}, this one knows {SCHEMA}): install that "
            "one, or put a backup of before back by `agentd restore`"
        )
    return found


def migrate(state: Path, copied_to: Path, letters: Callable[[], None]) -> Pending:
    """Copy the folder to `copied_to`, then upgrade it; `letters` upgrades the letter server. Returns what was pending.

    Raises BackupError, StateError and OSError; the folder is then still usable, and the upgrade can be repeated.
    """
    pending(state)
    with alone(state):
        if (state / UNFINISHED).exists():
            raise BackupError(f"a restore of {state} was cut off: run `agentd restore` again, then this")
        found = pending(state)
        if found.anything:
            copy(state, copied_to)
            letters()
            with _opened(state) as engine:
                RunDatabase(engine).close()
    return found


def copy(state: Path, folder: Path) -> None:
    """Copy the state folder, file by file, into a new private folder. Raises BackupError if that exists."""
    if folder.exists():
        raise BackupError(f"{folder} is there already: name another folder with --backup")
    if folder.is_relative_to(state):
        raise BackupError(f"{folder} lies in the state folder itself: a copy goes elsewhere, best to another disk")
    make_private_folder(folder.parent)
    part = folder.with_name(f"{state.name}.copy.part")  # whatever `folder` is called, so that no killed copy stays
    shutil.rmtree(part, ignore_errors=True)
    try:
        shutil.copytree(state, part, symlinks=True, ignore=MADE_AGAIN)
        part.chmod(0o700)
        for path in files_in(part):
            sync(path)
        part.rename(folder)
    except shutil.Error as error:  # (source, target, reason) of each file
        source, _, why = error.args[0][0]
        raise BackupError(f"{source} was not copied: {why}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)  # what fills the disk must not stay there
    sync(folder.parent)


@contextmanager
def _opened(state: Path) -> Iterator[Engine]:
    """The folder's database. Raises BackupError if it can't be read."""
    engine = sqlite_engine(state / DATABASE)
    try:
        yield engine
    except DatabaseError as error:
        raise BackupError(f"{state / DATABASE} can't be read or written: {error.orig}") from None
    finally:
        engine.dispose()
