"""`agentd backup DIR`: copies the state folder, the letters and the office's key while the daemon runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from agentd.cli import options


def register(commands: Any) -> None:
    parser = options.command(commands, "backup", "back up the state folder while the daemon runs", run)
    parser.add_argument("folder", type=Path, metavar="DIR", help="a new or empty folder")


def run(given: argparse.Namespace) -> int:
    """Return 0 once the backup is complete and on the disk. Raises BackupError, OSError."""
    from agentd import config
    from agentd.apps.backup.manifest import BackupError
    from agentd.apps.backup.snapshot import begin, make
    from agentd.apps.operator import record
    from agentd.clock import clock_of
    from agentd.state import in_use

    settings = config.load(given.config, state=given.state)
    clock = clock_of(settings.clock)
    if not settings.state.is_dir():
        raise BackupError(f"there is no state folder {settings.state}")
    folder = given.folder.absolute()
    with in_use(settings.state):
        begin(settings.state, folder)
        record(settings.state, "state.backed_up", clock)
        manifest = make(
            settings.state, folder, clock.now, lambda part: copy_letters(settings, part), elsewhere(settings)
        )
    size = sum(file.size for file in manifest.files)
    print(f"{folder}: {len(manifest.files)} files, {size / 1e6:.1f} MB, as of {manifest.made_at}")
    for one in manifest.missing:
        print(f"not included: {one}")
    return 0


def copy_letters(settings: Any, folder: Path) -> str | None:
    """Have the letter server copy its part; returns what is stored elsewhere in words, or None. Raises CommandError."""
    import json

    from agentd.apps import server_command

    try:
        places = json.loads(server_command.letters(settings, "backup", str(folder)))["places"]
    except server_command.NoServer as error:
        return f"letters: {error}"
    parts = []
    if places["ledger"] is None:
        parts.append(
            f"the register of letters, {places['register_place']}: dump it by the database's own means right after "
            "this backup (pg_dump, mariadb-dump --single-transaction), never before"
        )
    if places["own_key"]:
        parts.append(f"the office's own key, {places['own_key']}")
    return "; ".join(parts) or None


def elsewhere(settings: Any) -> list[str]:
    """What must be saved besides the state folder."""
    parts = [
        f"the configuration, {settings.file}, and what stands beside it: the office file, letters, words of the books",
        "the passphrase of the office's key",
        "the register of residents, unless it is in the state folder",
    ]
    if settings.store.url:
        parts.append("sessions and runs, in PostgreSQL ([store] url): take its pg_dump before this backup")
    return parts
