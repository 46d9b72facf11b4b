"""`agentd config check`: reads client.toml and says everything that is wrong with it, by line. It starts nothing."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from agentd.cli import options


def register(commands: Any) -> None:
    """Add the command's words."""
    parser = commands.add_parser("config", help="check client.toml and say everything that is wrong")
    words = parser.add_subparsers(dest="what", required=True)
    check = words.add_parser("check", help="say everything that is wrong; exit 2 when something is")
    options.add(check)
    check.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """0 and one line when it is right; ConfigError (exit 2) when it is not."""
    from agentd import config

    settings = config.load(given.config, state=given.state)
    for warning in settings.warnings:
        print(f"{warning} (warning)", file=sys.stderr)
    print(f"{settings.file}: {len(settings.providers)} providers, {len(settings.servers)} servers: right")
    return 0
