"""Decides calls that wait for a human: who may decide, what is recorded, how the run continues. No network, no SQL."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from agentd.agent.approval import assents, refused_beforehand, refuses, summary, titled
from agentd.agent.aside import aside
from agentd.agent.four_eyes import differing, judged
from agentd.agent.languages import understood
from agentd.agent.text import fold, normal
from agentd.agent.turn_policy import UNRESTRICTED, TurnPolicy
from agentd.agent.which import Choice, named
from agentd.audit import AuditTrail
from agentd.clock import holds, iso
from agentd.errors import AgentdError, Conflict, Forbidden, InvalidParams, Language, in_each_language
from agentd.messages import AgentOptions, Basis, Caller, Said, ToolCall, ToolInfo
from agentd.ports import Clock, ToolHost
from agentd.runs.agent_executor import ProfileOf
from agentd.runs.engine import Engine
from agentd.runs.records import Decision, Json, PendingApproval, RunRecord
from agentd.runs.store import Opening


class Review(NamedTuple):
    """A citizen's request that waits for an officer (its id), and what the citizen reads meanwhile."""

    request: str
    response: str


class Answered(NamedTuple):
    """What a citizen's message means for the runs that wait."""

    run: RunRecord | None = None
    """The run that the message answers."""
    agrees: bool | None = None
    """Whether it is a yes to the run's call; None if unclear: the summary is shown again."""
    said: str | None = None
    """The citizen's own yes or no, if the message says nothing else."""
    withdrew: bool = False
    """It withdrew a request that waited for an officer."""
    choice: Choice | None = None
    """The question to ask, if it was a yes or no that fits several calls."""


class Reviews(NamedTuple):
    """The app's requests, one per run, for calls that an officer must approve after the citizen."""

    open: Callable[[RunRecord, PendingApproval], Awaitable[Review]]
    """Creates the run's request, or returns the one it has."""
    check_complete: Callable[[str], Awaitable[None]]
    """Raises InvalidParams if an officer noted that a document of this request is missing."""


@dataclass(frozen=True, slots=True)
class ApprovalRules:
    """The apps' rules for waiting calls, and how many seconds a citizen's request may wait for an officer."""

    policy: TurnPolicy = UNRESTRICTED
    reviews: Reviews | None = None
    review_ttl_s: float = 3 * 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Approvals:
    """Decides waiting calls by a plain yes or no in the conversation or by `Agent.approve`."""

    engine: Engine
    tools: ToolHost
    profile_of: ProfileOf
    clock: Clock
    audit: AuditTrail
    rules: ApprovalRules = ApprovalRules()

    async def answered(self, prompt: str, opening: Opening, caller: Caller, *, form: bool = False) -> Answered:
        """Find the waiting run that this prompt decides: a plain yes or no as the session's very next message.

        If several calls wait that the caller may decide, the caller is asked which; the next message chooses one.
        The summary is shown again for one word in a language without a pack (it may be yes or no), and for a visitor's
        further yes to a call that waits for an officer.
        Any other message is a new turn; it withdraws a waiting call whose data it contradicts. A `form` orders another
        letter, so it withdraws nothing that waits for an officer.
        """
        if not form and (answered := self._of_several(prompt, opening, caller)) is not None:
            return answered
        withdrew = False
        for row in opening.waiting:
            if form and row.approval is not None and row.approval.request is not None:
                continue
            next_words = _next_words(row, opening.latest)
            if row.approval is not None and next_words and (assents(prompt) or refuses(prompt)):
                shown = row.approval.rule == "staff" and assents(prompt) and not caller.may("staff")
                return Answered(row, None if shown else assents(prompt), prompt)
            if row.approval is not None and next_words and _unread_word(prompt, row):
                return Answered(row)
            if await aside(self._changed, row, prompt):
                await self.engine.cancel(row.run_id)
                withdrew |= row.approval is not None and row.approval.request is not None
        return Answered(withdrew=withdrew)

    def _of_several(self, prompt: str, opening: Opening, caller: Caller) -> Answered | None:
        """What a yes or no means when several calls wait: the caller is asked which, or chooses if already asked."""
        newest = {  # one run for each distinct call
            (row.approval.tool, json.dumps(row.approval.arguments, sort_keys=True)): (row, row.approval)
            for row in reversed(opening.waiting)
            if row.approval is not None
            and row.approval.request is None
            and (row.approval.rule == "citizen" or caller.may("staff"))
            and not self._over(row.approval)
        }
        waiting = {row.run_id: (row, approval) for row, approval in newest.values()}
        latest = next((run for run in reversed(opening.past) if run != opening.known), None)
        asked = None if latest is None else latest.brief.choice
        if asked is not None and (chosen := waiting.get(asked.chosen(prompt) or "")):
            return Answered(chosen[0], asked.agrees)
        plain = assents(prompt) or refuses(prompt)
        if not plain or len(waiting) < 2 or not (asked or any(_next_words(row, latest) for row, _ in waiting.values())):
            return None
        calls = [titled(self._known(one.tool), one.arguments, row.brief.language) for row, one in waiting.values()]
        return Answered(choice=Choice(assents(prompt), tuple(waiting), named(calls)))

    def _changed(self, row: RunRecord, prompt: str) -> bool:
        """Whether the prompt makes the waiting call impossible, e.g. by correcting a value that it uses."""
        try:
            call = self._waiting(row)
        except AgentdError:
            return True
        shown = Said(by="agent", order=len(call.said), text=(row.outcome or {}).get("response", ""))
        said = (*call.said, shown, Said(by="citizen", order=shown.order + 1, text=prompt))
        return not self.rules.policy.supports(call.model_copy(update={"said": said}))

    def _waiting(self, row: RunRecord) -> ToolCall:
        """The waiting call of the run. Raises the toolset's errors."""
        record = row.record or {}
        pending = record["pending"]
        return ToolCall(
            tool=self.profile_of(row.caller, AgentOptions(), None).toolset.resolve(pending["tool"]),
            input=pending["arguments"],
            run_id=row.run_id,
            session_id=row.session_id,
            step=len(record["steps"]) + 1,
            said=tuple(Said.model_validate(value) for value in record["said"]),
            basis=Basis.model_validate(pending["basis"]) if pending.get("basis") else None,
            language=row.brief.language,
            spoken=row.brief.spoken,
        )

    async def _check(self, row: RunRecord, arguments: Json, changed: list[str]) -> None:
        """Raise InvalidParams if the server would refuse the officer's changes; the citizen's request stays open."""
        try:
            call = self._waiting(row)
        except AgentdError:  # called by hand, on a server whose tools no agent has
            return
        basis = call.basis and call.basis.changed(changed)
        refused = await refused_beforehand(self.tools, call.model_copy(update={"input": arguments, "basis": basis}))
        if refused is not None:
            why = "the tool's server would refuse these arguments"
            raise InvalidParams(why, field="arguments", user_message=refused.message)

    @asynccontextmanager
    async def decided(
        self,
        row: RunRecord,
        approval_id: str,
        approved: bool,
        arguments: dict[str, Any] | None,
        caller: Caller,
        said: str | None = None,
    ) -> AsyncIterator[RunRecord | None]:
        """Record the decision; yield the row with which to continue the run within the context, or None if it waits
        for another officer, or if the same caller already decided so. Raises Conflict, Forbidden and InvalidParams."""
        again = {"approval_id": approval_id, "approved": approved, "by": caller.id, "changed": False}
        if arguments is None and any(again.items() <= one.items() for one in row.brief.decisions):
            yield None
            return
        approval = row.approval
        if row.status != "needs_approval" or approval is None or approval.approval_id != approval_id:
            raise Conflict("this approval is not pending: it was decided, withdrawn, or never asked for")
        if self._over(approval):
            await self.engine.cancel(row.run_id)
            raise Conflict("the approval has expired; ask again", user_message=in_each_language("expired"))
        by_staff = caller.may("staff")
        if approval.rule == "staff" and approved and not by_staff:
            raise Forbidden("this call needs the approval of staff")
        final = arguments if arguments is not None else approval.arguments
        first = approval.arguments if approval.proposed is None else approval.proposed
        changes = differing(approval.arguments, final)
        if changes and not by_staff:
            raise Forbidden("only staff may change what was approved; say the correction in the conversation instead")
        self.engine.check_open(row)
        if approved and changes:
            await self._check(row, final, changes)
        if approved and approval.request is not None and self.rules.reviews is not None:
            await self.rules.reviews.check_complete(approval.request)
        at = iso(self.clock.now())
        yes = judged(approval.json(), row.caller.id, caller, final, at) if approved else None
        review = approval.officer and not by_staff
        what = "refused" if yes is None else "approved" if yes.enough and not review else "agreed"
        facts = {"actor": caller.id, "subject": row.run_id, "session": row.session_id, "tool": approval.tool}
        await self.audit.arecord(f"approval.{what}", **facts, changed=changes)
        proposed = first if differing(first, final) else None
        approvals = yes.approvals if yes else ()
        decision = Decision(approval_id, approved, caller.id, at, final, proposed, approvals, by_staff)
        try:
            yield await self._following(row, approval, decision, what, said)
        except Conflict:
            await self.audit.arecord("approval.overtaken", **facts, changed=changes)
            raise

    async def _following(
        self, row: RunRecord, approval: PendingApproval, decision: Decision, what: str, said: str | None
    ) -> RunRecord | None:
        """The row with which the run continues; or None, and the run waits for another person. Raises Conflict if
        another decision came first."""
        noted = replace(row, brief=replace(row.brief, decisions=(*row.brief.decisions, decision.noted())))
        if what != "agreed":
            pressed = in_each_language("yes" if decision.approved else "no")[row.brief.language]
            return self._decided(noted, decision, said or pressed)
        if approval.officer and not decision.by_staff:
            await self._ask_officer(row, noted, approval)
        else:
            await self._ask_second(row, noted, approval, decision)
        return None

    def _over(self, approval: PendingApproval) -> bool:
        """Whether the approval has expired. A clock set back expires a citizen's approval, but no officer's."""
        now, until = self.clock.now(), datetime.fromisoformat(approval.expires_at)
        if approval.rule == "staff":
            return until <= now
        return not holds(until, now, timedelta(seconds=self.engine.limits.approval_ttl_s))

    async def _ask_second(
        self, row: RunRecord, noted: RunRecord, approval: PendingApproval, decision: Decision
    ) -> None:
        """Let the run wait for another officer's yes to the same arguments."""
        agreed = tuple(agreement.model_dump() for agreement in decision.approvals)
        shown = self._summary(approval.tool, decision.arguments, row.brief.language)
        proposed = approval.proposed if decision.proposed is None else decision.proposed
        changed = replace(approval, arguments=decision.arguments, proposed=proposed)
        another = replace(changed, summary=shown, rule="staff", approvals=agreed)
        await self.engine.ask_another(row, noted, another)

    async def _ask_officer(self, row: RunRecord, noted: RunRecord, approval: PendingApproval) -> None:
        """Let the run wait for an officer's decision after the citizen's yes."""
        basis = Basis.model_validate(approval.basis) if approval.basis else None
        shown = self._summary(approval.tool, approval.arguments, row.brief.language, basis)
        asked = replace(approval, summary=shown, rule="staff", officer=False, four_eyes=True)
        review = Review("", shown) if self.rules.reviews is None else await self.rules.reviews.open(row, asked)
        asked = replace(asked, request=review.request or None, notice=review.response)
        await self.engine.ask_another(row, noted, asked, review.response, self.rules.review_ttl_s)

    def _decided(self, row: RunRecord, decision: Decision, said: str) -> RunRecord:
        """The run's row after the decision; changed arguments become evidence in place of the words said."""
        record = row.record or {}
        text = said if decision.proposed is None else json.dumps(decision.arguments)
        heard = Said(by="citizen", order=len(record["said"]), text=text)
        record = {**record, "said": [*record["said"], heard.model_dump()], "decision": decision.json()}
        request = row.approval is not None and row.approval.request is not None
        withdrew = request and not decision.approved and not decision.by_staff
        return replace(row, record=record, approval=None, brief=replace(row.brief, withdrew=withdrew))

    def _summary(self, tool: str, arguments: Json, language: Language, basis: Basis | None = None) -> str:
        """The summary for an officer's approval."""
        known = self._known(tool).model_copy(update={"official": True})
        return summary(known, arguments, language, "staff", basis)

    def _known(self, tool: str) -> ToolInfo:
        return self.tools.catalogue().tool(tool) or ToolInfo(name=tool, server="")


def _next_words(row: RunRecord, latest: RunRecord | None) -> bool:
    """Whether the message now is the session's next one after the run began to wait."""
    return latest is not None and row.run_id in (latest.run_id, latest.brief.answers)


def _unread_word(prompt: str, row: RunRecord) -> bool:
    """Whether the citizen may decide and the prompt is one word, no question, in a language without a pack."""
    by_citizen = row.approval is not None and row.approval.rule == "citizen"
    one = len(fold(prompt)) == 1 and "?" not in normal(prompt) and not any(map(str.isdigit, prompt))
    return by_citizen and one and not understood(row.brief.spoken)
