"""Gemini's protocol as plain data: builds requests and interprets every shape of answer. It makes no calls.

A function call in an answer is rewritten as the action it stands for, so that the rest of agentd reads only one form.
Further calls, then any text beside them, follow in that text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

from agentd.messages import ChatMessage, Usage
from bridges.answers import Finish, Piece

Form = Literal["schema", "functions", "none"]
FORMS: tuple[Form, ...] = ("schema", "functions", "none")
"""How to hold an answer to the actions: response schema, functions of which one must be called, or only the prompt."""
BLOCKED = frozenset({"SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "MODEL_ARMOR"})
"""Refusals of content. Not RECITATION, LANGUAGE or SPII (a NIK is personal data): another model can answer those."""
SCHEMA_KEYWORDS = frozenset(
    {"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"}
    | {"minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required"}
)
"""Keywords that `responseJsonSchema` takes (see GenerationConfig); others are dropped, and `const` becomes `enum`."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
"""Valid function names."""


def system_text(messages: Sequence[ChatMessage]) -> str:
    """Join the system messages, which are sent apart from the turns."""
    return "\n\n".join(message.content for message in messages if message.role == "system")


def contents(messages: Sequence[ChatMessage]) -> list[dict[str, Any]]:
    """Return the turns without the system messages."""
    roles = {"user": "user", "assistant": "model"}
    return [
        {"role": roles.get(turn.role, "user"), "parts": [{"text": turn.content}]}
        for turn in messages
        if turn.role != "system"
    ]


def supported(schema: Any) -> Any:
    """Reduce a JSON Schema to the keywords that Gemini takes."""
    if isinstance(schema, list):
        return [supported(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "const":
            kept["enum"] = [value]
        elif keyword in ("properties", "$defs"):
            kept[keyword] = {name: supported(inner) for name, inner in value.items()}
        elif keyword == "enum":
            kept[keyword] = value
        elif keyword in SCHEMA_KEYWORDS:
            kept[keyword] = supported(value)
    return kept


def functions(schema: Mapping[str, Any]) -> dict[str, dict[str, Any]] | None:
    """Convert a schema's actions to functions, as {name: parameters}; None if that isn't possible.

    The parameters are the action's keys except `action` and `tool`: `input` (and `quotes`), or `response`.
    """
    found: dict[str, dict[str, Any]] = {}
    for branch in schema.get("anyOf", [schema]):
        properties = dict(branch.get("properties", {}))
        action, tool = (properties.pop(key, {}).get("const") for key in ("action", "tool"))
        name = tool if action == "call_tool" else action
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in found:
            return None
        required = [key for key in branch.get("required", ()) if key in properties]
        found[name] = supported({"type": "object", "properties": properties, "required": required})
    return found


def constraint(schema: Mapping[str, Any], form: Form) -> dict[str, Any]:
    """Return the part of GenerateContentConfig that holds the answer to the schema."""
    if form == "schema":
        return {"response_mime_type": "application/json", "response_json_schema": supported(schema)}
    found = functions(schema) if form == "functions" else None
    if found is None:
        return {}
    declared = [{"name": name, "parameters_json_schema": parameters} for name, parameters in found.items()]
    one_of_them = {"function_calling_config": {"mode": "ANY", "allowed_function_names": list(found)}}
    return {"tools": [{"function_declarations": declared}], "tool_config": one_of_them}


def piece(answer: Any, offered: Collection[str]) -> Piece:
    """Convert one response or stream event; `offered` are the names of the functions that were offered.

    google-genai raises nothing for a blocked or cut answer: `finish` reports both.
    """
    usage, thoughts = None, 0
    if counted := answer.usage_metadata:
        thoughts = counted.thoughts_token_count or 0
        written = (counted.candidates_token_count or 0) + thoughts
        usage = Usage(input_tokens=counted.prompt_token_count or 0, output_tokens=written)
    if answer.prompt_feedback and answer.prompt_feedback.block_reason:
        return Piece(finish="blocked", detail=_name(answer.prompt_feedback.block_reason), usage=usage)
    if not answer.candidates:
        return Piece(usage=usage)
    candidate = answer.candidates[0]
    parts = (candidate.content.parts if candidate.content else None) or []
    calls = "".join(_action(part.function_call, offered) for part in parts if part.function_call)
    text = "".join(part.text or "" for part in parts if not part.thought)
    reason = _name(candidate.finish_reason) if candidate.finish_reason else ""
    return Piece(text=calls + text, finish=_finish(reason), detail=reason, usage=usage, thought=thoughts > 0)


def _action(call: Any, offered: Collection[str]) -> str:
    """Convert a function call to the action it stands for; an unknown function becomes a tool call of that name."""
    given = dict(call.args or {})
    if call.name == "final" and "response" in given:
        action = {"action": "final", "response": given["response"]}
    elif call.name in offered and "input" in given:
        action = {"action": "call_tool", "tool": call.name, **given}
    else:
        action = {"action": "call_tool", "tool": call.name, "input": given}
    return json.dumps(action, ensure_ascii=False)


def _finish(reason: str) -> Finish | None:
    if reason in ("", "FINISH_REASON_UNSPECIFIED"):
        return None
    known: dict[str, Finish] = {"STOP": "whole", "MAX_TOKENS": "cut"}
    return "blocked" if reason in BLOCKED else known.get(reason, "broken")


def _name(value: Any) -> str:
    return str(getattr(value, "value", value))
