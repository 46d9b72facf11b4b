"""The Agent.* methods: turn prompts into durable runs and resume them after approvals. No network, no SQL, no loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from agentd.agent.language import detect, own_language
from agentd.agent.picking import PromptTools
from agentd.agent.pins import without_pin
from agentd.agent.policies import unknown_arguments
from agentd.agent.toolset import Toolset
from agentd.clock import iso
from agentd.errors import Conflict, Forbidden, InvalidParams, Language, NotFound
from agentd.messages import AgentOptions, AgentOutcome, Artifact, Caller, Event, ProviderSettings, RunOutcome, Scope
from agentd.ports import Clock
from agentd.runs import visibility
from agentd.runs.agent_executor import ProfileOf
from agentd.runs.approvals import Approvals
from agentd.runs.engine import Engine
from agentd.runs.records import RunBrief, RunRecord
from agentd.runs.store import Opening, RunStore

OFFICE_OPTIONS = ("provider", "model", "system_prompt", "max_steps", "deadline_s")
Select = Callable[[str, Toolset, PromptTools | None], Awaitable[PromptTools | None]]
"""Selects which of the caller's tools this request's prompt describes, given those already described."""


@dataclass(frozen=True, slots=True)
class Agents:
    """How a request's agent is configured; a reload may change these settings."""

    profile_of: ProfileOf
    select: Select
    language: Literal["auto"] | Language = "auto"
    """`auto` means detected in each prompt."""
    providers: Callable[[], Sequence[ProviderSettings]] = tuple


@dataclass(frozen=True, slots=True)
class AgentRuns:
    """Durable agent runs on top of the engine. It knows no model and calls no tool.

    Every method takes the caller; an id that belongs to somebody else raises NotFound, as if it did not exist.
    """

    store: RunStore
    engine: Engine
    agents: Agents
    approvals: Approvals
    clock: Clock

    # ── what callers ask ─────────────────────────────────────────────────────────────────────────────────────────────

    async def run(self, prompt: str, options: AgentOptions, caller: Caller) -> AgentOutcome:
        """Run until completed, needs_approval or cancelled. A failed run raises its AgentdError.

        The same run_id again returns the same run's outcome; with another prompt it raises Conflict.
        """
        caller = visibility.keyed(caller)
        run_id = await self._take_on(prompt, options, caller)
        return _opened(await self._ended(run_id, caller), caller)

    async def start(self, prompt: str, options: AgentOptions, caller: Caller) -> AgentOutcome:
        """Submit the run and return at once (status queued or running)."""
        caller = visibility.keyed(caller)
        run_id = await self._take_on(prompt, options, caller)
        return _opened(visibility.outcome_of(await self._seen(run_id, caller), caller), caller)

    async def get(self, run_id: str, caller: Caller) -> dict[str, Any]:
        """The run's current state; a failed run has `status: "failed"` and `error` {code, message, data}."""
        row = await self._seen(run_id, caller)
        shown = visibility.outcome_of(row, caller).model_dump(mode="json")
        if row.status == "failed":
            error = visibility.error_of(row, caller)
            shown["error"] = {"code": error.code, "message": error.message, "data": error.data}
        return shown

    async def status(self, run_id: str, caller: Caller) -> str:
        """Only the run's status, however large its outcome is. Raises NotFound."""
        return (await self._seen(run_id, caller, whole=False)).status

    async def answer(self, run_id: str, caller: Caller) -> dict[str, Any]:
        """The executor's whole outcome, {} before the run's end. Raises NotFound."""
        return (await self._seen(run_id, caller)).outcome or {}

    async def cancel(self, run_id: str, caller: Caller) -> AgentOutcome:
        """Stop the run within its current step. Raises Conflict if it has ended."""
        await self._seen(run_id, caller)
        await self.engine.cancel(run_id)
        return visibility.outcome_of(await self._seen(run_id, caller), caller)

    async def approve(
        self, run_id: str, approval_id: str, approved: bool, arguments: dict[str, Any] | None, caller: Caller
    ) -> AgentOutcome:
        """Decide the pending call and continue until the run ends or waits again."""
        row = await self._seen(run_id, caller, "staff")
        await self._decide(row, approval_id, approved, arguments, caller)
        return await self._ended(run_id, caller)

    async def list(
        self,
        caller: Caller,
        session_id: str | None = None,
        status: str | None = None,
        limit: int = 50,
        parked: bool = False,
    ) -> dict[str, Any]:
        """Return {"runs": [summaries, newest first]}. `parked`: only runs given up because the daemon died in them."""
        if caller.is_visitor:  # a list would show the other visitors of the same token
            return {"runs": []}
        everybody = caller.may() or (caller.may("staff") and (parked or status == "needs_approval"))
        owner = None if everybody else caller.id
        often = self.engine.limits.max_recoveries if parked else 0
        rows = await self.store.runs_where(
            owner=owner, session_id=session_id, status=status, recovered=often, limit=limit
        )
        return {"runs": [visibility.summary_of(row, caller) for row in rows]}

    async def events(self, run_id: str, caller: Caller, after: int = 0) -> AsyncGenerator[Event]:
        """Yield stored events after `after`, then new ones until the run rests. Raises NotFound at first use."""
        await self.status(run_id, caller)
        artifacts: list[Artifact] = []
        async for event in self.engine.events(run_id, after):
            if caller.may():
                yield event
                continue
            if event.type == "tool.finished":
                artifacts += visibility.published(visibility.artifacts_in(event.data), run_id)
            yield event.model_copy(update={"data": visibility.without_paths(event.data, artifacts)})

    async def artifact(self, run_id: str, name: str, caller: Caller) -> tuple[Artifact, Path]:
        """One file of a run and its path. Raises NotFound, also if the caller may not see the run."""
        row = await self._seen(run_id, caller, "staff")
        for artifact in visibility.artifacts_in(row.outcome):
            if artifact.name == name and artifact.path:
                return artifact, Path(artifact.path)
        raise NotFound("the run made no such file")

    async def _seen(self, run_id: str, caller: Caller, *others: Scope, whole: bool = True) -> RunRecord:
        """The run, if the caller owns it or has one of the scopes. Raises NotFound."""
        row = await self.store.run(run_id, whole=whole)
        if row is not None and others and caller.may(*others):
            return row
        return visibility.owned(row, caller, "run", await self.store.keys_of(run_id) if caller.is_visitor else ())

    # ── taking on ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _take_on(self, prompt: str, options: AgentOptions, caller: Caller) -> str:
        """The id of the run that answers this prompt: a new one, an existing one, or the one that it approves."""
        prompt = without_pin(prompt)
        if options.quoted is not None:
            options = options.model_copy(update={"quoted": without_pin(options.quoted)})
        _check_rights(options, caller)
        self._check_models(options)
        run_id = options.run_id or uuid4().hex
        session_id = options.session_id or uuid4().hex
        opening = Opening()
        if options.session_id is not None or options.run_id is not None:
            opening = await self.store.opening(options.session_id, options.run_id)
        if opening.session is not None:
            visibility.owned_session(opening.session, caller)
        if opening.known is not None and (same := await self._same(run_id, prompt, options, caller, opening.waiting)):
            return same

        answered = await self.approvals.answered(prompt, opening, caller, form=options.tool_hint is not None)
        now = iso(self.clock.now())
        if (run := answered.run) is not None and run.approval is not None:
            approval_id = run.approval.approval_id
            if options.run_id is not None:
                # recorded before the decision: after a kill, the same "ya" sent again decides nothing twice
                brief = RunBrief(answers=run.run_id, decisions=({"approval_id": approval_id},))
                ids = (run_id, session_id, caller.id, "answer")
                await self.store.add_run(RunRecord(*ids, prompt, brief, "completed", now, finished_at=now))
            if answered.agrees is not None:
                await self._decide(run, approval_id, answered.agrees, None, caller, answered.said)
            return run.run_id
        latest = opening.latest.brief if opening.latest else None
        spoken = options.language or self._spoken(prompt, latest)
        language = own_language(spoken)
        profile = self.agents.profile_of(caller, options, None)
        _check_form(options, profile.toolset)
        brief = RunBrief(
            options=options.model_dump(mode="json", exclude={"session_id", "run_id"}, exclude_none=True),
            caller=caller,
            language=language,
            spoken=None if spoken == language else spoken,
            deadline_s=profile.deadline_s,
            deadline_of=profile.deadline_of,
            prompt_tools=await self.agents.select(
                prompt, profile.toolset, None if latest is None else latest.prompt_tools
            ),
            withdrew=answered.withdrew,
            choice=answered.choice,
        )
        row = RunRecord(run_id, session_id, caller.id, "agent", prompt, brief, "queued", now)
        existing = await self.engine.submit(row, visibility.kept_of(caller, opening.session), opening)
        return run_id if existing is None else await self._same(run_id, prompt, options, caller, ()) or run_id

    async def _decide(self, row: RunRecord, *decision: Any) -> None:
        """Decide the run's call; if another decision came first, read the run again and retry."""
        try:
            async with self.approvals.decided(row, *decision) as following:
                if following is not None:
                    await self.engine.go_on(row, following)
        except Conflict:
            now = await self.store.run(row.run_id)
            if now is None or now.brief.decisions == row.brief.decisions:
                raise
            await self._decide(now, *decision)

    def _spoken(self, prompt: str, latest: RunBrief | None) -> str:
        """The code of the language to answer in."""
        if self.agents.language != "auto":
            return self.agents.language
        return detect(prompt, None if latest is None else latest.spoken or latest.language)

    def _check_models(self, options: AgentOptions) -> None:
        known = {one.id: [model.name for model in one.models] for one in self.agents.providers()}
        if options.provider is not None and known and options.provider not in known:
            raise InvalidParams(f"unknown provider `{options.provider}`; known: {', '.join(known)}", field="provider")
        offered = known.get(options.provider, []) if options.provider else [m for ms in known.values() for m in ms]
        if options.model is not None and offered and options.model not in offered:
            raise InvalidParams(f"unknown model `{options.model}`; known: {', '.join(offered)}", field="model")

    async def _same(
        self, run_id: str, prompt: str, options: AgentOptions, caller: Caller, waiting: Sequence[RunRecord]
    ) -> str | None:
        """The existing run of this id, if its request is the same. A visitor needs the key of the first call.

        None for a yes or no that was recorded but not carried out because the daemon died in between.
        """
        row = await self._seen(run_id, caller)
        first = row.brief.options
        form = (first.get("tool_hint"), first.get("tool_arguments")) if row.brief.answers is None else options.form
        same = row.kind in ("agent", "answer") and (row.prompt, form) == (prompt, options.form)
        if not same or options.session_id not in (None, row.session_id):
            why = "this run_id was used with another prompt, form or session: what is new needs a new one"
            raise Conflict(why, run_id=row.run_id)
        noted = {one["approval_id"] for one in row.brief.decisions if row.brief.answers}
        if any(one.approval is not None and one.approval.approval_id in noted for one in waiting):
            return None
        return row.brief.answers or row.run_id

    # ── how a run is shown ───────────────────────────────────────────────────────────────────────────────────────────

    async def _ended(self, run_id: str, caller: Caller) -> AgentOutcome:
        row = await self.engine.wait(run_id)
        if row is None:
            raise NotFound("there is no such run any more")
        if row.status == "failed":
            error = visibility.error_of(row, caller)
            if caller.is_visitor:
                error.data["session_key"] = caller.session_key
            raise error
        return visibility.outcome_of(row, caller)


def _opened(outcome: AgentOutcome, caller: Caller) -> AgentOutcome:
    """The outcome; for a visitor with the session's key."""
    if not caller.is_visitor or caller.session_key is None:
        return outcome
    return RunOutcome(**dict(outcome), session_key=caller.session_key)


def _check_rights(options: AgentOptions, caller: Caller) -> None:
    """Raises Forbidden if a visitor sets options that only the office may set."""
    name = next((name for name in OFFICE_OPTIONS if getattr(options, name) is not None), None)
    if name is not None and caller.is_visitor:
        why = f"is for staff and admin: a kiosk or chat caller may not set {', '.join(OFFICE_OPTIONS)}"
        raise Forbidden(f"options.{name} {why}", field=f"options.{name}")


def _check_form(options: AgentOptions, toolset: Toolset) -> None:
    """Check that the form's tool exists and has its fields. Raises UnknownTool, UnboundTool or InvalidParams."""
    if options.tool_hint is not None:
        tool = toolset.resolve(options.tool_hint)
        if wrong := unknown_arguments(tool, options.tool_arguments or ()):
            raise InvalidParams(f"Invalid params: options.tool_arguments: {wrong}", field="options.tool_arguments")
