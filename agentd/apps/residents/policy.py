"""A call policy: fills in official calls of a verified session from the register of residents.

It runs before grounding, which proves only what is left, and sets the call's basis (`ToolCall.basis`); no caller
can set that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from agentd.agent.approval import least_of, reaches
from agentd.agent.toolset import Fit
from agentd.apps.residents.conditions import ConditionUnmet
from agentd.apps.residents.corrections import Corrections
from agentd.apps.residents.filling import (
    Known,
    WhichMember,
    filled,
    named_nik,
    of_nik,
    offered,
    stated,
    still_held,
    whole,
)
from agentd.apps.residents.identity import Identities
from agentd.apps.residents.register import Register
from agentd.apps.residents.replies import replies
from agentd.errors import ToolExecution
from agentd.messages import Basis, Dispute, ToolCall, ToolInfo, ToolOutcome
from agentd.ports import CallPolicy

Seen = Callable[[str], Awaitable[tuple[str, ...]]]
"""Returns the requirements that an officer ticked for a run."""


@dataclass(frozen=True, slots=True)
class Visitors:
    """What is known about a session's visitor now."""

    identities: Identities
    register: Register
    corrections: Corrections

    async def known(self, session_id: str) -> Known | None:
        """The visitor with their family card; None if nobody is verified or the register can't be read: then the
        visitor may still go on with their own words."""
        identity = await self.identities.used(session_id)
        if identity is None:
            return None
        family = self.identities.family(identity)
        resident = of_nik(family, identity.nik)
        if resident is None:
            try:
                family = await self.register.family(identity.nik)
            except ToolExecution:
                return None
            resident = of_nik(family, identity.nik)
            self.identities.keep_family(identity, family)
        return None if resident is None else Known(identity.level, resident, family)

    async def still_hold(self, call: ToolCall, tool: ToolInfo, registered: Collection[str], nik: str) -> bool:
        """Whether the register has these arguments now; True if it can't be read. Raises ConditionUnmet."""
        self.identities.drop_family(call.session_id)
        try:
            return still_held(tool, call.input, registered, nik, await self.register.family(nik))
        except ToolExecution:
            return True

    async def fitting(self, session_id: str) -> Fit | None:
        """The function that adapts official tools to this session; None if nobody is verified."""
        known = await self.known(session_id)
        return None if known is None else lambda tool: offered(tool, known) if tool.official else tool

    async def disputed(self, session_id: str, disputes: Mapping[str, Dispute]) -> None:
        """Create requests for an officer to check what the visitor disputes."""
        identity = await self.identities.of(session_id)
        if identity is not None:
            await self.corrections.note(session_id, identity.nik, disputes)


class Filled(CallPolicy):
    """Sets the basis of official calls."""

    def __init__(self, visitors: Visitors, seen: Seen) -> None:
        self._visitors = visitors
        self._seen = seen

    async def before(self, call: ToolCall) -> ToolCall | ToolOutcome:
        """The call with the register's values, or a refusal: an ambiguous family member, an unmet condition, or a proof
        that ended after the citizen was asked about the call."""
        if not call.tool.official:
            return call
        tool = whole(call.tool)
        try:
            arguments, basis = await self._completed(call, tool)
            _check_level(tool, basis)
        except WhichMember as asked:
            title = tool.input_schema["properties"][asked.field].get("title", asked.field)
            missing = {"missing": [asked.field], "labels": [title]}
            return ToolOutcome(
                success=False, error_type="grounding", missing=(asked.field,), message=str(asked), output=missing
            )
        except _Refused as refused:
            return _refused(str(getattr(replies()[call.language], refused.reply)))
        except ConditionUnmet as refused:
            return _refused(refused.unmet.words(call.language))
        return call.model_copy(update={"tool": tool, "input": arguments, "basis": basis})

    async def after(self, call: ToolCall, outcome: ToolOutcome) -> ToolOutcome:
        """The outcome with the arguments as filled in; notes what the visitor disputes if the call is pending."""
        if not call.tool.official:
            return outcome
        if outcome.pending and (disputed := Basis.model_validate(outcome.pending.get("basis", {})).disputed):
            await self._visitors.disputed(call.session_id, disputed)
        return outcome.model_copy(update={"input": outcome.input or call.input})

    async def _completed(self, call: ToolCall, tool: ToolInfo) -> tuple[dict[str, object], Basis]:
        """The arguments and the basis, as consented to if there is a consent. Raises _Refused, errors of `filled`."""
        if call.consent is not None and call.consent.basis is not None:
            basis = call.consent.basis
            if basis.registered:
                await self._check_register(call, tool, basis.registered, by_staff=call.consent.by_staff)
            return call.input, basis.model_copy(update={"seen": await self._seen(call.run_id)})
        known = await self._visitors.known(call.session_id)
        if known is None:
            by_hand = call.caller is not None and call.caller.may("staff") and call.session_id == call.run_id
            filling = stated(tool.input_schema, call.input, "officer" if by_hand else "citizen")
        else:
            messages = [one.text for one in call.said if one.by == "citizen"]
            filling = filled(tool, call.input, known, messages, call.language)
        return filling.arguments, Basis(level=filling.level, sources=filling.sources)

    async def _check_register(
        self, call: ToolCall, tool: ToolInfo, registered: Collection[str], *, by_staff: bool
    ) -> None:
        """Raise _Refused if a citizen's proof has ended since they were asked, or the register holds other values now.

        An officer may say yes after the visit: the form's own NIK says whose values they are.
        """
        identity = await self._visitors.identities.used(call.session_id)
        if identity is None and not by_staff:
            raise _Refused("ended")
        nik = named_nik(tool.input_schema, call.input) if by_staff else None
        if nik is None and identity is not None:
            nik = identity.nik
        if nik is not None and not await self._visitors.still_hold(call, tool, registered, nik):
            raise _Refused("changed")


def _check_level(tool: ToolInfo, basis: Basis) -> None:
    """Raise _Refused if the act requires a higher level than an officer's yes and the basis is below it."""
    least = least_of(tool)
    if not reaches("officer", least) and not reaches(basis.level, least):
        raise _Refused("only_proven")


def _refused(words: str) -> ToolOutcome:
    return ToolOutcome(success=False, error_type="tool_execution", message=words, output={})


class _Refused(Exception):
    """The call is refused; `reply` names the text for the citizen in the replies."""

    def __init__(self, reply: Literal["ended", "only_proven", "changed"]) -> None:
        self.reply = reply
        super().__init__(reply)
