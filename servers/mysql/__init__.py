"""The mysql MCP server. `python -m servers.mysql` starts it over stdio."""
