"""The agent's loop: ask the model, perform its JSON action, show it the outcome, until it answers. No network, no disk.

Every model turn and every call goes through the Journal, so that a killed run resumes where it was. The loop
rebuilds its state from the records, and its decisions depend on nothing else.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from agentd.agent import prompts
from agentd.agent.actions import CallTool, Final
from agentd.agent.brief import Asked, Beginning, Brief, Conclusion, Progress, Publish
from agentd.agent.history import opening
from agentd.agent.languages import replies
from agentd.agent.model_turn import ModelTurn
from agentd.agent.tool_calls import ToolCalls
from agentd.agent.turn_policy import UNRESTRICTED, TurnPolicy
from agentd.errors import (
    BY_TYPE,
    AgentdError,
    GroundingError,
    MaxSteps,
    ProviderFailure,
    ProviderUnavailable,
    ToolExecution,
    raised,
)
from agentd.messages import AgentStep, Consent, Fallback, Said, ToolOutcome, Usage
from agentd.ports import ChatModel, Journal, ToolHost
from hardening.logs import mask


class _Waiting(Exception):
    """The call waits for a human."""

    def __init__(self, pending: dict[str, Any]) -> None:
        self.pending = pending
        super().__init__(pending["tool"])


@dataclass
class Agent:
    """One run: `await Agent(model, tools, brief, journal, publish, policy).run()`."""

    model: ChatModel
    tools: ToolHost
    brief: Brief
    journal: Journal
    publish: Publish = lambda *_: None
    policy: TurnPolicy = UNRESTRICTED

    def __post_init__(self) -> None:
        brief = self.brief
        self._begun = Beginning.of(brief.toolset, brief.options)
        if brief.resumed is not None:
            self._so_far = Progress.read(brief.resumed)
        else:
            said = [*brief.said, Said(by="citizen", order=len(brief.said), text=brief.prompt, day=brief.day)]
            if typed := brief.options.tool_arguments:
                form = json.dumps(typed, ensure_ascii=False)
                said.append(Said(by="citizen", order=len(said), text=form, day=brief.day))
            language, quoted = brief.spoken or brief.language, brief.options.quoted
            first = opening(brief.prompt, language, brief.toolset, brief.prompt_tools, quoted)
            self._so_far = Progress(messages=[*brief.history, first], said=said)
        self._turns = ModelTurn(self.model, brief, self._so_far, self._begun, self.policy, self.publish)
        self._calls = ToolCalls(self.tools, brief, self._so_far, self.publish)

    async def run(self) -> Conclusion:
        """Run until an answer, a needed approval or a typed error. Raises only on cancellation.

        If the run fails after a successful official call, that call's own message is the answer, so that nobody is told
        that an issued letter failed.
        """
        try:
            final = None
            if self.brief.resumed is not None and self.brief.resumed.get("pending"):
                final = await self._go_on(self.brief.resumed["pending"])
            while final is None:
                final = await self._turn()
            return Conclusion("completed", self._so_far, response=final)
        except _Waiting as waiting:
            return Conclusion("needs_approval", self._so_far, pending=waiting.pending)
        except AgentdError as error:
            done = self.brief.toolset.done(self._so_far.steps)
            return Conclusion("completed" if done else "failed", self._so_far, response=done, error=error)

    # ── one turn ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _turn(self) -> str | None:
        """Take one turn: ask the model and perform its action. Returns the final answer, or None to go on."""
        done = self._so_far
        self.publish("model.started", {"turn": done.turns + 1})
        record = await self.journal.step(f"turn-{done.turns}", self._ask, is_last=_ends)
        self._note_turn(record)
        action = record["action"]
        if action is None:
            raise raised(record["error"])
        if action["action"] == "final":
            return str(action["response"])
        call = self._begun.completed(_as_call(action), done.steps)
        if (again := self._done_already(call)) is not None:
            return again
        if len(done.steps) >= self.brief.limits.max_steps:
            raise MaxSteps(f"the run used all of its {self.brief.limits.max_steps} tool calls")
        await self._act(call, record.get("outcome"))
        return None

    def _done_already(self, call: CallTool) -> str | None:
        """The message of the same official call if this run already made it (see `repeats`), else None."""
        tool = self.brief.toolset.known(call.tool)
        if tool is None or not tool.official:
            return None
        made = (step for step in self._so_far.steps if step.tool == tool.name and step.success and step.message)
        again = (step.message for step in made if self.policy.repeats(tool, step.input, {**step.input, **call.input}))
        return next(again, None)

    async def _act(self, call: CallTool, outcome: dict[str, Any] | None, consent: Consent | None = None) -> ToolOutcome:
        """Make the call (unless its turn made it already) and show the model the outcome."""
        number = len(self._so_far.steps)
        tool = self.brief.toolset.known(call.tool)
        name, server = self._calls.named(call.tool)
        started = {"tool": name, "server": server, "step": number + 1}
        waits = tool is not None and tool.approval != "never" and consent is None
        if not waits:
            self.publish("tool.started", started)
        if outcome is None:

            async def act() -> dict[str, Any]:
                made = await self._calls.make(call, consent)
                return made.model_dump(mode="json") if made.pending is None else {"pending": made.pending}

            outcome = await self.journal.step(f"call-{number}", act, effects=tool is not None and not tool.read_only)
        if pending := outcome.pop("pending", None):
            raise _Waiting(pending)
        if waits:
            self.publish("tool.started", started)
        became = ToolOutcome.model_validate(outcome)
        self._note_call(call, became)
        return became

    async def _go_on(self, pending: dict[str, Any]) -> str | None:
        """Make the call that waited, or note that it was refused.

        If an official call fails, or the tool is there no more, the answer is the server's text or the daemon's, so
        that no model claims success.
        """
        consent = self.brief.consent
        arguments = consent.arguments if consent else pending["arguments"]
        changed = {name for name, value in pending["arguments"].items() if arguments.get(name) != value}
        quotes = {name: quote for name, quote in pending.get("quotes", {}).items() if name not in changed}
        call = CallTool(pending["tool"], arguments, quotes)
        if consent is None:
            refusal = replies()[self.brief.language].declined
            outcome = ToolOutcome(success=False, message=refusal, error_type="declined")
            self._note_call(call, outcome)
            return None
        outcome = await self._act(call, None, consent)
        tool = self.brief.toolset.known(call.tool)
        if outcome.success or (tool is not None and not tool.official):
            return None
        return outcome.message if outcome.refused else ToolExecution("").user_message(self.brief.language)

    # ── asking the model ─────────────────────────────────────────────────────────────────────────────────────────────

    async def _ask(self) -> dict[str, Any]:
        """Take the next action and return the journal record: the next look-up of the last turn, or the model's choice.

        A read-only call is made here too and shares the record, since repeating both is harmless.
        """
        asked, done = Asked(), self._so_far
        action: CallTool | Final | None = _as_call(done.more[0]) if done.more else None
        action = action or self._begun.action(done, self.brief.language) or await self._chosen(asked)
        asked.action = None if action is None else _as_json(action)
        if isinstance(action, CallTool):
            asked.more = done.more[1:] or [_as_json(one) for one in action.more]
            if len(done.steps) < self.brief.limits.max_steps and self._calls.is_free(action):
                name, server = self._calls.named(action.tool)
                self.publish("tool.progress", {"tool": name, "server": server, "progress": 0.0})
                asked.outcome = (await self._calls.make(action, None)).model_dump(mode="json")
        return asked.record()

    async def _chosen(self, asked: Asked) -> CallTool | Final | None:
        """The model's choice (see `ModelTurn.action` for repairs and fallbacks); None if `asked.error` ends the run."""
        try:
            return await self._turns.action(asked)
        except ProviderFailure as failure:
            if failure.kind == "blocked":
                says = replies()[self.brief.language]
                asked.logs.append(says.logs["blocked"].format(reason=failure.message))
                return Final(says.blocked)
            asked.error = ProviderUnavailable(f"{failure.kind}: {failure.message}").json()
        except AgentdError as error:
            asked.error = error.json()
        return None

    # ── what a record changes ────────────────────────────────────────────────────────────────────────────────────────

    def _note_turn(self, record: dict[str, Any]) -> None:
        """Add the recorded turn's costs to the progress and publish its events with the recorded time."""
        done = self._so_far
        fallbacks = [Fallback.model_validate(value) for value in record["fallbacks"]]
        usage = Usage.model_validate(record["usage"])
        done.more = record.get("more", [])
        done.turns += 1
        done.attempts += record["attempts"]
        done.fallbacks += fallbacks
        done.logs += record["logs"]
        done.usage += usage
        done.provider = record["provider"] or done.provider
        done.model = record["model"] or done.model
        done.may_call_official = True
        for fallback in fallbacks:
            self.publish("model.fallback", {**fallback.model_dump(), "at": record["at"]})
        finished = {"turn": done.turns, "provider": done.provider, "model": done.model, "usage": usage.model_dump()}
        self.publish("model.finished", {**finished, "at": record["at"]})

    def _note_call(self, call: CallTool, outcome: ToolOutcome) -> None:
        """Add the step and show the model its result; raise if the same call failed twice or too many calls failed."""
        done, brief = self._so_far, self.brief
        name, server = self._calls.named(call.tool)
        made = call.input if outcome.input is None else outcome.input
        step = AgentStep.of(name, server, made, outcome)
        done.steps.append(step)
        done.artifacts += outcome.artifacts
        says = replies()[brief.language].logs
        line, how = says["tool_of" if server else "tool"], says["done" if outcome.success else "failed"]
        done.logs.append(mask(line.format(tool=name, server=server, how=how, ms=outcome.duration_ms)))
        official = name in brief.toolset.official
        left, language = self._leave(call, outcome), brief.spoken or brief.language
        called = prompts.Called(name, self._calls.written(call), outcome, language, brief.prompt, official, left=left)
        done.messages += prompts.exchange(called)
        if outcome.success:
            asked = json.dumps(made, ensure_ascii=False)
            done.said.append(Said(by="tool", order=len(done.said), tool=name, text=asked, value=outcome.output))
        files = [artifact.model_dump() for artifact in outcome.artifacts]
        self.publish("tool.finished", {"step": len(done.steps), **step.model_dump(mode="json"), "artifacts": files})
        if not outcome.success and outcome.error_type != "declined":
            self._count_failure(call, outcome)

    def _leave(self, call: CallTool, outcome: ToolOutcome) -> tuple[str, ...]:
        """The tools of the turn's other calls if they are not made: a look-up alone follows another that succeeded."""
        done = self._so_far
        may_call = len(done.steps) < self.brief.limits.max_steps
        looks_up = all(self._calls.is_free(one) for one in (call, *map(_as_call, done.more[:1])))
        left = () if outcome.success and may_call and looks_up else tuple(one["tool"] for one in done.more)
        done.more = [] if left else done.more
        return left

    def _count_failure(self, call: CallTool, outcome: ToolOutcome) -> None:
        done = self._so_far
        official = self._calls.named(call.tool)[0] in self.brief.toolset.official
        done.may_call_official = not official  # it would fail again until the citizen has answered
        same = repr((call.tool.casefold(), sorted(call.input.items(), key=lambda pair: pair[0])))
        repeated = same in done.failed
        done.failed.append(same)
        if repeated or len(done.failed) >= self.brief.limits.max_tool_errors:
            if outcome.error_type == GroundingError.type:
                missing = list(outcome.missing)
                message = f"the model insists on values that were never said: {', '.join(missing)}"
                raise GroundingError(message, user_message=outcome.message, missing=missing)
            kind = BY_TYPE.get(outcome.error_type or "", ToolExecution)
            data = {"user_message": outcome.message} if official and outcome.refused else {}
            raise kind(outcome.message or f"tool `{call.tool}` failed", **data)


def _ends(record: dict[str, Any]) -> bool:
    """Whether the run ends with this turn: it answered or failed."""
    action = record.get("action")
    return action is None or action["action"] == "final"


def _as_call(written: dict[str, Any]) -> CallTool:
    return CallTool(written["tool"], written["input"], written.get("quotes", {}))


def _as_json(action: CallTool | Final) -> dict[str, Any]:
    if isinstance(action, Final):
        return {"action": "final", "response": action.response}
    written = {"action": "call_tool", "tool": action.tool, "input": action.input}
    return {**written, "quotes": action.quotes} if action.quotes else written
