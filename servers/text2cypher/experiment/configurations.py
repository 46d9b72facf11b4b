"""The nine configurations and their names. Data."""

from __future__ import annotations

from servers.text2cypher.prompts import PromptType, SchemaFormat

CONFIGURATIONS = [(prompt_type, schema_format) for prompt_type in PromptType for schema_format in SchemaFormat]
_PROMPTS = {
    PromptType.ZERO_SHOT: "Zero-Shot",
    PromptType.FEW_SHOT: "Few-Shot",
    PromptType.CHAIN_OF_THOUGHT: "CoT",
}
_SCHEMAS = {
    SchemaFormat.FULL_SCHEMA: "Full",
    SchemaFormat.NODES_PATHS: "Nodes+Paths",
    SchemaFormat.ONLY_PATHS: "Paths",
}


def config_name(prompt_type: PromptType, schema_format: SchemaFormat) -> str:
    """For example `Zero-Shot_Nodes+Paths`."""
    return f"{_PROMPTS[prompt_type]}_{_SCHEMAS[schema_format]}"
