"""The `agentd` command: imports only the module of the chosen command, so that it starts fast.

A command is a module with `register(commands)`, found by the entry point group `agentd.commands`. One that is not in
the table below has its summary in `HELP`; `NAME.WORD` is a subcommand of NAME.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint
from typing import Any

from agentd.installed import installed, load

COMMANDS = {
    "serve": "run the daemon",
    "init": "create your own office from a shipped profile",
    "ask": "ask one question and print the answer",
    "chat": "chat with the agent in the terminal",
    "tools": "list the tools and servers",
    "config": "validate client.toml and list all problems",
    "doctor": "check this machine and list what to fix",
    "models": "fetch, list and serve language models",
    "kiosk": "pair a kiosk's page with this daemon",
    "token": "add, list and revoke access tokens",
    "purge": "erase old conversations",
    "backup": "back up the state folder while the daemon runs",
    "restore": "restore a backup",
    "migrate": "migrate an older agentd's state folder to this version",
    "audit": "show and verify the audit trail",
    "top": "watch runs, servers and providers live",
    "install": "write the systemd units for this machine",
    "acp": "speak the Agent Client Protocol over stdio",
    "mcp": "offer the agent itself as an MCP server",
    "completion": "print the completion script of a shell",
}
USAGE, FAILED = 2, 1
FOR_OTHERS = ("install", "models")
"""Commands whose files others read: units, weights. Files of all other commands are private to their owner."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Exit codes: 0 done, 1 failed, 2 usage or configuration error."""
    words = list(sys.argv[1:] if argv is None else argv)
    chosen = next((word for word in words if not word.startswith("-")), None)
    return _reported(chosen, lambda: _run(words, chosen))


def _run(words: Sequence[str], chosen: str | None) -> int:
    parser = parser_for(chosen)
    given = parser.parse_args(words)
    if given.version:
        from importlib.metadata import version

        print(f"agentd {version('agentd')}")
        return 0
    if given.command is None:
        parser.print_help()
        return USAGE
    if chosen not in FOR_OTHERS:
        os.umask(0o077)
    return int(given.run(given))


def parser_for(chosen: str | None) -> argparse.ArgumentParser:
    """The parser with the options of the chosen command; if none is chosen, with all commands' names."""
    parser = argparse.ArgumentParser(
        prog="agentd",
        description="An agent daemon for public service counters.",
        epilog="Begin with `agentd doctor` (what this machine lacks), `agentd init` (an office of your own) and "
        "`agentd serve`. `agentd COMMAND --help` explains a command.",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    found = installed("agentd.commands")
    if chosen in found:
        load(found[chosen]).register(commands)
    else:
        others = {name: _help(entry) for name, entry in found.items() if name not in COMMANDS and "." not in name}
        for name, summary in (COMMANDS | others).items():
            commands.add_parser(name, help=summary)
    return parser


def _help(entry: EntryPoint) -> str:
    """A command's line in the list; of one that can't be loaded, why."""
    from agentd.errors import PluginError

    try:
        return str(load(entry).HELP)
    except PluginError as error:
        return str(error).replace("%", "%%")


def register_words(command: str, words: Any) -> None:
    """Add the subcommands of a command that clients and apps provide."""
    for name, entry in installed("agentd.commands").items():
        if name.startswith(f"{command}."):
            load(entry).register(words)


def _reported(command: str | None, run: Callable[[], int]) -> int:
    """Run the command; what it raises for its user becomes a line on standard error and an exit code, here alone."""
    from agentd.errors import AgentdError, CommandError, ConfigError
    from agentd.state import StateError

    try:
        return run()
    except ConfigError as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        return USAGE
    except (AgentdError, CommandError, StateError) as error:
        reason: str | None = str(error)
    except ModuleNotFoundError as error:
        from agentd.installed import advice

        if (reason := advice(error)) is None:
            raise
    except BrokenPipeError:  # the reader, such as `head`, closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        if error.strerror is None:  # not the system's
            raise
        from hardening.reasons import reason as reason_of

        reason = reason_of(error)
    except KeyboardInterrupt:
        return 130
    print(f"agentd {command or ''}".strip() + f": {reason}", file=sys.stderr)
    return FAILED
