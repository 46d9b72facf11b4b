"""Look-ups, a call policy: a call may ask only about persons and things that this session named.

It checks numbers, codes, dates, people and places in calls that aren't official: an optional one that nobody named is
left out, a required one is asked for. A value that its list lacks is refused before anybody says yes to it. Of a tool
that only reads, an optional yes or no that nobody spoke of and free words that nobody said are left out too. Grounded
judges official calls; calls outside a conversation are not judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agentd.agent.aside import OverBudget, aside
from agentd.agent.language import detect
from agentd.agent.languages import understood
from agentd.agent.text import doubled, fold
from agentd.apps.letters.by_object import by_object
from agentd.apps.letters.claims.deeds import looks_up
from agentd.apps.letters.claims.named import Named
from agentd.apps.letters.evidence.claims.case import Case
from agentd.apps.letters.evidence.fields.field import HIDDEN, Field, fields, form, properties
from agentd.apps.letters.evidence.judging.proof import last_word
from agentd.apps.letters.evidence.normalisers.texts import content
from agentd.apps.letters.policies.completing import without_nothing
from agentd.apps.letters.policies.grounding import case_of, refusal
from agentd.apps.letters.policies.meant import weighed
from agentd.messages import Said, ToolCall, ToolInfo, ToolOutcome
from agentd.ports import CallPolicy, Meaning

_NAMING = frozenset({"nik", "kk", "phone", "code", "email"})
"""Kinds of fields whose values always name somebody or something."""
_ENDS = ".,;:!?\"'()"
MOST_LISTED = 32
"""Maximum number of codes that a constrained model may choose from; with more, the field is left open."""


class LookUps(CallPolicy):
    """Lets a call pass only if it asks about what was named."""

    def __init__(self, meaning: Meaning | None = None) -> None:
        self._meaning = meaning

    async def before(self, call: ToolCall) -> ToolCall | ToolOutcome:
        """The call without values that nobody named; refused as by Grounded if the tool requires one."""
        if call.tool.official or not call.said or not call.input:
            return call
        call = without_nothing(call)
        if wrong := await aside(unfit, call):
            return ToolOutcome(success=False, message=wrong, error_type="tool_execution")
        strange = await aside(unnamed, call)
        if self._meaning is not None:
            strange = [field for field in await weighed(strange, call, self._meaning) if not field.doubtful]
        required = call.tool.input_schema.get("required", ())
        if missing := [field for field in strange if _top(field) in required]:
            return refusal(call, missing)
        left_out = {_top(field) for field in strange}
        kept = {name: value for name, value in call.input.items() if name not in left_out}
        return call.model_copy(update={"input": kept}) if left_out else call

    async def after(self, call: ToolCall, outcome: ToolOutcome) -> ToolOutcome:
        """The outcome with the arguments that were kept, so that no answer says that it was narrowed by the others."""
        return outcome if call.tool.official or not call.said else outcome.model_copy(update={"input": call.input})


def unfit(call: ToolCall) -> str:
    """The error text for a required argument that is missing (also a name, day or number as an empty text), or for a
    value that its `enum` lacks; else empty."""
    schema = call.tool.input_schema
    rules, blank = properties(schema), set[str]()
    for field in fields(schema, call.input, form(schema)):
        rule = rules.get(field.key, {})
        known = rule.get("enum") if "x-agentd-spellings" not in rule else None
        if isinstance(known, list) and known and field.value is not None and field.value not in known:
            return f"`{field.path}` must be one of: {', '.join(map(str, known))}"
        blank |= {field.path} if field.value == "" and field.kind != "text" else set()
    needed = schema.get("required", ()) if isinstance(schema.get("properties"), Mapping) else ()
    given = (call.input.keys() | HIDDEN) - blank
    missing = [f"`{name}`" for name in needed if name in schema["properties"] and name not in given]
    return f"required: {', '.join(missing)}" if missing else ""


def unnamed(call: ToolCall) -> list[Field]:
    """The arguments that name what nobody named; all arguments if reading exceeds its budget."""
    schema = call.tool.input_schema
    asked = [field for field in fields(schema, call.input, form(schema)) if field.value is not None]
    try:
        named, unsaid = Named(call.said), _unsaid(call, asked)
        return [unsaid.get(field.path, field) for field in asked if field.path in unsaid or not named.has(field)]
    except OverBudget:
        return asked


def _unsaid(call: ToolCall, asked: Sequence[Field]) -> dict[str, Field]:
    """{path: field} of what a tool that only reads doesn't require and nobody spoke of (`dry_run` is another's);
    no words if the tool is described in another language."""
    if not (understood(call.spoken) and (call.tool.read_only or looks_up(call.tool))):
        return {}
    needed, spoken = call.tool.input_schema.get("required", ()), call.spoken or call.language
    left = [field for field in asked if field.path not in needed and "." not in field.path and not field.free]
    translated = detect(call.tool.description, spoken) != spoken  # by the model, for the tool
    left = [one for one in left if one.kind == "boolean" or (one.kind == "text" and one.senses and not translated)]
    if not left:
        return {}  # as in most look-ups: the session need not be read
    case = case_of(call.tool, call.said)
    said = frozenset(content(word for one in call.said for word in fold(f"{one.text} {one.value or ''}")))
    return {field.path: one for field in left if (one := _strange(field, case, said)) is not None}


def _strange(field: Field, case: Case, said: frozenset[str]) -> Field | None:
    """The field, if the citizen said the other of yes and no, or nobody spoke of it (then it is `read`: it may follow
    from other words); or if nobody `said` one of its free words of a known meaning (a genre, no time zone)."""
    if field.kind == "text":
        return field if said.isdisjoint(content(field.spoken)) else None
    if (last := last_word(field, case)) is not None:
        return None if last.supports else field
    named = (one.keys for turn in case.turns for each in turn.named for one in each)
    spoken_of = any(field.key in keys for keys in (*named, *(keys for turn in case.turns for keys in turn.asked)))
    return None if spoken_of else replace(field, read=True)


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
