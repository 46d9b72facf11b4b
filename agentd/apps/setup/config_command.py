"""`agentd config check|schema`: lists all problems of client.toml by line; prints its JSON Schema. Starts nothing."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from agentd.cli import options


def register(commands: Any) -> None:
    parser = commands.add_parser("config", help="validate client.toml and list all problems")
    words = parser.add_subparsers(dest="what", required=True)
    options.command(words, "check", "list all problems; exit 2 if there are any", run)
    schema = words.add_parser("schema", help="print client.toml's JSON Schema, for editors (`#:schema FILE`, Taplo)")
    schema.set_defaults(run=_schema)


def _schema(_: argparse.Namespace) -> int:
    """The schema file that ships beside the profiles."""
    from agentd.config.shipped import PROFILES

    print((PROFILES / "client.schema.json").read_text(encoding="utf-8"), end="")
    return 0


def run(given: argparse.Namespace) -> int:
    """Return 0 and print one line if the file is right. Raises ConfigError (exit 2) otherwise."""
    from agentd import config
    from agentd.plugins import models

    settings = config.load(given.config, state=given.state)
    for warning in settings.warnings:
        print(f"{warning} (warning)", file=sys.stderr)
    models(settings)  # they check their own keys
    print(f"{settings.file}: valid; {len(settings.providers)} [[providers]], {len(settings.servers)} [[servers]]")
    if settings.tools:
        print(f"`tools` is the whole list: {', '.join(tool.name for tool in settings.tools)}; no other tool exists")
    return 0
