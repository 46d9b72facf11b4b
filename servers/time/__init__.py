"""The MCP server `time`: what time it is here, and how to greet. Not a scheduler or a calendar of holidays."""
