"""The MCP server `sim_testgeluran_server`: runs plans of database operations, read-only. Takes no SQL text."""
