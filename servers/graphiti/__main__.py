"""`python -m servers.graphiti`: start the server.

SCHEMA_FILE is a document from `python -m servers.sim_testgeluran export-schema` (default: the shipped ERP's);
AGENTD_STATE contains the embedded graph; GRAPH_URL uses Neo4j instead.
"""

from __future__ import annotations

import sys

from servers.common.database_errors import ConfigurationError
from servers.common.serve import serve
from servers.graphiti.server import create_server


def main() -> None:
    """Run the server. Exits with status 2 and a message if the database's address can't be used."""
    try:
        server = create_server()
    except ConfigurationError as error:
        print(error, file=sys.stderr)  # noqa: T201 - standard error is the log here
        raise SystemExit(2) from error
    serve(server)


if __name__ == "__main__":
    main()
