"""MCP servers, each a process of its own: `python -m servers.NAME` starts one over stdio."""
