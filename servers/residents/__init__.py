"""The MCP server `residents`: reads the office's register of residents. Letters and sessions are handled elsewhere."""
