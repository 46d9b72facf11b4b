"""Grounding: an official call is made only with what the citizen said or a tool found. A policy around a tool host.

It decides by `agentd.apps.letters.evidence`, then delegates or refuses; it keeps nothing between calls, calls no
model and checks no value's form (that is the server's to do). It stands outside approval,
`Grounded(Approved(host))`: in the other order a human would be asked before anything is proven.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentd.agent.aside import OverBudget, aside, spend
from agentd.apps.letters.completing import completed
from agentd.apps.letters.disputes import disputed
from agentd.apps.letters.evidence import names
from agentd.apps.letters.evidence.case import Case
from agentd.apps.letters.evidence.claims.choices import between
from agentd.apps.letters.evidence.conversation import conversation
from agentd.apps.letters.evidence.digits import sixteen
from agentd.apps.letters.evidence.fields import Field, fields, form
from agentd.apps.letters.evidence.persons import CITIZEN, KIN
from agentd.apps.letters.evidence.proof import proven
from agentd.apps.letters.evidence.question import label, question
from agentd.apps.letters.evidence.readings import Readings, SessionReadings
from agentd.apps.letters.evidence.segments import Mood, Segment
from agentd.apps.letters.evidence.shapes import ANYBODY
from agentd.messages import Said, ToolCall, ToolInfo, ToolOutcome
from agentd.ports import ProgressSink, ToolHost
from agentd.wrappers import ToolHostWrapper


class Grounded(ToolHostWrapper):
    """A tool host whose official tools take no argument that nobody gave."""

    def __init__(self, inner: ToolHost, readings: SessionReadings | None = None) -> None:
        super().__init__(inner)
        self._readings = readings or SessionReadings()

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """Delegate, or refuse: `error_type="grounding"`, the fields in `missing`, one question as the message."""
        if call.tool.official and (missing := await aside(ungrounded, call, self._readings.of(call.session_id))):
            return refusal(call, missing)
        call = await aside(_with_disputes, call, self._readings.of(call.session_id))
        return await self._inner.call(completed(call), on_progress)


def ungrounded(call: ToolCall, readings: Readings | None = None) -> list[Field]:
    """The fields of a call that nothing in `call.said` proves, in the schema's order; required ones not given, too.

    All of them when reading takes longer than it may. `readings`: what was read of this session before.
    """
    try:
        return _unproven(call, readings)
    except OverBudget:
        return fields(call.tool.input_schema, call.input, form(call.tool.input_schema))


def _unproven(call: ToolCall, readings: Readings | None) -> list[Field]:
    case = _case(call.tool, call.said, readings, call.quotes)
    registered = call.basis.registered if call.basis is not None else frozenset()
    asked = [one for one in fields(call.tool.input_schema, call.input, case.form) if one.path not in registered]
    proofs: dict[str, bool] = {}
    for field in sorted(asked, key=lambda field: field.kind != "nik"):
        spend()
        proofs[field.path] = proven(field, case)
        if field.label == "nik" and field.person is None and proofs[field.path]:
            case.nik = sixteen(str(field.value))
    return [_with_open_choices(field, case) for field in asked if not proofs[field.path]]


def _with_disputes(call: ToolCall, readings: Readings) -> ToolCall:
    """The call with what the citizen says of the register's values; what takes longer than it may is left out."""
    if call.basis is None or call.consent is not None or not call.basis.registered:
        return call
    try:
        found = disputed(call, _case(call.tool, call.said, readings))
    except OverBudget:
        return call
    return call.model_copy(update={"basis": call.basis.model_copy(update={"disputed": found})})


def _with_open_choices(field: Field, case: Case) -> Field:
    return replace(field, between=between(field, case)) if field.kind == "choice" else field


def narrowed(tool: ToolInfo, said: Sequence[Said], readings: Readings | None = None) -> ToolInfo:
    """The tool as a constrained model is offered it: where what can be proven can be listed, only that can be written.

    Choices, and numbers that the citizen said (a small model miscopies sixteen digits). Nothing proven: left open; an
    optional field that nobody spoke of is left out, for a model fills what it is offered, and one that was told must be
    filled, for a model forgets what it may.
    """
    case = _case(tool, said, readings)
    words = " \n ".join(one.text for one in said if one.by == "citizen")
    required = list(tool.input_schema.get("required", ()))
    properties = dict(tool.input_schema.get("properties", {}))
    for name, rule in list(properties.items()):
        digits = _SAID_NUMBERS.get(str(rule.get("format")))
        numbers = dict.fromkeys(digits.findall(words)) if digits else {}
        listed = rule.get("enum") or (numbers if len(numbers) <= MOST_LISTED else ())
        allowed = [value for value in listed if _proves(tool, name, value, case)]
        if allowed:
            properties[name] = {**rule, "enum": allowed}
        if name in required:
            continue
        parts = fields(tool.input_schema | {"required": [name]}, {}, case.form)
        if any(_told(field, case) for field in parts):
            required.append(name)
        elif not allowed and not any(_spoken_of(field, case) for field in parts):
            del properties[name]
    schema = {**tool.input_schema, "properties": properties, "required": required}
    return tool.model_copy(update={"input_schema": schema})


MOST_LISTED = 32
"""Numbers that are each tried before a model is offered them; with more of them said the field is left open."""
_SAID_NUMBERS = {
    **dict.fromkeys(("nik", "kk"), re.compile(r"(?<!\d)\d(?:[ .-]?\d){15}(?!\d)")),
    **dict.fromkeys(("rt", "rw"), re.compile(r"(?<!\d)\d{1,3}(?!\d)")),
}


def _proves(tool: ToolInfo, name: str, value: Any, case: Case) -> bool:
    asked = fields(tool.input_schema, {name: value}, case.form)
    return any(field.path == name and proven(field, case) for field in asked)


def fills(tool: ToolInfo, said: Sequence[Said], readings: Readings | None = None) -> bool:
    """Whether the citizen's newest message says something that this form asks for (a question says nothing)."""
    newest = max((one.order for one in said if one.by == "citizen"), default=None)
    case = _case(tool, said, readings)
    return any(
        statement.message == newest and (statement.segment.label in case.labels or bool(statement.asked & case.labels))
        for statement in case.all
    )


def _spoken_of(field: Field, case: Case) -> bool:
    """Whether somebody named the field, if only to ask for it; whom a letter is for has no name of its own."""
    return field.person != ANYBODY and any(
        field.label in (one.segment.label, one.segment.follows, *one.asked) for one in case.talk.statements
    )


def _told(field: Field, case: Case) -> bool:
    """Whether the citizen told the field by its name, or whom the letter is for (`untuk anak saya Putri`)."""
    said = [one.segment for one in case.talk.statements if one.segment.mood is Mood.SAID and one.segment.words]
    if field.person == ANYBODY or field.kind == "relation":
        return any(_names_kin(segment) for segment in said)
    return any(segment.label == field.label and segment.person in (field.person, CITIZEN) for segment in said)


def _names_kin(segment: Segment) -> bool:
    """`anak saya Putri Rahayu`: kin by name, and no datum of theirs."""
    named = all(word.isalpha() for word in segment.words) and names.plausible(names.key(segment.words))
    return named and segment.label is None and segment.person in KIN


def _case(
    tool: ToolInfo, said: Sequence[Said], readings: Readings | None, quotes: Mapping[str, str] | None = None
) -> Case:
    read = form(tool.input_schema)
    readings = readings or Readings()
    talk = conversation(said, read.lexicon, readings, for_others=read.for_others)
    return Case(talk, said, read, readings, quotes)


def refusal(call: ToolCall, missing: Sequence[Field]) -> ToolOutcome:
    """One friendly question for all that is missing."""
    paths = tuple(field.path for field in missing)
    labels = list(dict.fromkeys(label(field, call.language) for field in missing))
    return ToolOutcome(
        success=False,
        error_type="grounding",
        missing=paths,
        message=question(missing, call.language),
        output={"missing": list(paths), "labels": labels},
    )
