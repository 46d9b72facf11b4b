"""The flags shared by commands that use a daemon: configuration file, state folder, address."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentd.config import Settings


def add(parser: argparse.ArgumentParser, *, listen: bool = False) -> None:
    """Add `--config`, `--state` and, if `listen`, `--listen`."""
    parser.add_argument("--config", metavar="FILE", help="client.toml (else AGENTD_CONFIG, else ./config/client.toml)")
    parser.add_argument(
        "--state", metavar="DIR", help="databases, letters, snapshots (else AGENTD_STATE, else ./state)"
    )
    if listen:
        parser.add_argument("--listen", metavar="HOST:PORT", help="where agentd is (else AGENTD_LISTEN, [rpc] listen)")


def settings(given: argparse.Namespace) -> Settings:
    """Load the settings that the flags name, and log only errors from now on: stdout is for the command's answer.

    Raises ConfigError.
    """
    from agentd import config
    from agentd.observability import logging as logs

    found = config.load(given.config, state=given.state, listen=given.listen)
    logs.configure("error")
    return found
