"""Restores a backup: verified first, whole or not at all, with the present files set aside. Makes no backup.

First, `.restoring` in the state folder records what will be moved and created; while it exists no daemon starts. A
failed restore is undone from that record, after a kill by the next restore. An archive of letters is never replaced:
letters missing in the backup stay, so that it is known that the register lags behind them.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from os.path import lexists
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel

from agentd.apps.backup.manifest import LETTERS, STATE, BackupError, File, Manifest, make_private_folder, verified
from agentd.state import LOCKS, UNFINISHED, alone
from hardening.files import give, sha256, sync

ASIDE = "before-restore-"
ARCHIVE, LEDGER, OFFICE, JOURNAL = f"{LETTERS}/archive/", f"{LETTERS}/ledger.db", f"{LETTERS}/office/", "register.jsonl"
RESTORED = "restored.json"


class Places(BaseModel):
    """Absolute paths of the letter server; `ledger` is None if the register is a database elsewhere."""

    home: Path
    ledger: Path | None
    archive: Path
    office: Path


class Plan(BaseModel, frozen=True):
    """`moves`: (present file, where it is set aside); `copies`: (file of the backup or old archive, target)."""

    moves: list[tuple[Path, Path]]
    copies: list[tuple[Path, Path]]
    mark: Path | None
    """The file beside the register that says that it was restored; null without letters."""


def restore(folder: Path, state: Path, places: Places | None, now: datetime, replace: bool) -> Manifest:
    """Restore the backup into the state folder, and letters into their places.

    Raises BackupError, OSError, and StateError if a daemon is running; all files are then as before.
    """
    manifest = verified(folder)
    if folder.is_relative_to(state):
        raise BackupError(f"{folder} lies in the state folder itself: move it elsewhere first")
    make_private_folder(state)
    with alone(state):
        undo(state)
        plan = planned(folder, manifest, state, places, now, replace)
        mark, owner = state / UNFINISHED, state.stat()
        try:
            _write(mark, plan.model_dump_json(), owner)
            _carry_out(plan, folder, manifest, owner)
            if plan.mark is not None:
                _note(plan.mark, manifest, now, owner)
        except BaseException:
            undo(state)
            raise
        mark.unlink()
        sync(state)
    return manifest


def planned(folder: Path, manifest: Manifest, state: Path, places: Places | None, now: datetime, replace: bool) -> Plan:
    """Plan all moves and copies. Raises BackupError if something is in the way."""
    present = [path for path in sorted(state.iterdir()) if path.name not in (*LOCKS, UNFINISHED, "lost+found")]
    present = [path for path in present if not path.name.startswith(ASIDE)]
    if present and not replace:
        raise BackupError(f"{state} is not empty; --replace sets what is there aside, in {ASIDE}…, and deletes nothing")
    aside = _unused(state / f"{ASIDE}{now:%Y%m%dT%H%M%S}")
    moves = [(path, aside / path.name) for path in present]
    copies: list[tuple[Path, Path]] = []
    for file in manifest.files:
        target = _target(file, state, places)
        if target is None:
            continue
        if not target.is_relative_to(state) and target.exists():
            if _same(target, file) or file.path.startswith(ARCHIVE):
                _check_archive(folder / file.path, target, file)
                if not _newer_journal(folder / file.path, target):
                    continue  # already there, perhaps with more entries
            elif not replace:
                raise BackupError(f"{target} is there already; --replace sets it aside")
            moves.append((target, _unused(target.with_name(f"{target.name}.{aside.name}"))))
        copies.append((folder / file.path, target))
    if places is not None:
        copies = _with_later_letters(copies, places, state, aside)
    return Plan(moves=moves, copies=copies, mark=places.home / RESTORED if places is not None else None)


def _unused(path: Path) -> Path:
    """The path, with a number added if it is taken (the clock may repeat a time), so that nothing set aside is lost."""
    return next(one for n in count(1) if not lexists(one := path if n == 1 else path.with_name(f"{path.name}-{n}")))


def undo(state: Path) -> None:
    """Undo an interrupted restore; does nothing if there is none."""
    mark = state / UNFINISHED
    _part(mark).unlink(missing_ok=True)
    if not mark.exists():
        return
    plan = Plan.model_validate_json(mark.read_bytes())
    untouched = {source for source, aside in plan.moves if not lexists(aside)}
    for target in (*(target for _, target in plan.copies), *([plan.mark] if plan.mark is not None else [])):
        if target not in untouched and not any(one in untouched for one in target.parents):
            target.unlink(missing_ok=True)
            _part(target).unlink(missing_ok=True)
            _remove_empty(target.parent, state)
    for source, aside in reversed(plan.moves):
        if lexists(aside):
            if source.is_dir():
                shutil.rmtree(source)  # remaining copies
            aside.rename(source)
    for _, aside in plan.moves:
        if aside.parent.name.startswith(ASIDE) and aside.parent.exists():
            aside.parent.rmdir()
            break
    mark.unlink()
    sync(state)


def _remove_empty(folder: Path, state: Path) -> None:
    """Remove the empty folder, and its empty parents below the state folder, that a restore made."""
    while folder != state and folder.is_relative_to(state) and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _target(file: File, state: Path, places: Places | None) -> Path | None:
    """The target of a file of the backup; None for a register that is now a database elsewhere."""
    if file.path.startswith(f"{STATE}/") and not file.path.startswith(f"{STATE}/."):
        return state / file.path.removeprefix(f"{STATE}/")
    if places is None:
        raise BackupError("the backup has letters, but client.toml starts no letter server on this machine")
    if file.path == LEDGER:
        return places.ledger
    for part, home in ((ARCHIVE, places.archive), (OFFICE, places.office)):
        if file.path.startswith(part):
            return home / file.path.removeprefix(part)
    raise BackupError(f"{file.path} belongs nowhere: the backup was made by another agentd")


def _same(target: Path, file: File) -> bool:
    return target.stat().st_size == file.size and sha256(target) == file.sha256


def _check_archive(source: Path, target: Path, file: File) -> None:
    """Raise BackupError if a file of an archive elsewhere contradicts the backup; a person must look at it."""
    if _same(target, file) or (target.name == JOURNAL and _one_continues_the_other(source, target)):
        return
    raise BackupError(f"{target} is another file than in the backup: is it the archive of this office?")


def _newer_journal(source: Path, target: Path) -> bool:
    """Whether the backup's journal has more entries than the present one."""
    return target.name == JOURNAL and source.stat().st_size > target.stat().st_size


def _one_continues_the_other(one: Path, other: Path) -> bool:
    """Whether one of two journals is a prefix of the other."""
    first, second = one.read_bytes(), other.read_bytes()
    return first.startswith(second) or second.startswith(first)


def _with_later_letters(
    copies: list[tuple[Path, Path]], places: Places, state: Path, aside: Path
) -> list[tuple[Path, Path]]:
    """Also copy letters issued after the backup if the state folder that holds their archive is set aside."""
    if not places.archive.is_relative_to(state) or not places.archive.is_dir():
        return copies
    moved = aside / places.archive.relative_to(state)
    chosen = {target: source for source, target in copies}
    for path in sorted(places.archive.glob("[0-9]*/*.pdf")):
        chosen.setdefault(path, moved / path.relative_to(places.archive))
    journal = places.archive / JOURNAL
    if journal.exists() and journal in chosen and journal.read_bytes().startswith(chosen[journal].read_bytes()):
        chosen[journal] = moved / JOURNAL
    return [(source, target) for target, source in chosen.items()]


def _carry_out(plan: Plan, folder: Path, manifest: Manifest, owner: os.stat_result) -> None:
    for source, aside in plan.moves:
        make_private_folder(aside.parent, owner)
        source.rename(aside)
    known = {folder / file.path: file.sha256 for file in manifest.files}
    for source, target in plan.copies:
        make_private_folder(target.parent, owner)
        with _made(target, owner) as made, source.open("rb") as file:
            shutil.copyfileobj(file, made)
            made.flush()
            if source in known and sha256(_part(target)) != known[source]:
                raise BackupError(f"{source} changed while it was copied")
    for place in {target.parent for _, target in plan.copies}:
        sync(place)


def _note(mark: Path, manifest: Manifest, now: datetime, owner: os.stat_result) -> None:
    """Write beside the register, for the letter server, when it was restored and from which time."""
    make_private_folder(mark.parent, owner)
    record = {"backup_made_at": manifest.made_at, "restored_at": now.isoformat()}
    _write(mark, json.dumps(record) + "\n", owner)


def _write(path: Path, text: str, owner: os.stat_result) -> None:
    with _made(path, owner) as made:
        made.write(text.encode())
    sync(path.parent)


@contextmanager
def _made(path: Path, owner: os.stat_result) -> Iterator[BinaryIO]:
    """A new private file of the owner, under a `.part` name; flushed and renamed at the end of the block.

    Root creates it in folders of the daemon's user, so links there are not followed.
    """
    part = _part(path)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as made:
        give(made.fileno(), owner)
        yield made
    sync(part)
    part.rename(path)


def _part(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")
