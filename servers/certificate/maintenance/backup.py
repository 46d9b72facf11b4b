"""Copies register, archive and key in a consistent state while letters are issued. Restores nothing.

No letter is being issued while first the journal and then the register is copied. So the copied archive contains every
letter of the copied register, and the copied journal is not ahead of it.
"""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

from servers.certificate.issuing.issuing import LetterService
from servers.certificate.settings import Settings

LEDGER, ARCHIVE, OFFICE = "ledger.db", "archive", "office"


def places(settings: Settings) -> dict[str, str | None]:
    """Return where `agentd restore` puts what `backup` copied, as absolute paths.

    `ledger` is null if the register is in a database elsewhere, which `register_place` names.
    """
    return {
        "home": str(settings.home),
        "ledger": str(settings.register_file) if settings.register_file else None,
        "archive": str(settings.archive),
        "office": str(settings.office_dir),
        "register_place": settings.register_place,
        "own_key": str(settings.key_file) if settings.key_file else None,
    }


def backup(service: LetterService, folder: Path) -> dict[str, Any]:
    """Create the folder with `ledger.db`, `archive/` and `office/`; return {"letters": n, "entries": n, "places": …}.

    Raises OSError, LedgerError; NotNow when register and journal disagree, since the copies would too.
    """
    folder.mkdir(parents=True, mode=0o700)
    archive, office = service.archive.folder, service.settings.office_dir
    with service.archive.exclusive():
        used = service.ledger.exists()
        if used:
            service.checks.follow()
            _copy(service.journal.file, folder / ARCHIVE / service.journal.file.name)
            if (ledger := service.settings.register_file) is not None:
                _copy_database(ledger, folder / LEDGER)
        names = service.archive.names()
        count = {"letters": len(names), "entries": len(service.ledger.entries()) if used else 0}
    for name in (*names, *(f"orphans/{file.name}" for file in (archive / "orphans").glob("*.pdf"))):
        _copy(archive / name, folder / ARCHIVE / name)
    for file in sorted(office.glob("*.pem")):
        _copy(file, folder / OFFICE / file.name)
    return {**count, "places": places(service.settings)}


def _copy_database(source: Path, target: Path) -> None:
    with sqlite3.connect(source) as live, sqlite3.connect(target) as copy:
        live.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
    live.close()
    copy.close()


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    shutil.copyfile(source, target)
    target.chmod(0o600)
