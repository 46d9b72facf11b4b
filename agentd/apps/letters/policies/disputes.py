"""Finds where a citizen contradicts the register. It changes no value: only an officer does, in the register."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from agentd.agent.aside import spend
from agentd.apps.letters.evidence.claims.case import Case
from agentd.apps.letters.evidence.fields.field import Field, fields
from agentd.apps.letters.evidence.judging.proof import last_word
from agentd.messages import Dispute, Said, ToolCall


def disputed(call: ToolCall, case_of: Callable[[Sequence[Said]], Case]) -> dict[str, Dispute]:
    """The fields filled from the register for which the citizen last said another value, with their words.

    Values of the call's other fields don't count: the purpose `daftar kerja online` is no occupation.
    """
    registered = call.basis.registered if call.basis is not None else frozenset()
    found = _disputed(call, case_of(call.said), registered)
    if not found:
        return found
    taken = [str(value) for name, value in call.input.items() if name not in registered]
    return {name: found[name] for name in _disputed(call, case_of(_without(taken, call.said)), found.keys())}


def _disputed(call: ToolCall, case: Case, names: Collection[str]) -> dict[str, Dispute]:
    """{name: what the register and the citizen say} of those of the call's fields that the citizen contradicts."""
    words = {one.order: one.text for one in case.said if one.by == "citizen"}
    found: dict[str, Dispute] = {}
    for field in fields(call.tool.input_schema, call.input, case.form):
        spend()
        if field.path in names and (message := _otherwise(field, case)) is not None:
            found[field.path] = Dispute(title=field.title, registered=str(field.value), said=words.get(message, ""))
    return found


def _otherwise(field: Field, case: Case) -> int | None:
    """The order of the message with the last word on this field if it contradicts the value, else None."""
    claim = last_word(field, case)
    return None if claim is None or claim.supports else claim.message


def _without(values: Sequence[str], said: Sequence[Said]) -> list[Said]:
    """The session without these values in the citizen's words, whatever separates their words."""
    runs = [r"\W+".join(words) for value in values if (words := re.findall(r"\w+", value))]
    taken = re.compile(rf"\b(?:{'|'.join(sorted(runs, key=len, reverse=True))})\b", re.IGNORECASE)
    return [
        one.model_copy(update={"text": taken.sub("…", one.text)}) if runs and one.by == "citizen" else one
        for one in said
    ]
