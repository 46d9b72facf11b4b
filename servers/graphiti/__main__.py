"""`python -m servers.graphiti`: start the server.

SCHEMA_FILE (default: the shipped ERP's) is what `python -m servers.sim_testgeluran export-schema` wrote; AGENTD_STATE
holds the embedded graph; GRAPH_URL puts it into Neo4j instead.
"""

from __future__ import annotations

import sys

from servers.common.database_errors import ConfigurationError
from servers.common.serve import serve
from servers.graphiti.server import create_server


def main() -> None:
    """Exits with status 2, saying why, when the books' address can't be used."""
    try:
        server = create_server()
    except ConfigurationError as error:
        print(error, file=sys.stderr)  # noqa: T201 - standard error is the log here
        raise SystemExit(2) from error
    serve(server)


if __name__ == "__main__":
    main()
