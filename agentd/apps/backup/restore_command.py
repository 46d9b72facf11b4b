"""`agentd restore DIR`: restores a backup in its place or on a new machine. The daemon must be stopped."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from agentd.cli import options

ABOUT_LETTERS = (
    "Letters issued after that time are known only if the archive still has them. Before you start the daemon: "
    "`agentd letters audit`; then `agentd letters repair`, and if such letters may be in people's hands "
    "`agentd letters repair --next SERIES=NUMBER`."
)


def register(commands: Any) -> None:
    parser = options.command(commands, "restore", "restore a backup; the daemon must be stopped", run)
    parser.add_argument("folder", type=Path, metavar="DIR", help="a backup made by `agentd backup`")
    parser.add_argument("--replace", action="store_true", help="move what is in the folder aside; deletes nothing")


def run(given: argparse.Namespace) -> int:
    """Return 0 if everything is restored. Raises BackupError, OSError; then nothing was changed."""
    from agentd import config
    from agentd.apps import server_command
    from agentd.apps.backup.restoring import Places, restore
    from agentd.apps.operator import record
    from agentd.clock import clock_of

    settings = config.load(given.config, state=given.state)
    clock = clock_of(settings.clock)
    places = None
    try:
        places = Places.model_validate_json(server_command.letters(settings, "places"))
    except server_command.NoServer as error:
        print(f"no letters: {error}", file=sys.stderr)
    manifest = restore(given.folder.absolute(), settings.state, places, clock.now(), given.replace)
    try:
        record(settings.state, "state.restored", clock, made_at=manifest.made_at)
    except OSError as error:
        print(f"agentd restore: restored, but the audit trail has no record of it: {error}", file=sys.stderr)
    print(f"{settings.state}: {len(manifest.files)} files, as of {manifest.made_at}")
    for one in manifest.missing:
        print(f"not in the backup: {one}")
    if places is not None:
        print(ABOUT_LETTERS)
    return 0
