"""The Agent.* methods: prompts become durable runs of the loop; approvals resume them. No wire, no SQL."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from agentd.agent.approval import assents, refuses, summary
from agentd.agent.aside import aside
from agentd.agent.four_eyes import differing, judged
from agentd.agent.history import PastTurn, evidence, messages
from agentd.agent.language import detect
from agentd.agent.loop import Agent, Brief, Conclusion
from agentd.agent.picking import Told
from agentd.agent.toolset import Toolset
from agentd.agent.turn_policy import UNRESTRICTED, TurnPolicy
from agentd.audit import AuditTrail
from agentd.errors import BY_TYPE, AgentdError, Conflict, Forbidden, InternalError, InvalidParams, Language, NotFound
from agentd.messages import (
    AgentOptions,
    AgentOutcome,
    AgentStep,
    Artifact,
    Caller,
    Event,
    KeyedOutcome,
    Said,
    Scope,
    ToolCall,
    ToolInfo,
)
from agentd.ports import ChatModel, Clock, ToolHost
from agentd.profiles import Outfit
from agentd.runs.engine import Engine, Result, RunContext, as_seen, iso
from agentd.runs.keys import kept, kept_of_new, new_key
from agentd.runs.store import Opening, Row, RunStore
from agentd.runs.visibility import owned, owned_session, published, without_paths

OFFICE_OPTIONS = ("provider", "model", "system_prompt", "max_steps", "deadline_s")
PAST_TURNS = 50
"""How many turns of a session are looked at, for the prompt and as evidence."""

Dress = Callable[[Caller | None, AgentOptions, Told | None], Outfit]
Tell = Callable[[str, Toolset, Told | None], Awaitable[Told | None]]
"""What the prompt of this request tells of, by the caller's tools and what the session's prompt tells of already."""


async def tell_all(_request: str, _toolset: Toolset, _past: Told | None) -> Told | None:
    """Every tool, however many."""
    return None


class AgentRuns:
    """Implements `agentd.runs.api.Runs`; `execute` is the engine's executor for runs of kind `agent`."""

    def __init__(
        self,
        store: RunStore,
        model: ChatModel,
        tools: ToolHost,
        dress: Dress,
        clock: Clock,
        audit: AuditTrail,
        *,
        tell: Tell = tell_all,
        history_tokens: int = 1500,
        language: str = "auto",
        known_models: Callable[[], dict[str, list[str]]] = dict,
        policy: TurnPolicy = UNRESTRICTED,
    ) -> None:
        self._store = store
        self._model = model
        self._tools = tools
        self._dress = dress
        self._tell = tell
        self._clock = clock
        self._audit = audit
        self._history_tokens = history_tokens
        self._language = language
        self._known_models = known_models
        self._policy = policy
        self._engine: Engine | None = None

    def bind(self, engine: Engine) -> None:
        """The engine and its executors need each other: this closes the circle."""
        self._engine = engine

    @property
    def engine(self) -> Engine:
        """The engine that runs them."""
        assert self._engine is not None, "bind() comes first"
        return self._engine

    # ── what callers ask ─────────────────────────────────────────────────────────────────────────────────────────────

    async def run(self, prompt: str, options: AgentOptions, caller: Caller) -> AgentOutcome:
        """Run to its end, to an approval, or raise what failed it."""
        caller = _keyed(caller)
        run_id = await self._take_on(prompt, options, caller)
        return _opened(await self._ended(run_id, caller), caller)

    async def start(self, prompt: str, options: AgentOptions, caller: Caller) -> AgentOutcome:
        """Take the run on and answer at once."""
        caller = _keyed(caller)
        run_id = await self._take_on(prompt, options, caller)
        return _opened(self._outcome(await self._seen(run_id, caller), caller), caller)

    async def get(self, run_id: str, caller: Caller) -> dict[str, Any]:
        """The run as it stands, a failed one with its `error`."""
        row = await self._seen(run_id, caller)
        shown = self._outcome(row, caller).model_dump(mode="json")
        if row["error"] is not None:
            error = self._error(row, caller)
            shown["error"] = {"code": error.code, "message": error.message, "data": _error_data(error, row)}
        return shown

    async def cancel(self, run_id: str, caller: Caller) -> AgentOutcome:
        """Stop it within its step."""
        await self._seen(run_id, caller)
        await self.engine.cancel(run_id)
        return self._outcome(await self._seen(run_id, caller), caller)

    async def approve(
        self, run_id: str, approval_id: str, approved: bool, arguments: dict[str, Any] | None, caller: Caller
    ) -> AgentOutcome:
        """Decide the pending call and run on to the end."""
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
        """Summaries, newest first; `parked`: only of runs given up because the daemon ended at them."""
        if caller.is_visitor:  # a list would show the other visitors of the same token
            return {"runs": []}
        everybody = caller.may() or (caller.may("staff") and (parked or status == "needs_approval"))
        owner = None if everybody else caller.id
        often = self.engine.max_recoveries if parked else 0
        rows = await self._store.runs_where(
            owner=owner, session_id=session_id, status=status, recovered=often, limit=limit
        )
        return {"runs": [self._summary(row, caller) for row in rows]}

    async def events(self, run_id: str, caller: Caller, after: int = 0) -> AsyncIterator[Event]:
        """Stored events after `after`, then those to come."""
        await self._seen(run_id, caller)
        artifacts: list[Artifact] = []
        async for event in self.engine.events(run_id, after):
            if caller.may():
                yield event
                continue
            if event.type == "tool.finished":
                artifacts += published(_artifacts_in(event.data), run_id)
            yield event.model_copy(update={"data": without_paths(event.data, artifacts)})

    async def artifact(self, run_id: str, name: str, caller: Caller) -> tuple[Artifact, Path]:
        """One file of a run. Raises NotFound."""
        row = await self._seen(run_id, caller, "staff")
        for value in (row["outcome"] or {}).get("artifacts", []):
            artifact = Artifact.model_validate(value)
            if artifact.name == name and artifact.path:
                return artifact, Path(artifact.path)
        raise NotFound("the run made no such file")

    async def _seen(self, run_id: str, caller: Caller, *others: Scope) -> Row:
        """The run, if it is the caller's, or the caller has one of the scopes. Raises NotFound."""
        row = await self._store.run(run_id)
        if row is not None and others and caller.may(*others):
            return row
        return owned(row, caller, "run", await self._store.keys_of(run_id) if caller.is_visitor else ())

    # ── taking on ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _take_on(self, prompt: str, options: AgentOptions, caller: Caller) -> str:
        """The id of the run that answers this prompt: a new one, one taken before, or the one it approves."""
        _check_rights(options, caller)
        self._check_models(options)
        run_id = options.run_id or uuid4().hex
        session_id = options.session_id or uuid4().hex
        found = Opening()
        if options.session_id is not None or options.run_id is not None:
            found = await self._store.opening(options.session_id, options.run_id)
        if found.session is not None:
            owned_session(found.session, caller)
        if found.known is not None:
            return await self._same(run_id, prompt, options, caller)
        if decided := await self._answered(prompt, found, caller):
            if options.run_id is not None:
                await self._remember(options.run_id, decided, prompt, session_id, caller)
            return decided
        now = iso(self._clock.now())
        latest = found.latest["brief"] if found.latest else {}
        before: Language = latest.get("language", "id")
        language = options.language or (self._language if self._language != "auto" else detect(prompt, before))
        outfit = self._dress(caller, options, None)
        told = await self._tell(prompt, outfit.toolset, Told.read(latest.get("told")))
        brief = {
            "options": options.model_dump(mode="json", exclude={"session_id", "run_id"}, exclude_none=True),
            "language": language,
            "caller": caller.model_dump(mode="json"),
            "deadline_s": outfit.deadline_s,
            "told": told and told.record(),
        }
        row: Row = {
            "run_id": run_id,
            "session_id": session_id,
            "owner": caller.id,
            "kind": "agent",
            "prompt": prompt,
            "brief": brief,
            "status": "queued",
            "created_at": now,
        }
        session_row: Row = {"session_id": session_id, "owner": caller.id, "created_at": now, "updated_at": now}
        if caller.is_visitor:
            assert caller.session_key is not None
            key = caller.session_key
            session_row["key_hash"] = kept_of_new(key) if found.session is None else kept(key)
        existing = await self.engine.submit(row, session_row)
        return run_id if existing is None else await self._same(run_id, prompt, options, caller)

    def _check_models(self, options: AgentOptions) -> None:
        known = self._known_models()
        if options.provider is not None and known and options.provider not in known:
            raise InvalidParams(f"unknown provider `{options.provider}`; known: {', '.join(known)}", field="provider")
        offered = known.get(options.provider, []) if options.provider else [m for ms in known.values() for m in ms]
        if options.model is not None and offered and options.model not in offered:
            raise InvalidParams(f"unknown model `{options.model}`; known: {', '.join(offered)}", field="model")

    async def _same(self, run_id: str, prompt: str, options: AgentOptions, caller: Caller) -> str:
        """The run that has this id already, if it is the same one. A visitor needs the key that its first call had."""
        row = await self._seen(run_id, caller)
        if row["prompt"] != prompt or options.session_id not in (None, row["session_id"]):
            raise Conflict("this run_id was used with another prompt or session", run_id=row["run_id"])
        return str(row["brief"].get("answers", row["run_id"]))

    async def _remember(self, run_id: str, decided: str, prompt: str, session_id: str, caller: Caller) -> None:
        """So that the same "ya" under the same run_id, sent again, answers the same run and decides nothing twice."""
        now = iso(self._clock.now())
        row: Row = {
            "run_id": run_id,
            "session_id": session_id,
            "owner": caller.id,
            "kind": "answer",
            "prompt": prompt,
            "brief": {"answers": decided},
            "status": "completed",
            "created_at": now,
            "finished_at": now,
        }
        await self._store.add_run(row, {})

    # ── approvals ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _answered(self, prompt: str, found: Opening, caller: Caller) -> str | None:
        """The waiting run that this prompt decides: a plain yes or no as the very next words of the session.

        Any other words are a new turn; they withdraw what waits when its data is no longer what was said.
        """
        for row in found.waiting:
            next_words = found.latest is not None and found.latest["run_id"] == row["run_id"]
            if next_words and (assents(prompt) or refuses(prompt)):
                if row["approval"]["rule"] == "staff" and assents(prompt) and not caller.may("staff"):
                    return None
                await self._decide(row, row["approval"]["approval_id"], assents(prompt), None, caller, said=prompt)
                return str(row["run_id"])
            if await aside(self._changed, row, prompt):
                await self.engine.cancel(row["run_id"])
        return None

    def _changed(self, row: Row, prompt: str) -> bool:
        """True when what waits could not be called any more after these words (a correction took its evidence)."""
        said = [Said.model_validate(value) for value in row["record"]["said"]]
        said.append(Said(by="citizen", order=len(said), text=prompt))
        caller = Caller.model_validate(row["brief"]["caller"])
        pending = row["record"]["pending"]
        try:
            tool = self._dress(caller, AgentOptions(), None).toolset.resolve(pending["tool"])
        except AgentdError:
            return True
        call = ToolCall(
            tool=tool,
            input=pending["arguments"],
            run_id=row["run_id"],
            session_id=row["session_id"],
            step=len(row["record"]["steps"]) + 1,
            said=tuple(said),
            language=row["brief"]["language"],
        )
        return not self._policy.supports(call)

    async def _decide(
        self,
        row: Row,
        approval_id: str,
        approved: bool,
        arguments: dict[str, Any] | None,
        caller: Caller,
        said: str | None = None,
    ) -> None:
        approval = row["approval"]
        if row["status"] != "needs_approval" or approval is None or approval["approval_id"] != approval_id:
            raise Conflict("this approval is not pending: it was decided, withdrawn, or never asked for")
        if approval["expires_at"] <= iso(self._clock.now()):
            await self.engine.cancel(row["run_id"])
            raise Conflict("the approval has expired; ask again")
        if approval["rule"] == "staff" and not caller.may("staff"):
            raise Forbidden("this call needs the approval of staff")
        final = arguments if arguments is not None else approval["arguments"]
        proposed = approval.get("proposed", approval["arguments"])
        changes = differing(approval["arguments"], final)
        if changes and not caller.may("staff"):
            raise Forbidden("only staff may change what was approved; say the correction in the conversation instead")
        self.engine.check_open(row)
        at = iso(self._clock.now())
        yes = judged(approval, row["brief"]["caller"]["id"], caller, final, at) if approved else None
        what = "refused" if yes is None else "approved" if yes.enough else "agreed"
        await self._audit.arecord(
            f"approval.{what}",
            actor=caller.id,
            subject=row["run_id"],
            session=row["session_id"],
            tool=approval["tool"],
            changed=changes,
        )
        approvals = [agreement.model_dump() for agreement in yes.approvals] if yes else []
        if yes is not None and not yes.enough:
            await self.engine.ask_another(row, self._for_another(row, final, proposed, approvals))
            return
        decision = {
            "approval_id": approval_id,
            "approved": approved,
            "by": caller.id,
            "at": at,
            "changed": bool(differing(proposed, final)),
            "approvals": approvals,
        }
        record = dict(row["record"])
        text = json.dumps(final) if decision["changed"] else said or ("ya" if approved else "tidak")
        heard = Said(by="citizen", order=len(record["said"]), text=text)
        record["said"] = [*record["said"], heard.model_dump()]
        record["decision"] = {**decision, "arguments": final, "proposed": proposed if decision["changed"] else None}
        brief = {**row["brief"], "decisions": [*row["brief"].get("decisions", []), decision]}
        await self.engine.go_on(row, {"record": record, "approval": None, "brief": brief})

    def _for_another(self, row: Row, final: Row, proposed: Row, approvals: Sequence[Row]) -> Row:
        """The approval as a second officer finds it: what is to be agreed to, what was proposed, who agreed."""
        approval = row["approval"]
        known = self._tools.catalogue().tool(approval["tool"]) or ToolInfo(name=approval["tool"], server="")
        text = summary(known.model_copy(update={"official": True}), final, row["brief"].get("language", "id"))
        shown = {**approval, "arguments": final, "summary": text, "rule": "staff", "approvals": [*approvals]}
        return {**shown, "proposed": proposed} if differing(proposed, final) else shown

    # ── the executor ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def execute(self, context: RunContext) -> Result:
        """One segment of a run of the agent's loop."""
        row, kept = context.row, context.row["brief"]
        options = AgentOptions.model_validate(kept["options"])
        caller = Caller.model_validate(kept["caller"])
        told = Told.read(kept.get("told"))
        outfit = self._dress(caller, options, told)
        earlier = [] if context.opens else await self._store.turns_of(row["session_id"], PAST_TURNS + 1)
        past = [_past(turn) for turn in earlier
                if turn["run_id"] != row["run_id"] and turn["created_at"] <= row["created_at"]]  # fmt: skip
        brief = Brief(
            run_id=row["run_id"],
            session_id=row["session_id"],
            prompt=row["prompt"],
            prefix=outfit.prefix,
            toolset=outfit.toolset,
            told=told,
            language=kept["language"],
            history=messages(past, self._history_tokens, outfit.toolset),
            said=evidence(past),
            options=options.model_copy(update={"provider": outfit.provider}),
            limits=outfit.limits,
            barred=outfit.barred,
            caller=caller,
            attempt=row["attempt"],
            resumed=row["record"],
            consent=context.consent(),
        )
        loop = Agent(self._model, self._tools, brief, context.journal, context.publish, self._policy)
        conclusion = await loop.run()
        return self._result(row, conclusion)

    def _result(self, row: Row, conclusion: Conclusion) -> Result:
        artifacts = published(conclusion.artifacts, row["run_id"])
        outcome = {
            "response": conclusion.response,
            "provider": conclusion.provider,
            "model": conclusion.model,
            "fallbacks": [fallback.model_dump() for fallback in conclusion.fallbacks],
            "steps": [step.model_dump(mode="json") for step in conclusion.steps],
            "artifacts": [artifact.model_dump() for artifact in artifacts],
            "logs": list(conclusion.logs),
            "usage": conclusion.usage.model_dump(),
        }
        if conclusion.pending is not None:
            outcome["response"] = conclusion.pending["summary"]
        return Result(
            status=conclusion.status,
            outcome=outcome,
            attempts=conclusion.attempts,
            error=conclusion.error,
            record=None if conclusion.pending is None else conclusion.record(),
            approval=conclusion.pending,
        )

    # ── how a run is shown ───────────────────────────────────────────────────────────────────────────────────────────

    async def _ended(self, run_id: str, caller: Caller) -> AgentOutcome:
        row = await self.engine.wait(run_id)
        if row is None:
            raise NotFound("there is no such run any more")
        if row["status"] == "failed":
            error = self._error(row, caller)
            error.data = _error_data(error, row)
            if caller.is_visitor:
                error.data["session_key"] = caller.session_key
            raise error
        return self._outcome(row, caller)

    def _outcome(self, row: Row, caller: Caller) -> AgentOutcome:
        outcome = row["outcome"] or {}
        if not caller.may():
            artifacts = [Artifact.model_validate(value) for value in outcome.get("artifacts", [])]
            outcome = without_paths(outcome, artifacts)
        known = {key: value for key, value in outcome.items() if key in AgentOutcome.model_fields}
        ids = {"run_id": row["run_id"], "session_id": row["session_id"], "status": row["status"]}
        return AgentOutcome.model_validate({**known, **ids})

    def _error(self, row: Row, caller: Caller) -> AgentdError:
        steps = (row["outcome"] or {}).get("steps", [])
        if not caller.may():
            artifacts = [Artifact.model_validate(value) for value in (row["outcome"] or {}).get("artifacts", [])]
            steps = without_paths(steps, artifacts)
        kind = BY_TYPE.get(row["error"]["type"], InternalError)
        told = {**(row["error"].get("data") or {}), "steps": steps}
        if fallbacks := (row["outcome"] or {}).get("fallbacks"):
            told["fallbacks"] = fallbacks
        return kind(row["error"]["message"], **told)

    def _summary(self, row: Row, caller: Caller) -> dict[str, Any]:
        shown = {key: row[key] for key in ("run_id", "session_id", "kind", "status", "created_at", "finished_at")}
        if row["approval"] is not None:
            shown["approval"] = as_seen(row["approval"])
        if ((row["error"] or {}).get("data") or {}).get("parked"):
            shown["parked"] = True
        if caller.may() or row["owner"] == caller.id:
            shown["prompt"] = row["prompt"]
        return shown


def _keyed(caller: Caller) -> Caller:
    """A visitor who brings no key is given one: it opens the session that begins now, and no other."""
    return caller.with_key(new_key()) if caller.is_visitor and caller.session_key is None else caller


def _opened(outcome: AgentOutcome, caller: Caller) -> AgentOutcome:
    """The outcome with the key of its session, for a visitor."""
    if not caller.is_visitor or caller.session_key is None:
        return outcome
    return KeyedOutcome(**dict(outcome), session_key=caller.session_key)


def _check_rights(options: AgentOptions, caller: Caller) -> None:
    """Raises Forbidden: what steers the agent is the office's, not a visitor's."""
    set_ = [name for name in OFFICE_OPTIONS if getattr(options, name) is not None]
    if set_ and caller.is_visitor:
        raise Forbidden(
            f"options.{set_[0]} is for staff and admin: a kiosk or chat caller may not set {', '.join(OFFICE_OPTIONS)}",
            field=f"options.{set_[0]}",
        )


def _error_data(error: AgentdError, row: Row) -> dict[str, Any]:
    ids = {"run_id": row["run_id"], "session_id": row["session_id"]}
    language = row["brief"].get("language", "id")
    user_message = error.data.get("user_message") or error.user_message(language)
    return {"type": error.type, "user_message": user_message, **ids, **error.data}


def _past(row: Row) -> PastTurn:
    outcome = row["outcome"] or {}
    steps = tuple(AgentStep.model_validate(step) for step in outcome.get("steps", []))
    brief = row["brief"]
    language: Language = brief.get("language", "id")
    heard = outcome.get("response", "") or _failure_told(row, language)
    return PastTurn(row["prompt"], heard, steps, language, Told.read(brief.get("told")))


def _failure_told(row: Row, language: Language) -> str:
    """What the citizen was told of a run that failed; nothing for any other."""
    if row["error"] is None:
        return ""
    told = (row["error"].get("data") or {}).get("user_message")
    return str(told or BY_TYPE.get(row["error"]["type"], InternalError)("").user_message(language))


def _artifacts_in(data: dict[str, Any]) -> list[Artifact]:
    return [Artifact.model_validate(value) for value in data.get("artifacts", [])]
