"""`python -m servers.text2cypher`: start the server `text2cypher`."""

from __future__ import annotations

from servers.common.serve import serve
from servers.text2cypher.server import create_server

if __name__ == "__main__":
    serve(create_server())
