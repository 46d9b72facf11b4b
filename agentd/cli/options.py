"""The flags shared by commands that use a daemon: configuration file, state folder, address."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agentd.config import Settings


Run = Callable[[Namespace], int]


def command(commands: Any, name: str, summary: str, run: Run, *, listen: bool = False) -> ArgumentParser:
    """Add a command that takes `--config`, `--state` and, if `listen`, `--listen`; `run` returns its exit code."""
    parser: ArgumentParser = commands.add_parser(name, help=summary, description=summary)
    parser.set_defaults(run=run)
    parser.add_argument("--config", metavar="FILE", help="client.toml (else AGENTD_CONFIG, else ./config/client.toml)")
    parser.add_argument(
        "--state", metavar="DIR", help="databases, letters, snapshots (else AGENTD_STATE, else ./state)"
    )
    if listen:
        parser.add_argument("--listen", metavar="HOST:PORT", help="where agentd is (else AGENTD_LISTEN, [rpc] listen)")
    return parser


def settings(given: Namespace) -> Settings:
    """Load the settings that the flags name, and log only errors from now on: stdout is for the command's answer.

    Raises ConfigError.
    """
    from agentd import config
    from agentd.observability import logging as logs

    found = config.load(given.config, state=given.state, listen=given.listen)
    logs.configure("error")
    return found
