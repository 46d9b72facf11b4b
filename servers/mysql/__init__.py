"""The MCP server `mysql_mcp_server`: only SELECT, on the configured SQL database. It plans no queries."""

from servers.common.extras import require

require("analytics", "aiomysql", "aiosqlite", "sqlglot")
