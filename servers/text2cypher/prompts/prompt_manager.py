"""Builds a prompt as chat messages: constant parts first, so that an endpoint's prefix cache is used."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from servers.text2cypher.core.llm_client import Message
from servers.text2cypher.data import Example
from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.prompts import schema_text

TEMPLATES = Path(__file__).parent / "templates"


class PromptType(Enum):
    """How the model is prompted."""

    ZERO_SHOT = "zero_shot"
    FEW_SHOT = "few_shot"
    CHAIN_OF_THOUGHT = "cot"


class SchemaFormat(Enum):
    """How much of the schema the model is shown."""

    FULL_SCHEMA = "full_schema"
    NODES_PATHS = "nodes_paths"
    ONLY_PATHS = "only_paths"


_SCHEMA_TEXT = {
    SchemaFormat.FULL_SCHEMA: schema_text.full_schema,
    SchemaFormat.NODES_PATHS: schema_text.nodes_paths,
    SchemaFormat.ONLY_PATHS: schema_text.only_paths,
}


def schema_texts(schema: GraphSchema) -> dict[SchemaFormat, str]:
    """The schema in every format."""
    return {kind: text(schema) for kind, text in _SCHEMA_TEXT.items()}


class PromptManager:
    """TEMPLATES holds system.txt and one template per prompt type, with {schema}, {question} and {hints} to fill."""

    def __init__(self, schema: GraphSchema) -> None:
        self._schema = schema
        names = ["system", *(kind.value for kind in PromptType)]
        self._templates = {name: (TEMPLATES / f"{name}.txt").read_text(encoding="utf-8") for name in names}

    def messages(
        self,
        prompt_type: PromptType,
        schema_format: SchemaFormat,
        question: str,
        *,
        hints: str = "",
        examples: Sequence[tuple[Example, str]] = (),
        schema: GraphSchema | None = None,
    ) -> list[Message]:
        """The system message with `schema` (default: all), the examples as turns with their hints, the question."""
        shown = _SCHEMA_TEXT[schema_format](schema or self._schema)
        system = self._templates["system"].replace("{schema}", shown)
        messages = [{"role": "system", "content": system.strip()}]
        for example, known in examples:
            messages.append({"role": "user", "content": self._question(prompt_type, example.question, known)})
            messages.append({"role": "assistant", "content": f"<cypher>{example.cypher}</cypher>"})
        messages.append({"role": "user", "content": self._question(prompt_type, question, hints)})
        return messages

    def _question(self, prompt_type: PromptType, question: str, hints: str) -> str:
        filled = self._templates[prompt_type.value].replace("{hints}", hints).replace("{question}", question)
        return "\n".join(line for line in filled.splitlines() if line.strip())
