"""`python -m servers.graphiti`: start the server.

SCHEMA_FILE is a document from `python -m servers.sim_testgeluran export-schema` (default: the shipped ERP's);
AGENTD_STATE contains the embedded graph; GRAPH_URL uses Neo4j instead.
"""

from __future__ import annotations

from servers.common.database_errors import ConfigurationError
from servers.common.serve import serve, stopped_by
from servers.graphiti.server import create_server


def main() -> None:
    """Run the server. Exits with status 2 and a message if the database's address can't be used."""
    with stopped_by(ConfigurationError):
        server = create_server()
    serve(server)


if __name__ == "__main__":
    main()
