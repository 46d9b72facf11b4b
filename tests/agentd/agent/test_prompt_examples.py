"""The turns shown to a model, where a visitor has signed in: what the register fills in is neither asked nor copied."""

from __future__ import annotations

from agentd.agent.prompts import Example, examples
from agentd.agent.toolset import Toolset
from agentd.messages import ToolInfo

WHOLE = {"type": "object", "properties": {"nama": {"type": "string"}, "keperluan": {"type": "string"}}}
LEFT = {"type": "object", "properties": {"keperluan": {"type": "string"}}}
CALL = {"action": "call_tool", "tool": "generate_letter", "input": {"nama": "CONTOH SATU", "keperluan": "BANK"}}
SHOWN = [
    Example({"action": "final", "response": "Siapa nama Anda?"}, user="Saya mau surat", asks="generate_letter"),
    Example(CALL, user="Surat: nama CONTOH SATU, untuk BANK"),
]


def shown(**schemas: object) -> str:
    tool = ToolInfo.model_validate({"name": "generate_letter", "server": "letters", **schemas})
    return "\n".join(turn.content for turn in examples(SHOWN, Toolset(tools=(tool,), servers=())))


def test_who_has_not_signed_in_is_asked_for_everything() -> None:
    text = shown(input_schema=WHOLE)
    assert "Siapa nama Anda?" in text and '"nama":"CONTOH SATU"' in text


def test_who_has_signed_in_is_asked_only_for_what_is_left() -> None:
    text = shown(input_schema=LEFT, whole_schema=WHOLE)
    assert "Siapa nama Anda?" not in text and '"nama"' not in text and '"keperluan":"BANK"' in text
