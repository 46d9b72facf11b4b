"""The engine's executor for runs of kind `agent`: runs one segment of the agent's loop. It submits no runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from agentd.agent.brief import Brief, Conclusion, Progress
from agentd.agent.history import PastTurn, evidence, messages
from agentd.agent.languages import replies
from agentd.agent.loop import Agent
from agentd.agent.picking import PromptTools
from agentd.agent.turn_policy import UNRESTRICTED, TurnPolicy
from agentd.clock import OFFICE, day_in
from agentd.messages import AgentOptions, AgentStep, Caller, adapter, canonical
from agentd.ports import ChatModel, ToolHost
from agentd.profiles import AgentProfile
from agentd.runs.execution import Result, RunContext
from agentd.runs.records import Json, PendingApproval, RunBrief, RunRecord, before
from agentd.runs.store import RunStore
from agentd.runs.visibility import published

PAST_TURNS = 50
"""How many turns of a session are read, for the prompt and as evidence."""
SHOWN = {"provider", "model", "fallbacks", "steps", "logs", "usage"}
"""What an outcome shows of the agent's progress as it is."""

ProfileOf = Callable[[Caller | None, AgentOptions, PromptTools | None], AgentProfile]
"""Builds a caller's agent profile for these options and the tools that its session's prompt describes."""

SessionProfile = Callable[[str, Caller | None, AgentOptions, PromptTools | None], Awaitable[AgentProfile]]
"""The same for a session, whose verified visitor can need fewer form fields."""


@dataclass(frozen=True, slots=True)
class Past:
    """How earlier turns are shown: the token budget and the time zone."""

    tokens: int = 1500
    zone: ZoneInfo = OFFICE


@dataclass(frozen=True, slots=True)
class AgentExecutor:
    """Runs the loop with this model, these tools and rules; reads the session's earlier turns from `store`."""

    store: RunStore
    model: ChatModel
    tools: ToolHost
    profile_of: SessionProfile
    policy: TurnPolicy = UNRESTRICTED
    past: Past = Past()

    async def execute(self, context: RunContext) -> Result:
        row, asked = context.row, context.row.brief
        if asked.choice is not None:
            return Result("completed", {"response": asked.choice.question(asked.language)})
        options = AgentOptions.model_validate(asked.options)
        profile = await self.profile_of(row.session_id, row.caller, options, asked.prompt_tools)
        earlier = context.past
        if earlier is None:
            earlier = await self.store.sessions.turns(row.session_id, PAST_TURNS + 1)
        past = [_past(turn, self.past.zone) for turn in before(row, earlier)]
        brief = Brief(
            run_id=row.run_id,
            session_id=row.session_id,
            prompt=row.prompt,
            prefix=profile.prefix,
            toolset=profile.toolset,
            prompt_tools=asked.prompt_tools,
            language=asked.language,
            spoken=asked.spoken,
            history=messages(past, self.past.tokens, profile.toolset),
            said=evidence(past),
            options=options.model_copy(update={"provider": profile.provider}),
            limits=profile.limits,
            barred=profile.barred,
            caller=row.caller,
            day=day_in(self.past.zone, row.created_at),
            attempt=row.attempt,
            resumed=row.record,
            consent=context.consent(),
        )
        loop = Agent(self.model, self.tools, brief, context.journal, context.publish, self.policy)
        conclusion = _with_notice(await loop.run(), asked)
        if conclusion.pending is not None and (known := await self._under_review(conclusion.pending, earlier)):
            conclusion = replace(conclusion, status="completed", pending=None, response=known.notice or known.summary)
        return _result(row, conclusion)

    async def _under_review(self, pending: Json, earlier: Sequence[RunRecord]) -> PendingApproval | None:
        """The same call from an earlier turn if it still waits for an officer, so that no letter is requested twice."""
        wanted = pending["tool"], canonical(pending["arguments"])
        for row in earlier:
            if row.approval is None or row.approval.request is None:
                continue
            now = await self.store.run(row.run_id)  # an officer may have decided it since
            known = now.approval if now is not None and now.status == "needs_approval" else None
            if known and (known.tool, canonical(known.arguments)) == wanted:
                return known
        return None


def _with_notice(conclusion: Conclusion, asked: RunBrief) -> Conclusion:
    """Tell a citizen who withdrew a request that it is withdrawn and, if a new call waits, that it needs a yes."""
    if not asked.withdrew or conclusion.status == "failed":
        return conclusion
    said = replies()[asked.language]
    if conclusion.pending is not None:
        return replace(conclusion, pending={**conclusion.pending, "notice": said.withdrawn_for_another})
    return replace(conclusion, response=f"{said.withdrawn} {conclusion.response}".rstrip())


def _result(row: RunRecord, conclusion: Conclusion) -> Result:
    done = conclusion.so_far
    outcome: Json = adapter(Progress).dump_python(done, mode="json", include=SHOWN)
    outcome["artifacts"] = [artifact.model_dump() for artifact in published(done.artifacts, row.run_id)]
    outcome["response"] = conclusion.response
    if conclusion.pending is not None:
        said = (conclusion.pending.get("notice"), conclusion.pending["summary"])
        outcome["response"] = "\n\n".join(filter(None, said))
    return Result(
        status=conclusion.status,
        outcome=outcome,
        attempts=done.attempts,
        error=conclusion.error,
        record=None if conclusion.pending is None else conclusion.record(),
        approval=conclusion.pending,
    )


def _past(row: RunRecord, zone: ZoneInfo) -> PastTurn:
    outcome = row.outcome or {}
    steps = tuple(AgentStep.model_validate(step) for step in outcome.get("steps", []))
    failure = "" if row.error is None else row.error.raised().user_message(row.brief.language)
    return PastTurn(
        prompt=row.prompt,
        response=outcome.get("response", "") or failure,
        steps=steps,
        language=row.brief.language,
        spoken=row.brief.spoken,
        prompt_tools=row.brief.prompt_tools,
        typed=row.brief.options.get("tool_arguments"),
        quoted=row.brief.options.get("quoted"),
        day=day_in(zone, row.created_at),
    )
