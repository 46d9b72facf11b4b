"""The MCP server `sim_testgeluran_server`: runs plans of read-only database operations. It takes no SQL text."""

from servers.common.extras import require

require("analytics", "aiomysql", "aiosqlite", "sqlglot")
