"""The text2cypher MCP server. `python -m servers.text2cypher` starts it over stdio."""
