"""Look-ups, a call policy: a call may ask only about persons and things that this session named.

It checks numbers, codes, dates, people and places in calls that aren't official: an optional one that nobody named is
left out, a required one is asked for. Grounded judges official calls; calls outside a conversation are not judged.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.aside import OverBudget, aside
from agentd.agent.text import doubled
from agentd.apps.letters.by_object import by_object
from agentd.apps.letters.claims.named import Named
from agentd.apps.letters.evidence.fields.field import Field, fields, form
from agentd.apps.letters.policies.grounding import refusal
from agentd.messages import Said, ToolCall, ToolInfo, ToolOutcome
from agentd.ports import CallPolicy

_NAMING = frozenset({"nik", "kk", "phone", "code", "email"})
"""Kinds of fields whose values always name somebody or something."""
_ENDS = ".,;:!?\"'()"
MOST_LISTED = 32
"""Maximum number of codes that a constrained model may choose from; with more, the field is left open."""


class LookUps(CallPolicy):
    """Lets a call pass only if it asks about what was named."""

    async def before(self, call: ToolCall) -> ToolCall | ToolOutcome:
        """The call without values that nobody named; refused as by Grounded if the tool requires one."""
        if call.tool.official or not call.said or not call.input:
            return call
        strange = await aside(unnamed, call)
        required = call.tool.input_schema.get("required", ())
        if missing := [field for field in strange if _top(field) in required]:
            return refusal(call, missing)
        left_out = {_top(field) for field in strange}
        kept = {name: value for name, value in call.input.items() if name not in left_out}
        return call.model_copy(update={"input": kept}) if left_out else call


def unnamed(call: ToolCall) -> list[Field]:
    """The arguments that name what nobody named; all arguments if reading exceeds its budget."""
    schema = call.tool.input_schema
    asked = [field for field in fields(schema, call.input, form(schema)) if field.value is not None]
    try:
        named = Named(call.said)
        return [field for field in asked if not named.has(field)]
    except OverBudget:
        return asked


def _top(field: Field) -> str:
    return field.path.split(".")[0]


def askable(tool: ToolInfo, said: Sequence[Said]) -> ToolInfo | None:
    """The tool as a constrained model is offered it: its numbers and codes are limited to those that were named.

    None if it requires one and none was named.
    """
    schema = tool.input_schema
    naming = _naming(tool)
    if not naming:
        return tool
    properties = dict(schema["properties"])
    codes = _codes(said)
    if not codes and any(name in schema.get("required", ()) for name in naming):
        return None
    for name in naming:
        if not codes:
            del properties[name]
        elif len(codes) <= MOST_LISTED and "enum" not in properties[name]:
            properties[name] = {**properties[name], "enum": codes}
    return tool.model_copy(update={"input_schema": {**schema, "properties": properties}})


@by_object
def _naming(tool: ToolInfo) -> tuple[str, ...]:
    """The tool's arguments that always name somebody or something."""
    properties = tool.input_schema.get("properties", {})
    shapes = form(tool.input_schema).shapes
    return tuple(name for name, one in shapes.items() if one.kind in _NAMING and name in properties)


def _codes(said: Sequence[Said]) -> list[str]:
    """Words with a digit or several capitals that the citizen said or a tool found, newest first, each once.

    All of them, unless they are more than MOST_LISTED: then the first MOST_LISTED + 1.
    """
    texts = Named(said).texts
    words = (word.strip(_ENDS) for text in reversed(texts) for word in text.split() if _is_code(word))
    found: dict[str, None] = {}
    for word in filter(None, words):
        found[word] = None
        if len(found) > MOST_LISTED:
            break
    return list(found)


def _is_code(word: str) -> bool:
    return (any(letter.isdecimal() for letter in word) and not doubled(word)) or sum(map(str.isupper, word)) > 1
