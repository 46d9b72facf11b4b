"""`agentd letters …`: runs the letter server's own command (client.toml)."""

from agentd.apps.server_command import ServerCommand

HELP = "the office's letters: verify, list, check folders, audit, repair, choose the office key"
register = ServerCommand(
    "letters",
    HELP,
    "verify FILE.pdf | list | check | audit | repair | init | import-opensid …",
    lambda settings: settings.server_of("letters"),
    group=("letters",),
).register
