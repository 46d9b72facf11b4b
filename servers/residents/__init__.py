"""The MCP server `residents`: the office's register of residents, read. Not the letters, not a session's identity."""
