"""`python -m servers.placeholder`: start `placeholder_mcp_server`."""

from __future__ import annotations

from servers.common.serve import serve
from servers.placeholder.server import create_server

if __name__ == "__main__":
    serve(create_server())
