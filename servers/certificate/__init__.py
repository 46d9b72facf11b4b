"""The MCP server `certificate`: the letter service of a kelurahan. Not the daemon's policies (grounding, approval)."""
