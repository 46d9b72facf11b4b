"""`agentd residents …`: runs the register server's own command (client.toml)."""

from __future__ import annotations

from typing import Any

from agentd.apps.server_command import ServerCommand

HELP = "the register of residents: check, import a sheet, make a PIN"
COMMAND = ServerCommand(
    "residents", "check | import FILE.csv|FILE.xlsx | pin", lambda settings: settings.server_of("residents")
)


def register(commands: Any) -> None:
    """Add the command; all further words are passed to the server."""
    COMMAND.register(commands, HELP)
