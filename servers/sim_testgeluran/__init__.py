"""The MCP server `sim_testgeluran_server`: runs plans of database operations, read-only. Takes no SQL text."""

from servers.common.extras import require

require("analytics", "aiomysql", "aiosqlite")
