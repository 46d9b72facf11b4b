"""Grounding, a call policy: an official call is made only with what the citizen said or a tool found.

It decides with `agentd.apps.letters.evidence`, keeps nothing between calls, calls no model and doesn't validate
formats (the server does). It runs before approval, so that no human is asked about an unproven call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agentd.agent.aside import OverBudget, aside, spend
from agentd.agent.languages import understood
from agentd.agent.text import fold, folded_tokens, name_words, stem
from agentd.apps.letters.asking import terms
from agentd.apps.letters.by_object import by_object
from agentd.apps.letters.claims.deeds import asked_by, deed_words, scope_of
from agentd.apps.letters.evidence.claims.asserted import mood, owner
from agentd.apps.letters.evidence.claims.case import Case
from agentd.apps.letters.evidence.claims.host_questions import ASKED, FOR, OFFERED, offered, person_asked
from agentd.apps.letters.evidence.claims.parts import of_turns, parts, people
from agentd.apps.letters.evidence.fields.field import Field, Tool, fields, form
from agentd.apps.letters.evidence.fields.spans import TEXTS
from agentd.apps.letters.evidence.judging.doubts import marked
from agentd.apps.letters.evidence.judging.proof import given_by_nik, grounds, last_word
from agentd.apps.letters.evidence.judging.question import label, question
from agentd.apps.letters.evidence.judging.together import anothers, left
from agentd.apps.letters.evidence.normalisers import choices
from agentd.apps.letters.evidence.normalisers.digits import sixteen
from agentd.apps.letters.evidence.reading.lexicon import RELATIONS, Cue
from agentd.apps.letters.evidence.reading.persons import CITIZEN, OF_ANOTHER, SERVED
from agentd.apps.letters.evidence.reading.readings import Readings, SessionReadings
from agentd.apps.letters.evidence.reading.segments import Mood
from agentd.apps.letters.policies.completing import completed, in_own_words, without_nothing
from agentd.apps.letters.policies.described import Described
from agentd.apps.letters.policies.disputes import disputed
from agentd.apps.letters.policies.meant import weighed
from agentd.messages import Basis, Said, ToolCall, ToolInfo, ToolOutcome
from agentd.ports import CallPolicy, Meaning


class Grounded(CallPolicy):
    """Lets an official call pass only if every argument was given by somebody."""

    def __init__(
        self,
        readings: SessionReadings | None = None,
        described: Described | None = None,
        meaning: Meaning | None = None,
    ) -> None:
        self._readings, self._described = readings or SessionReadings(), described or Described()
        self._meaning = meaning

    async def before(self, call: ToolCall) -> ToolCall | ToolOutcome:
        """Pass the call on or refuse it: `error_type="grounding"`, the fields in `missing`, one question as message.

        A value that was said but may be meant for another field passes as `doubted` if the citizen is asked for a yes.
        """
        if call.tool.official:
            call = without_nothing(call) if call.consent is None else call
            missing, found = await self._unproven(call)
            if (quoting := in_own_words(call, missing)) is not call:
                call = quoting
                missing, found = await self._unproven(call)
            if asked := to_ask(call, missing):
                return refusal(call, asked)
            call = call.model_copy(update={"doubted": tuple(field.path for field in missing)})
            if call.basis is not None and call.consent is None:
                theirs = (name for name in found if call.basis.sources.get(name) == "citizen")
                call = call.model_copy(update={"basis": call.basis.changed(theirs, "derived")})
        if call.basis is not None and call.basis.registered and call.consent is None:
            call = await aside(_with_disputes, call, call.basis, self._readings.of(call.session_id))
        return completed(call)

    async def _unproven(self, call: ToolCall) -> tuple[list[Field], frozenset[str]]:
        """`grounded`, with what the tool's description tells about its fields and what only embeddings can weigh."""
        judged = call.model_copy(update={"tool": await self._described.learn(call.tool)})
        missing, found = await aside(grounded, judged, self._readings.of(call.session_id))
        if self._meaning is not None:
            missing = await weighed(missing, call, self._meaning)
        return missing, found


def to_ask(call: ToolCall, missing: Sequence[Field]) -> list[Field]:
    """The unproven fields to ask the citizen for: not the doubtful ones, if the citizen sees them before a yes anyway
    and a pack reads the citizen's language."""
    shown = call.tool.approval == "citizen" and understood(call.spoken)
    return [field for field in missing if not (shown and field.doubtful)]


def ungrounded(call: ToolCall, readings: Readings | None = None) -> list[Field]:
    """The fields of a call that nothing in `call.said` proves, in the schema's order, with required ones not given."""
    return grounded(call, readings)[0]


def grounded(call: ToolCall, readings: Readings | None = None) -> tuple[list[Field], frozenset[str]]:
    """(`ungrounded`, the arguments that only tools' results give). `readings`: what was read of this session before.

    No argument is grounded if reading exceeds its budget.
    """
    try:
        return _judged(call, readings)
    except OverBudget:
        return fields(call.tool.input_schema, call.input, form(call.tool.input_schema)), frozenset()


def _judged(call: ToolCall, readings: Readings | None) -> tuple[list[Field], frozenset[str]]:
    case = case_of(call.tool, call.said, readings, call.quotes)
    registered = call.basis.registered if call.basis is not None else frozenset()
    given = fields(call.tool.input_schema, call.input, case.form)
    asked = [_served(one, case) for one in given if one.path not in registered]
    proofs: dict[str, frozenset[int] | None] = {}
    for field in sorted(asked, key=lambda field: field.kind != "nik"):
        spend()
        proofs[field.path] = grounds(field, case)
        if field.label == "nik" and field.person is None and proofs[field.path] is not None:
            case.nik = sixteen(str(field.value))
    by_itself = [field for field in asked if proofs[field.path] is not None]
    given = [field for field in by_itself if not anothers(field, by_itself, case)]
    unproven = [field for field in asked if field not in given]
    texts = [field for field in unproven if field.kind in TEXTS]
    if given == by_itself and left(texts, given, case):
        unproven = [field for field in unproven if field not in texts]
    results = {entry.order for entry in call.said if entry.by == "tool"}
    found = (path for path, orders in proofs.items() if orders and orders <= results)
    missing = [_whose(replace(marked(field, given, case), between=_between(field, case)), case) for field in unproven]
    doubted = (one.value for one in missing if one.label == "nik" and one.person is None and one.doubtful)
    case.nik = sixteen(str(next(doubted, case.nik)))
    follow = {one.path for one in missing if given_by_nik(one, case) and last_word(one, case) is None}
    missing = [replace(one, doubtful=True) if one.path in follow else one for one in missing]
    return missing, frozenset(path.partition(".")[0] for path in found)


def _served(field: Field, case: Case) -> Field:
    """The field, assigned to the citizen if it is about the person served and nobody else was mentioned."""
    if field.person not in SERVED or field.person_declared or people(case):
        return field
    return field if any(owner for turn in case.turns for owner in turn.owners) else replace(field, person=None)


def _with_disputes(call: ToolCall, basis: Basis, readings: Readings) -> ToolCall:
    """The call with the register's values that the citizen disputes; unchanged if reading exceeds its budget."""
    try:
        found = disputed(call, lambda said: case_of(call.tool, said, readings))
    except OverBudget:
        return call
    return call.model_copy(update={"basis": basis.model_copy(update={"disputed": found})})


def _whose(field: Field, case: Case) -> Field:
    """A NIK with the person whose the last one said is, if it is somebody else's and nobody asked yet whether the
    letter is for them."""
    if field.label != "nik" or field.person is not None or case.form.for_others:
        return field
    places = (place for turn in case.turns for place in case.find(replace(field, value=""), turn))
    said = [place for place in places if mood(field, place) is Mood.SAID]
    who = owner(said[-1]) if said else None
    if who in (None, CITIZEN, case.subject[0]) or any(person_asked(entry, case.tool) == who for entry in case.said):
        return field
    relation = str(who).removesuffix(OF_ANOTHER)
    cues = (Cue.RELATION, relation) if relation in RELATIONS else (Cue.PRONOUN, "")
    called = (
        " ".join(each.words[mark.start : mark.end])
        for turn in reversed(case.turns)
        for each in reversed(turn.heard.sentences)
        for mark in reversed(each.marks)
        if (mark.cue, mark.value) == cues
    )
    return replace(field, whose=(str(who), word)) if (word := next(called, "")) else field


def _between(field: Field, case: Case) -> tuple[str, ...]:
    """The choices that begin with the citizen's last words on the field: `status cerai` leaves several."""
    answers = (part.words for _, part in of_turns(case) if part.label in (None, field.label))
    return next(filter(None, (choices.begun(words, field.enum) for words in answers)), ())


def fills(tool: ToolInfo, said: Sequence[Said], readings: Readings | None = None) -> bool:
    """Whether the citizen's newest message states something this form asks for (a question states nothing)."""
    case = case_of(tool, said, readings)
    turn = case.turns[-1] if case.turns else None
    heard = [part for part in parts(case, turn) if part.mood is not Mood.OPEN] if turn is not None else []
    return any(part.label in case.labels for part in heard) or bool(heard and turn is not None and turn.asked)


def case_of(
    tool: ToolInfo, said: Sequence[Said], readings: Readings | None = None, quotes: Mapping[str, str] | None = None
) -> Case:
    """The session's evidence for this tool's form."""
    read = form(tool.input_schema)
    readings = readings or Readings()
    return Case(said, read, readings, quotes, _spoken(tool))


@by_object
def _spoken(tool: ToolInfo) -> Tool:
    """The words for a tool: from its schema, its deeds in any language, its title and the phrases that ask for it."""
    schema = json.dumps(tool.input_schema, ensure_ascii=False, default=str)
    spoken = frozenset(fold(f"{' '.join(name_words(tool.name))} {tool.description} {schema.replace('_', ' ')}"))
    deeds = frozenset(word for key in scope_of([tool]).keys for word in deed_words().deeds.get(key, ()))
    asking = map(folded_tokens, (str(tool.annotations.get("title", "")), *asked_by(tool)))
    return Tool(tool.name, spoken | deeds | frozenset(map(stem, spoken)), frozenset(one for one in asking if one[1:]))


def refusal(call: ToolCall, missing: Sequence[Field]) -> ToolOutcome:
    """One friendly question for all missing fields. It asks only for the first field if no pack reads the language or
    the last such question yielded no value."""
    alone = not understood(call.spoken)
    if not any(field.whose[0] for field in missing) and (alone or _asked_in_vain(call, missing)):
        first = replace(missing[0], said=False)
        missing = [_listed(first) if alone else first]
    translated = terms(call.tool, call.language)
    missing = [replace(field, title=translated.get(field.title, field.title)) for field in missing]
    paths = tuple(field.path for field in missing)
    labels = list(dict.fromkeys(label(field, call.language) for field in missing))
    back = {field.path: field.value for field in missing if field.said}
    asked = {**({OFFERED: back} if back else {}), **({ASKED: paths[0]} if alone else {})}
    asked |= next(({FOR: list(field.whose)} for field in missing if field.whose[0]), {})
    return ToolOutcome(
        success=False,
        error_type="grounding",
        missing=paths,
        message=question(missing, call.language),
        output={"missing": list(paths), "labels": labels, **asked},
    )


def _asked_in_vain(call: ToolCall, missing: Sequence[Field]) -> bool:
    """Whether the agent's last message asked for what this call lacks, and the answer gave no more to ask back."""
    last = max((one for one in call.said if one.by == "agent"), key=lambda one: one.order, default=None)
    if last is None or last.tool != call.tool.name:
        return False
    asked = last.value.get("missing") if isinstance(last.value, Mapping) else None
    shown = offered(last)
    return asked is not None and len(missing) >= len(asked) and all(one.path in shown for one in missing if one.said)


def _listed(field: Field) -> Field:
    """The field with what the question lists: numbered choices, so that a number answers, or the format of a date."""
    numbered = tuple(f"{number} {value}" for number, value in enumerate(field.enum.values, 1))
    return replace(field, between=("DD-MM-YYYY",) if field.kind == "date" else numbered)
