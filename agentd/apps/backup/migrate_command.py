"""`agentd migrate`: copies an older agentd's state folder, then upgrades it. The daemon must be stopped."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from agentd.cli import options


def register(commands: Any) -> None:
    parser = options.command(commands, "migrate", "migrate an older agentd's state folder; copies it first", run)
    parser.add_argument("--backup", type=Path, metavar="DIR", help="where the copy goes (default: beside the folder)")
    parser.add_argument("--dry-run", action="store_true", help="only print what would be done")


def run(given: argparse.Namespace) -> int:
    """Return 0 if the folder is up to date. Raises BackupError, OSError if it could not be upgraded."""
    from agentd import config
    from agentd.apps.backup.migrating import migrate, pending
    from agentd.apps.operator import record
    from agentd.clock import clock_of
    from agentd.runs.tables import SCHEMA

    settings = config.load(given.config, state=given.state)
    clock = clock_of(settings.clock)
    beside = settings.state.with_name(f"{settings.state.name}.before-migrate-{clock.now():%Y%m%dT%H%M%S}")
    copied_to = (given.backup or beside).absolute()
    letters: list[str] = []
    if given.dry_run:
        found = pending(settings.state)
    else:
        found = migrate(settings.state, copied_to, lambda: letters.extend(_letters(settings)))
    if not found.anything:
        print(f"{settings.state}: up to date (schema {SCHEMA}); nothing was changed")
        return 0
    done = "would be" if given.dry_run else "were"
    print(f"the files of the old state {done} copied to {copied_to}")
    print(f"agentd.db: schema {found.schema} → {SCHEMA}; {len(found.lacking)} tables and columns {done} added")
    print("\n".join(f"  {name}" for name in found.lacking))
    for line in letters:
        print(f"letters: {line}")
    if settings.store.url:
        print("PostgreSQL ([store] url) is migrated at the daemon's next start: run pg_dump first")
    if not given.dry_run:
        record(settings.state, "state.migrated", clock, schema=SCHEMA)
        print("next: start the daemon; `agentd doctor` and `agentd letters audit` check the result")
    return 0


def _letters(settings: Any) -> list[str]:
    """Have the letter server upgrade its register; returns its output. Raises CommandError if it fails."""
    from agentd.apps import server_command

    try:
        return server_command.letters(settings, "upgrade").splitlines()
    except server_command.NoServer as error:
        return [str(error)]
