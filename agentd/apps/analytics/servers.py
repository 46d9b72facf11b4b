"""The names in client.toml of the servers that the workflow calls. It calls none."""

SQL = "mysql_mcp_server"
OPERATIONS = "sim_testgeluran_server"
GRAPH = "graphiti_server"
PLACEHOLDERS = "placeholder_mcp_server"
NEEDED = (GRAPH, SQL, PLACEHOLDERS)
"""The servers without which the books can't be asked."""
