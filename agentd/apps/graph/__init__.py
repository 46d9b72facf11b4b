"""Questions to the graph, as durable runs."""

from agentd.apps.graph.app import Graph

__all__ = ["Graph"]
