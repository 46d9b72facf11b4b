"""The agent for other agents: A2A over HTTP, by the official SDK."""
