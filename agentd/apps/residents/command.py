"""`agentd residents …`: runs the register server's own command (client.toml)."""

from agentd.apps.server_command import ServerCommand

HELP = "the register of residents: check, import a sheet, make a PIN"
WORDS = "check | import FILE.csv|FILE.xlsx | pin"
register = ServerCommand("residents", HELP, WORDS, lambda settings: settings.server_of("residents")).register
