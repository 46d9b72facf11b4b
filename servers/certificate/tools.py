"""A letter type as an MCP tool: its schema, and in `_meta` what the daemon needs to know. Issues nothing."""

from __future__ import annotations

from functools import cache
from typing import Any

from mcp_types import Tool, ToolAnnotations

from servers.certificate.issuing.issued import Issued
from servers.certificate.letters.lettertype import LetterType
from servers.certificate.register.chain import digest

_WORDING = {"rows", "text", "declarant", "valid_days"}
"""What a letter says besides its values: a yes to one wording is none to another."""


def generate_tool(letter: LetterType, language: str) -> Tool:
    """Build the tool `generate_KEY`; `language` is that of the letter's folder."""
    return Tool(
        name=letter.tool,
        title=letter.title,
        description=letter.summary,
        input_schema=letter.input_schema(language),
        output_schema=_issued(),
        annotations=ToolAnnotations(
            title=letter.title,
            read_only_hint=False,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
        _meta={
            "agentd/official": True,
            "agentd/letter": True,
            "agentd/checked_by": "check_letter",
            "agentd/asked_by": [letter.title, *letter.titles.values(), *letter.aliases],
            "agentd/terms": letter.translated(),
            "agentd/titles": {language: letter.title} | letter.titles,
            "agentd/assurance": letter.assurance,
            "agentd/declares": letter.declares,
            "agentd/requirements": list(letter.requirements),
            "agentd/valid_days": letter.valid_days,
            "agentd/wording": digest(letter.model_dump_json(include=_WORDING)),
            "agentd/conditions": [condition.model_dump(exclude_defaults=True) for condition in letter.conditions],
        },
    )


@cache
def _issued() -> dict[str, Any]:
    return Issued.model_json_schema()
