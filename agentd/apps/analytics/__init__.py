"""Questions to the books: a workflow of six nodes, and its answer as a tool of the staff's agent."""
