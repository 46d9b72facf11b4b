"""`agentd letters …`: hands the words to the letter server's own command (client.toml). It knows no letter itself."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HELP = "the office's letters: verify, list, choose the office key"


def register(commands: Any) -> None:
    """Add the command's words; those after it are the server's."""
    parser = commands.add_parser("letters", help=HELP, add_help=False)
    parser.add_argument("--config", metavar="FILE")
    parser.add_argument("--state", metavar="DIR")
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="verify FILE.pdf | list | init …")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """The exit code of the server's command: `verify` answers 0 only for a genuine letter."""
    from agentd import config

    settings = config.load(given.config, state=given.state)
    server = next((server for server in settings.servers if server.name == settings.letters.server), None)
    if server is None or server.command is None:
        name = settings.letters.server
        print(f"agentd letters: {settings.file} starts no server `{name}`; add its [[servers]] entry", file=sys.stderr)
        return 2
    if server.blocked:
        print(f"agentd letters: {server.blocked}", file=sys.stderr)
        return 2
    state = [] if "--state" in given.words else ["--state", str(settings.state)]
    command = [server.command, *server.args, "letters", *given.words, *state]
    with TemporaryDirectory(prefix="agentd-credentials-") as folder:
        for name, value in server.credentials.items():
            Path(folder, name).write_bytes(value)
        return subprocess.call(command, env={**os.environ, **server.env, "CREDENTIALS_DIRECTORY": folder})
