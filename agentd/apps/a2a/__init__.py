"""The agent for other agents: A2A over HTTP, by the official SDK."""

from agentd.apps.a2a.app import A2A

__all__ = ["A2A"]
