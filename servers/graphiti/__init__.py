"""The MCP server `graphiti_server`: finds tables by meaning, keeps a session's data. Never touches the SQL database."""
