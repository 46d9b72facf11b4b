"""`python -m servers.mysql`: start `mysql_mcp_server` on the configured database."""

from __future__ import annotations

from servers.common.database import ConfigurationError, Database
from servers.common.serve import serve, stopped_by
from servers.mysql.server import create_server


def main() -> None:
    """Run the server. Exits with status 2 if the address can't be used; each call reports a database that is down."""
    with stopped_by(ConfigurationError, OSError):
        database = Database.from_environment()
    serve(create_server(database))


if __name__ == "__main__":
    main()
