"""What is said of a query stands in one language file, with what code asks for and nothing else (issue 20)."""

from __future__ import annotations

import ast
from pathlib import Path

from servers.text2cypher import linking
from servers.text2cypher.cypher.functions import _UNSUPPORTED
from servers.text2cypher.linking.language import languages

SERVER = Path(linking.__file__).parent.parent
BY_VALUE = {"unknown_label", "unknown_type", "attempt_by_model", "attempt_by_reading"}  # named where they are chosen


def test_every_message_is_asked_for_and_every_asked_one_is_there() -> None:
    calls = [
        node.args[0]
        for file in SERVER.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "message"
    ]
    texts = [part.value for call in calls for part in ast.walk(call) if isinstance(part, ast.Constant)]
    asked = {text for text in texts if isinstance(text, str) and text.isidentifier()} - {"instead_of_", "attempt_by_"}
    asked |= {"carriage_return", "unicode_escape"} | {f"instead_of_{name.lower()}" for name in _UNSUPPORTED}
    held = {name for name in languages().messages if not name.startswith("hint_")}
    assert asked - {"hint_properties", "hint_related"} == held - BY_VALUE
