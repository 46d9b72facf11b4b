"""The servers that the workflow calls, by their names in client.toml. It calls none."""

SQL = "mysql_mcp_server"
OPERATIONS = "sim_testgeluran_server"
GRAPH = "graphiti_server"
PLACEHOLDERS = "placeholder_mcp_server"
NEEDED = (GRAPH, SQL, PLACEHOLDERS)
"""Those without which there are no books to ask."""
