"""`agentd letters …`: hands the words to the letter server's own command (client.toml). It knows no letter itself."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from agentd.cli.letter_server import NoLetterServer
from agentd.cli.letter_server import run as run_server

HELP = "the office's letters: verify, list, audit, repair, choose the office key"


def register(commands: Any) -> None:
    """Add the command's words; those after it are the server's."""
    parser = commands.add_parser("letters", help=HELP, add_help=False)
    parser.add_argument("--config", metavar="FILE")
    parser.add_argument("--state", metavar="DIR")
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="verify FILE.pdf | list | audit | repair | init …")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """The exit code of the server's command: `verify` answers 0 only for a genuine letter."""
    from agentd import config

    settings = config.load(given.config, state=given.state)
    try:
        return run_server(settings, given.words).returncode
    except NoLetterServer as error:
        print(f"agentd letters: {error}", file=sys.stderr)
        return 2
