"""The sim_testgeluran MCP server. `python -m servers.sim_testgeluran` starts it over stdio."""
