"""Serves the agent to other agents: A2A over HTTP, with the official SDK."""
