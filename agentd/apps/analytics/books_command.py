"""`agentd books check`: the data server's own command (client.toml), on the database of `[books]`. It reads nothing."""

from __future__ import annotations

from typing import Any

from agentd.apps.analytics.execute_query import OPERATIONS_SERVER
from agentd.cli.server_command import ServerCommand

HELP = "the office's own database: check connects, looks, and writes books.toml"
COMMAND = ServerCommand("books", "check", lambda _: OPERATIONS_SERVER)


def register(commands: Any) -> None:
    """Add the command's words; those after it are the server's."""
    COMMAND.register(commands, HELP)
