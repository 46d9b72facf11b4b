"""What a citizen says that differs from what the register holds. It changes no value: an officer does, there."""

from __future__ import annotations

from agentd.agent.aside import spend
from agentd.apps.letters.evidence.case import Case
from agentd.apps.letters.evidence.fields import Field, fields
from agentd.apps.letters.evidence.proof import last_word
from agentd.messages import Dispute, ToolCall


def disputed(call: ToolCall, case: Case) -> dict[str, Dispute]:
    """The fields that the register filled and of which the citizen's last word is another, with the words."""
    registered = call.basis.registered if call.basis is not None else frozenset()
    words = {one.order: one.text for one in call.said if one.by == "citizen"}
    found: dict[str, Dispute] = {}
    for field in fields(call.tool.input_schema, call.input, case.form):
        spend()
        if field.path in registered and (message := _otherwise(field, case)) is not None:
            found[field.path] = Dispute(title=field.title, registered=str(field.value), said=words.get(message, ""))
    return found


def _otherwise(field: Field, case: Case) -> int | None:
    """The message whose word on this field is the last, and another value; None where there is none."""
    claim = last_word(field, case)
    return None if claim is None or claim.supports else claim.message
