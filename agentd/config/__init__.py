"""Reads client.toml, checks it by line and resolves it into frozen settings."""

from agentd.config.load import Settings, find, load, state_folder
from agentd.config.shipped import shipped

__all__ = ["Settings", "find", "load", "shipped", "state_folder"]
