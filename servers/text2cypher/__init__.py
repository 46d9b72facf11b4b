"""The text2cypher MCP server. `python -m servers.text2cypher` starts it over stdio."""

from servers.common.extras import require

require("graph", "ladybug", "llguidance")
