"""The agent's loop: ask the model, act on its one JSON action, show it the outcome, until it answers. No wire, no disk.

Every ask and every call with effects goes through the Journal, so that a run that was killed goes on where it was: the
loop rebuilds itself from what was recorded, and what it decides depends on nothing else.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentd.agent import prompts
from agentd.agent.actions import LIST_TOOLS, CallTool, Final, InvalidAction, parse, schema
from agentd.agent.approval import ApprovalNeeded
from agentd.agent.aside import aside
from agentd.agent.beginning import Beginning
from agentd.agent.history import opening
from agentd.agent.listing import Wanted, manifest, shown_in_full
from agentd.agent.masking import mask
from agentd.agent.picking import PromptTools
from agentd.agent.progress import Asked, Progress
from agentd.agent.streaming import AnswerText
from agentd.agent.toolset import Toolset
from agentd.agent.turn_policy import UNRESTRICTED, Offer, Turn, TurnPolicy, UnsupportedAnswer
from agentd.errors import (
    BY_TYPE,
    AgentdError,
    BudgetExceeded,
    GroundingError,
    InvalidResponse,
    Language,
    MaxSteps,
    ProviderFailure,
    ProviderUnavailable,
    ToolError,
    ToolExecution,
)
from agentd.messages import (
    AgentOptions,
    AgentStep,
    Artifact,
    Caller,
    ChatMessage,
    Consent,
    EventType,
    Fallback,
    ModelReply,
    ModelRequest,
    Said,
    ToolCall,
    ToolInfo,
    ToolOutcome,
    Usage,
)
from agentd.ports import RESTART, ChatModel, Journal, TextChunk, ToolHost

LISTINGS = 3
"""How often a model held to a schema may look for tools in one run where its prompt doesn't describe them all."""
Publish = Callable[[EventType, dict[str, Any]], None]
"""Receives (event type, data) of all that happens; numbering and keeping are the engine's."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far one run may go."""

    max_steps: int = 8
    max_tool_errors: int = 3
    max_tokens: int = 200_000


@dataclass(frozen=True, slots=True)
class Brief:
    """All that a run starts from. `prefix` is the stable start of the prompt, `history` the session's past turns."""

    run_id: str
    session_id: str
    prompt: str
    prefix: tuple[ChatMessage, ...]
    toolset: Toolset
    prompt_tools: PromptTools | None = None
    """The tools that the prompt tells of, where they are too many for all."""
    language: Language = "id"
    history: tuple[ChatMessage, ...] = ()
    said: tuple[Said, ...] = ()
    options: AgentOptions = field(default_factory=AgentOptions)
    limits: Limits = Limits()
    barred: frozenset[str] = frozenset()
    """Providers that this caller's profile does not use."""
    caller: Caller | None = None
    day: str = ""
    """On which day the run began (ISO date), so that `besok` is a date; empty: today."""
    attempt: int = 0
    """Model attempts recorded in the session before this run."""
    resumed: dict[str, Any] | None = None
    """The record of a run that stopped for an approval, with `consent` (or the refusal) that goes on with it."""
    consent: Consent | None = None


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a run came to."""

    status: str
    so_far: Progress
    response: str = ""
    provider: str | None = None
    model: str | None = None
    fallbacks: tuple[Fallback, ...] = ()
    steps: tuple[AgentStep, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    logs: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    attempts: int = 0
    pending: dict[str, Any] | None = None
    """The call that waits for a human: {tool, arguments, summary, rule}."""
    error: AgentdError | None = None

    def record(self) -> dict[str, Any]:
        """What the run goes on from after an approval, as JSON."""
        return {**self.so_far.record(), "pending": self.pending}


class _Waiting(Exception):
    """The call waits for a human."""

    def __init__(self, pending: dict[str, Any]) -> None:
        self.pending = pending
        super().__init__(pending["tool"])


class Agent:
    """One run: `await Agent(model, tools, brief, journal, publish, policy).run()`."""

    def __init__(
        self,
        model: ChatModel,
        tools: ToolHost,
        brief: Brief,
        journal: Journal,
        publish: Publish = lambda *_: None,
        policy: TurnPolicy = UNRESTRICTED,
    ) -> None:
        self._model = model
        self._tools = tools
        self._brief = brief
        self._journal = journal
        self._publish = publish
        self._policy = policy
        self._begun = Beginning.of(brief.toolset, brief.options)
        if brief.resumed is not None:
            self._so_far = Progress.read(brief.resumed)
        else:
            said = [*brief.said, Said(by="citizen", order=len(brief.said), text=brief.prompt, day=brief.day)]
            if typed := brief.options.tool_arguments:
                form = json.dumps(typed, ensure_ascii=False)
                said.append(Said(by="citizen", order=len(said), text=form, day=brief.day))
            first = opening(brief.prompt, brief.language, brief.toolset, brief.prompt_tools, first=not brief.history)
            self._so_far = Progress(messages=[*brief.history, first], said=said)

    async def run(self) -> Conclusion:
        """Run to an answer, an approval that is needed, or a typed error. Never raises but for a cancel."""
        try:
            if self._brief.resumed is not None and self._brief.resumed.get("pending"):
                await self._go_on(self._brief.resumed["pending"])
            while True:
                final = await self._turn()
                if final is not None:
                    return self._concluded("completed", response=final)
        except _Waiting as waiting:
            return self._concluded("needs_approval", pending=waiting.pending)
        except AgentdError as error:
            return self._concluded("failed", error=error)

    def _concluded(self, status: str, **more: Any) -> Conclusion:
        done = self._so_far
        return Conclusion(
            status=status,
            so_far=done,
            provider=done.provider,
            model=done.model,
            fallbacks=tuple(done.fallbacks),
            steps=tuple(done.steps),
            artifacts=tuple(done.artifacts),
            logs=tuple(done.logs),
            usage=done.usage,
            attempts=done.attempts,
            **more,
        )

    # ── one turn ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _turn(self) -> str | None:
        """Ask, and do what is asked for. The answer's text when the model is done."""
        done = self._so_far
        self._publish("model.started", {"turn": done.turns + 1})
        record = await self._journal.step(f"turn-{done.turns}", self._ask)
        self._note_turn(record)
        action = record["action"]
        if action is None:
            raise _revived(record["error"])
        if action["action"] == "final":
            return str(action["response"])
        written = CallTool(action["tool"], action["input"], action.get("quotes", {}))
        call = self._begun.completed(written, done.steps)
        if len(done.steps) >= self._brief.limits.max_steps:
            raise MaxSteps(f"the run used all of its {self._brief.limits.max_steps} tool calls")
        await self._act(call, record.get("outcome"))
        return None

    async def _act(self, call: CallTool, outcome: dict[str, Any] | None, consent: Consent | None = None) -> None:
        """Make the call (unless it was made within its turn) and let the model see what came of it."""
        number = len(self._so_far.steps)
        tool = self._resolved(call.tool)
        name, server = self._named(call.tool)
        started = {"tool": name, "server": server, "step": number + 1}
        waits = tool is not None and tool.approval != "never" and consent is None
        if not waits:
            self._publish("tool.started", started)
        if outcome is None:

            async def made() -> dict[str, Any]:
                try:
                    return (await self._call(call, number, consent)).model_dump(mode="json")
                except ApprovalNeeded as needed:
                    return {"pending": needed.pending}

            outcome = await self._journal.step(f"call-{number}", made, effects=tool is not None and not tool.read_only)
        if pending := outcome.pop("pending", None):
            raise _Waiting(pending)
        if waits:
            self._publish("tool.started", started)
        self._note_call(call, ToolOutcome.model_validate(outcome))

    async def _go_on(self, pending: dict[str, Any]) -> None:
        """The call that waited: made with the human's consent, or refused."""
        consent = self._brief.consent
        call = CallTool(pending["tool"], consent.arguments if consent else pending["arguments"])
        if consent is None:
            refusal = {"id": "Warga tidak menyetujui data ini.", "en": "The citizen did not approve this."}
            outcome = ToolOutcome(success=False, message=refusal[self._brief.language], error_type="declined")
            self._note_call(call, outcome)
        else:
            await self._act(call, None, consent)

    # ── asking the model ─────────────────────────────────────────────────────────────────────────────────────────────

    async def _ask(self) -> dict[str, Any]:
        """One turn of the model, repaired once and passed on to the next provider if need be, as a journal record.

        A read-only call that the turn wants is made here too: one record for both, since doing both again is harmless.
        """
        asked = Asked()
        if (known := self._begun.action(self._so_far)) is not None:
            asked.action = _as_json(known)
            return asked.record()
        try:
            action = await self._action(asked)
        except ProviderFailure as failure:
            asked.error = ProviderUnavailable(f"{failure.kind}: {failure.message}")
        except AgentdError as error:
            asked.error = error
        else:
            asked.action = _as_json(action)
            if isinstance(action, CallTool):
                tool = self._resolved(action.tool)
                free = tool is None or (tool.read_only and not tool.official and tool.approval == "never")
                if free and len(self._so_far.steps) < self._brief.limits.max_steps:
                    name, server = self._named(action.tool)
                    self._publish("tool.progress", {"tool": name, "server": server, "progress": 0.0})
                    outcome = await self._call(action, len(self._so_far.steps), None)
                    asked.outcome = outcome.model_dump(mode="json")
        return asked.record()

    async def _action(self, asked: Asked) -> CallTool | Final:
        skip, wanted = self._brief.barred, await aside(self._schema)
        while True:
            messages = [*self._brief.prefix, *self._so_far.messages]
            try:
                reply = await self._reply(asked, messages, wanted, skip)
            except ProviderUnavailable as error:
                asked.fallbacks += [Fallback.model_validate(value) for value in error.data.get("fallbacks", [])]
                if asked.reason:
                    raise InvalidResponse(f"no provider gave a valid action: {asked.reason}") from None
                raise
            if asked.reason and reply.provider in skip:
                raise InvalidResponse(f"no provider gave a valid action: {asked.reason}")
            try:
                return await aside(self._checked, reply.text)
            except InvalidAction as wrong:
                asked.reason = str(wrong)
            repair = [
                *messages,
                ChatMessage(role="assistant", content=reply.text[:4000] or "…"),
                prompts.repair(asked.reason),
            ]
            again = await self._reply(asked, repair, wanted, skip, provider=reply.provider, model=reply.model)
            try:
                return await aside(self._checked, again.text)
            except UnsupportedAnswer as wrong:
                self._publish("model.delta", {"restart": True, "text": wrong.instead})
                return Final(wrong.instead)
            except InvalidAction as wrong:
                asked.reason = str(wrong)
            skip |= {reply.provider, again.provider}
            asked.fallbacks.append(Fallback(provider=again.provider, kind="bad_output", message=asked.reason))

    def _checked(self, text: str) -> CallTool | Final:
        """The turn's action. Raises InvalidAction; UnsupportedAnswer for an answer that the citizen must not hear."""
        action = parse(text)
        if isinstance(action, Final):
            self._policy.check_answer(self._seen(), action.response)
        return action

    async def _reply(
        self,
        asked: Asked,
        messages: Sequence[ChatMessage],
        wanted: dict[str, Any],
        skip: frozenset[str],
        provider: str | None = None,
        model: str | None = None,
    ) -> ModelReply:
        brief, done = self._brief, self._so_far
        used = done.usage + asked.usage
        if used.output_tokens + used.input_tokens > brief.limits.max_tokens:
            raise BudgetExceeded(f"the run used up its {brief.limits.max_tokens} tokens")
        answer = AnswerText()

        def on_text(chunk: TextChunk) -> None:
            nonlocal answer
            if chunk.restart:
                answer = AnswerText()
                self._publish("model.delta", {"restart": True, "text": ""})
            elif text := answer.feed(chunk.text):
                self._publish("model.delta", {"text": text})

        if asked.attempts:
            on_text(RESTART)
        request = ModelRequest(
            messages=tuple(messages),
            stable=len(brief.prefix),
            json_schema=wanted,
            provider=provider or brief.options.provider,
            model=model or brief.options.model,
            skip=skip,
            attempt=brief.attempt + done.attempts + asked.attempts,
        )
        started = time.perf_counter()
        try:
            reply = await self._model.turn(request, on_text)
        except ProviderUnavailable as error:
            asked.attempts += int(error.data.get("attempts", 1))
            raise
        except ProviderFailure:
            asked.attempts += 1
            raise
        asked.attempts += reply.attempts
        asked.fallbacks += reply.fallbacks
        asked.usage += reply.usage
        asked.provider, asked.model = reply.provider, reply.model
        asked.logs.append(
            f"Permintaan ke model {reply.provider}/{reply.model}: {reply.usage.input_tokens} token masuk, "
            f"{reply.usage.output_tokens} token keluar, {1000 * (time.perf_counter() - started):.0f} ms"
        )
        return reply

    def _schema(self) -> dict[str, Any]:
        """What a constrained model can write in this turn."""
        brief = self._brief
        listings = [step.output for step in self._so_far.steps if step.tool.casefold() == LIST_TOOLS]
        described, searchable = None, brief.prompt_tools is not None
        if brief.prompt_tools is not None:
            described = brief.prompt_tools.names.union(*map(shown_in_full, listings))
        may_list = len(listings) < (LISTINGS if searchable else 1)
        all_shown = Offer(tuple(prompts.in_prompt(brief.toolset, described)), may_list=may_list)
        left = self._policy.offer(self._seen(), all_shown)
        hinted = self._begun.first(self._so_far.steps)
        if hinted is not None:
            alone = self._policy.offer(self._seen(), Offer((hinted,), may_list=False))
            left = Offer(alone.tools or (hinted,), may_list=False, may_answer=False)
        return schema(
            left.tools,
            may_call=bool(brief.toolset.tools),
            may_list=left.may_list,
            may_search=searchable,
            may_answer=left.may_answer,
        )

    def _seen(self) -> Turn:
        """This turn, as policies see it."""
        brief, done = self._brief, self._so_far
        return Turn(
            request=brief.prompt,
            toolset=brief.toolset,
            session_id=brief.session_id,
            said=tuple(done.said),
            steps=tuple(done.steps),
            language=brief.language,
            instructions="\n".join(one.content for one in brief.prefix if one.role == "system"),
            official_refused=not done.may_call_official,
        )

    # ── calling tools ────────────────────────────────────────────────────────────────────────────────────────────────

    def _resolved(self, name: str) -> ToolInfo | None:
        """The tool, or None for list_tools and names that are none."""
        try:
            return self._brief.toolset.resolve(name)
        except ToolError:
            return None

    def _named(self, name: str) -> tuple[str, str | None]:
        tool = self._resolved(name)
        return (name, None) if tool is None else (tool.name, tool.server)

    async def _call(self, call: CallTool, number: int, consent: Consent | None) -> ToolOutcome:
        """One call through the policies; what cannot be called is a failed outcome."""
        if call.tool.casefold() == LIST_TOOLS and self._resolved(call.tool) is None:
            return ToolOutcome(success=True, output=manifest(self._brief.toolset, Wanted.of(call.input)))
        try:
            tool = self._brief.toolset.resolve(call.tool)
        except ToolError as error:
            known = error.data.get("known")
            hint = f"; known tools: {', '.join(known)}" if known else ""
            return ToolOutcome(success=False, message=f"{error.message}{hint}", error_type=error.type)
        name, server = tool.name, tool.server

        def on_progress(progress: float, total: float | None, message: str | None) -> None:
            data = {"tool": name, "server": server, "progress": progress, "total": total, "message": message}
            self._publish("tool.progress", data)

        started = time.perf_counter()
        try:
            async with asyncio.timeout(tool.timeout_s):
                outcome = await self._tools.call(
                    ToolCall(
                        tool=tool,
                        input=call.input,
                        quotes=call.quotes,
                        run_id=self._brief.run_id,
                        session_id=self._brief.session_id,
                        step=number + 1,
                        said=tuple(self._so_far.said),
                        caller=self._brief.caller,
                        consent=consent,
                        language=self._brief.language,
                    ),
                    on_progress,
                )
        except TimeoutError:
            message = f"tool `{name}` did not answer within {tool.timeout_s:g} s"
            outcome = ToolOutcome(success=False, message=message, error_type="tool_execution")
        duration = round(1000 * (time.perf_counter() - started), 3)
        return outcome.model_copy(update={"duration_ms": duration})

    # ── what a record changes ────────────────────────────────────────────────────────────────────────────────────────

    def _note_turn(self, record: dict[str, Any]) -> None:
        done = self._so_far
        fallbacks = [Fallback.model_validate(value) for value in record["fallbacks"]]
        usage = Usage.model_validate(record["usage"])
        done.turns += 1
        done.attempts += record["attempts"]
        done.fallbacks += fallbacks
        done.logs += record["logs"]
        done.usage += usage
        done.provider = record["provider"] or done.provider
        done.model = record["model"] or done.model
        done.may_call_official = True
        for fallback in fallbacks:
            self._publish("model.fallback", {**fallback.model_dump(), "at": record["at"]})
        finished = {"turn": done.turns, "provider": done.provider, "model": done.model, "usage": usage.model_dump()}
        self._publish("model.finished", {**finished, "at": record["at"]})

    def _note_call(self, call: CallTool, outcome: ToolOutcome) -> None:
        """Add the step, show the model its result, and end the run when the same call fails again or too many do."""
        done, brief = self._so_far, self._brief
        name, server = self._named(call.tool)
        made = call.input if outcome.input is None else outcome.input
        step = AgentStep.of(name, server, made, outcome)
        done.steps.append(step)
        done.artifacts += outcome.artifacts
        how = "berhasil" if outcome.success else "gagal"
        place = f" di server {server}" if server else ""
        done.logs.append(mask(f"Memanggil tool {name}{place}: {how}, {outcome.duration_ms:.0f} ms"))
        official = name in brief.toolset.official
        called = prompts.Called(name, self._written(call), outcome, brief.language, brief.prompt, official)
        done.messages += prompts.exchange(called)
        if outcome.success:
            asked = json.dumps(made, ensure_ascii=False)
            done.said.append(Said(by="tool", order=len(done.said), tool=name, text=asked, value=outcome.output))
        files = [artifact.model_dump() for artifact in outcome.artifacts]
        self._publish("tool.finished", {"step": len(done.steps), **step.model_dump(mode="json"), "artifacts": files})
        if not outcome.success and outcome.error_type != "declined":
            self._count_failure(call, outcome)

    def _written(self, call: CallTool) -> dict[str, Any]:
        """The arguments that are a model's to write: it isn't shown what the host filled in."""
        tool = self._resolved(call.tool)
        if tool is None or tool.whole_schema is None:
            return call.input
        return {name: value for name, value in call.input.items() if name in tool.input_schema["properties"]}

    def _count_failure(self, call: CallTool, outcome: ToolOutcome) -> None:
        done = self._so_far
        official = self._named(call.tool)[0] in self._brief.toolset.official
        done.may_call_official = not official  # before the citizen has answered it could only fail again
        same = repr((call.tool.casefold(), sorted(call.input.items(), key=lambda pair: pair[0])))
        repeated = same in done.failed
        done.failed.append(same)
        if repeated or len(done.failed) >= self._brief.limits.max_tool_errors:
            if outcome.error_type == GroundingError.type:
                missing = list(outcome.missing)
                message = f"the model insists on values that were never said: {', '.join(missing)}"
                raise GroundingError(message, user_message=outcome.message, missing=missing)
            kind = BY_TYPE.get(outcome.error_type or "", ToolExecution)
            data = {"user_message": outcome.message} if official and outcome.refused else {}
            raise kind(outcome.message or f"tool `{call.tool}` failed", **data)


def _as_json(action: CallTool | Final) -> dict[str, Any]:
    if isinstance(action, Final):
        return {"action": "final", "response": action.response}
    written = {"action": "call_tool", "tool": action.tool, "input": action.input}
    return {**written, "quotes": action.quotes} if action.quotes else written


def _revived(error: dict[str, str]) -> AgentdError:
    return BY_TYPE.get(error["type"], AgentdError)(error["message"])
