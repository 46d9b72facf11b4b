"""Prompts made from editable templates and the live schema (seed 004 §3.4). Asks no model."""

from servers.text2cypher.prompts.prompt_manager import PromptManager, PromptType, SchemaFormat

__all__ = ["PromptManager", "PromptType", "SchemaFormat"]
