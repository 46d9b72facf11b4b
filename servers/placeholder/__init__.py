"""The MCP server `placeholder_mcp_server`: puts values into a narrative the Indonesian way. Writes no text itself."""
