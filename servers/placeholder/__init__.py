"""The placeholder MCP server. `python -m servers.placeholder` starts it over stdio."""
