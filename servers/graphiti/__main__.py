"""`python -m servers.graphiti`: start the server.

SCHEMA_FILE (default: the shipped ERP's) is what `python -m servers.sim_testgeluran export-schema` wrote; AGENTD_STATE
holds the embedded graph; GRAPH_URL puts it into Neo4j instead.
"""

from __future__ import annotations

from servers.common.serve import serve
from servers.graphiti.server import create_server

if __name__ == "__main__":
    serve(create_server())
