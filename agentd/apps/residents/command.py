"""`agentd residents …`: hands the words to the register server's own command (client.toml). It knows no resident."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from agentd.cli.letter_server import NoLetterServer, run_words

HELP = "the register of residents: check, import a sheet, make a PIN"
SERVER = "residents"


def register(commands: Any) -> None:
    """Add the command's words; those after it are the server's."""
    parser = commands.add_parser("residents", help=HELP, add_help=False)
    parser.add_argument("--config", metavar="FILE")
    parser.add_argument("--state", metavar="DIR")
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="check | import FILE.csv|FILE.xlsx | pin")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """The exit code of the server's command."""
    from agentd import config

    settings = config.load(given.config, state=given.state)
    try:
        return run_words(settings, SERVER, given.words or ["--help"]).returncode
    except NoLetterServer as error:
        print(f"agentd residents: {error}", file=sys.stderr)
        return 2
