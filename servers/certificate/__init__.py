"""The certificate MCP server. `python -m servers.certificate` starts it over stdio."""
