"""`python -m servers.mysql`: start `mysql_mcp_server` on the configured database."""

from __future__ import annotations

import sys

from servers.common.database import ConfigurationError, Database
from servers.common.serve import serve
from servers.mysql.server import create_server


def main() -> None:
    """Run the server. Exits with status 2 if the address can't be used; each call reports a database that is down."""
    try:
        database = Database.from_environment()
    except (ConfigurationError, OSError) as error:
        print(error, file=sys.stderr)  # noqa: T201 - standard error is the log here
        raise SystemExit(2) from error
    serve(create_server(database))


if __name__ == "__main__":
    main()
