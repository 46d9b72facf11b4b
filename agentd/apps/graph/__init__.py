"""Questions to the graph as durable runs."""
