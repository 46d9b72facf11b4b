"""Grounding: an official call is made only with what the citizen said or a tool found. A policy around a tool host.

It decides by `agentd.agent.evidence`, then delegates or refuses; it keeps nothing between calls, calls no model and
checks no value's form (that is the server's to do). It stands outside approval, `Grounded(Approved(host))`: in the
other order a human would be asked before anything is proven.
"""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.evidence.case import Case
from agentd.agent.evidence.conversation import conversation
from agentd.agent.evidence.digits import sixteen
from agentd.agent.evidence.fields import Field, fields, form
from agentd.agent.evidence.proof import proven
from agentd.agent.evidence.question import label, question
from agentd.messages import Catalogue, ToolCall, ToolOutcome
from agentd.ports import ProgressSink, ToolHost


class Grounded:
    """A tool host whose official tools take no argument that nobody gave."""

    def __init__(self, inner: ToolHost) -> None:
        self._inner = inner

    def catalogue(self) -> Catalogue:
        """What the inner host offers."""
        return self._inner.catalogue()

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        """Delegate, or refuse: `error_type="grounding"`, the fields in `missing`, one question as the message."""
        if call.tool.official and (missing := ungrounded(call)):
            return _refusal(call, missing)
        return await self._inner.call(call, on_progress)


def ungrounded(call: ToolCall) -> list[Field]:
    """The fields of a call that nothing in `call.said` proves, in the schema's order; required ones not given, too."""
    schema = call.tool.input_schema
    read = form(schema)
    asked = fields(schema, call.input)
    talk = conversation(call.said, read.lexicon, for_others=read.for_others)
    case = Case(talk, call.said, read.lexicon, read.labels)
    proofs: dict[str, bool] = {}
    for field in sorted(asked, key=lambda field: field.kind != "nik"):
        proofs[field.path] = proven(field, case)
        if field.label == "nik" and field.person is None and proofs[field.path]:
            case.nik = sixteen(str(field.value))
    return [field for field in asked if not proofs[field.path]]


def _refusal(call: ToolCall, missing: Sequence[Field]) -> ToolOutcome:
    paths = tuple(field.path for field in missing)
    labels = list(dict.fromkeys(label(field, call.language) for field in missing))
    return ToolOutcome(
        success=False,
        error_type="grounding",
        missing=paths,
        message=question(missing, call.language),
        output={"missing": list(paths), "labels": labels},
    )
