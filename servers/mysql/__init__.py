"""The MCP server `mysql_mcp_server`: SELECT, and nothing else, on the configured SQL database. Not a query planner."""

from servers.common.extras import require

require("analytics", "aiomysql", "aiosqlite", "sqlglot")
