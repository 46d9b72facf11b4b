"""The `agentd` command: finds the one file of the command meant, and imports no other, so that it starts fast."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "serve": "run the daemon",
    "ask": "ask one question and print the answer",
    "chat": "talk with the agent in the terminal",
    "tools": "list the tools and servers",
    "config": "check client.toml and say everything that is wrong",
    "doctor": "check this machine and say what to do",
    "models": "fetch, list and serve language models",
    "letters": "the office's letters: verify, list, choose the office key",
    "analyze": "ask the books and see the table",
    "token": "add, list and revoke access tokens",
    "purge": "erase old conversations",
    "audit": "who approved, changed, voided, deleted, and whether the trail is whole",
    "top": "watch runs, servers and providers live",
    "install": "write the systemd units for this machine",
    "acp": "speak the Agent Client Protocol over stdio",
    "mcp": "offer the agent itself as an MCP server",
}
USAGE, FAILED = 2, 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Exit codes: 0 done, 1 failed, 2 wrong words or configuration."""
    words = list(sys.argv[1:] if argv is None else argv)
    chosen = next((word for word in words if not word.startswith("-")), None)
    parser = argparse.ArgumentParser(prog="agentd", description="An agent daemon for public service counters.")
    parser.add_argument("--version", action="store_true", help="say which version this is")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, told in COMMANDS.items():
        if name == chosen:
            import_module(f"agentd.cli.{name}").register(commands)
        else:
            commands.add_parser(name, help=told)
    given = parser.parse_args(words)
    if given.version:
        from importlib.metadata import version

        print(f"agentd {version('agentd')}")
        return 0
    if given.command is None:
        parser.print_help()
        return USAGE
    from agentd.errors import ConfigError

    try:
        return int(given.run(given))
    except ConfigError as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return 130
