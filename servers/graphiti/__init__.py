"""The graphiti MCP server. `python -m servers.graphiti` starts it over stdio."""
