"""The time MCP server. `python -m servers.time` starts it over stdio."""
