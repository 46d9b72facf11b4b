"""Prompts from editable templates and the live schema. Asks no model."""

from servers.text2cypher.prompts.prompt_manager import PromptManager, PromptType, SchemaFormat

__all__ = ["PromptManager", "PromptType", "SchemaFormat"]
