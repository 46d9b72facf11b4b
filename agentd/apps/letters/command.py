"""`agentd letters …`: runs the letter server's own command (client.toml)."""

from __future__ import annotations

from typing import Any

from agentd.apps.server_command import ServerCommand

HELP = "the office's letters: verify, list, check folders, audit, repair, choose the office key"
COMMAND = ServerCommand(
    "letters",
    "verify FILE.pdf | list | check | audit | repair | init | import-opensid …",
    lambda settings: settings.server_of("letters"),
    group=("letters",),
)


def register(commands: Any) -> None:
    """`verify` answers 0 only for a genuine letter."""
    COMMAND.register(commands, HELP)
