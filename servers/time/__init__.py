"""The MCP server `time`: the local time, and how to greet. It has no scheduler and no holiday calendar."""
