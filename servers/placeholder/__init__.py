"""The MCP server `placeholder_mcp_server`: puts values into a text in Indonesian format. Writes no text itself."""

from servers.common.extras import require

require("analytics", "babel", "num2words")
