"""`agentd kiosk pair`: prints six digits that a kiosk's page exchanges for its token. It needs no daemon."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from agentd.cli import options


def register(commands: Any) -> None:
    parser = commands.add_parser("kiosk", help="pair a kiosk's page with this daemon")
    words = parser.add_subparsers(dest="what", required=True, metavar="pair")
    pair = options.command(words, "pair", "print a six-digit code, valid for two minutes", run)
    pair.add_argument("name", metavar="NAME", nargs="?", help="the kiosk's name; a known kiosk gets a new token")


def run(given: argparse.Namespace) -> int:
    """Return 0 with the code on standard output. Raises AgentdError if none can be made."""
    from datetime import UTC, datetime

    from agentd import config
    from agentd.access import FILE_NAME, TokenStore
    from agentd.apps.operator import record
    from agentd.apps.pairing.codes import Pairing
    from agentd.observability import logging as logs

    logs.configure("error")
    state = config.state_folder(given.state)
    tokens = TokenStore(state / FILE_NAME)
    code, name = Pairing(state, tokens).begin(given.name, datetime.now(UTC))
    record(state, "kiosk.pairing", subject=name)
    print(code)
    print(f"Enter it in the page of {name} within two minutes.", file=sys.stderr)
    if not tokens.closed:
        print("It will be the first token: from then on every caller of this daemon needs one.", file=sys.stderr)
    return 0
