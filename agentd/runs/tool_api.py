"""Tools.call: one call outside any conversation. A call that waits for a human becomes a run of kind `call`; others are
made at once."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from agentd.agent.toolset import Toolset
from agentd.audit import AuditTrail
from agentd.errors import BY_TYPE, Forbidden, ToolExecution
from agentd.messages import AgentStep, Caller, Catalogue, Said, ToolCall, ToolInfo, ToolOutcome
from agentd.ports import ToolHost
from agentd.runs.execution import Result, RunContext
from agentd.runs.questions import Questions
from agentd.runs.sessions import BY_HAND
from agentd.runs.visibility import keyed, published, without_paths
from hardening.logs import mask

ToolsOf = Callable[[Caller | None], Toolset]


@dataclass(frozen=True, slots=True)
class DirectTools:
    """The tools as one caller sees them: tools outside the caller's profile do not exist.

    `questions` submits a call as a run of kind `call`.
    """

    host: ToolHost
    tools_of: ToolsOf
    audit: AuditTrail
    questions: Questions

    def catalogue(self, caller: Caller) -> Catalogue:
        toolset = self.tools_of(caller)
        return Catalogue(tools=toolset.every, servers=toolset.servers)

    async def call(self, tool: str, tool_input: dict[str, Any], server: str | None, caller: Caller) -> AgentStep:
        """Make one call. Raises UnknownTool, UnboundTool, Forbidden, ToolExecution."""
        toolset = self.tools_of(caller)
        info = toolset.resolve(tool) if server is None else toolset.expected(tool, server)
        if info.official and not caller.may("staff"):
            raise Forbidden(f"{info.name} is an official tool: calling it directly needs the scope staff")
        waits = info.official or info.approval != "never"
        if info not in toolset.tools and (waits or info not in toolset.asleep):
            # The tool is not listed yet, so a run must not store arguments that may be unfit for it.
            raise ToolExecution(f"the server `{info.server}` is not up; try again once it is", tool=info.name)
        if waits:
            return await self._in_a_run(info, {"tool": tool, "server": server, "input": tool_input}, keyed(caller))
        return await self._at_once(info, tool_input, caller)

    async def _in_a_run(self, info: ToolInfo, wanted: dict[str, Any], caller: Caller) -> AgentStep:
        """The step of a run of kind `call`; while that waits for a human, a failed one that holds the approval."""
        words = json.dumps(wanted, ensure_ascii=False)
        answer = await self.questions.ask(words, caller=caller, session_id=None, run_id=None)
        if answer["status"] != "needs_approval":
            return AgentStep.model_validate(answer["steps"][0])
        waiting = {"run_id": answer["run_id"], "approval": answer["approval"]}
        if caller.is_visitor:
            waiting |= {"session_id": answer["session_id"], "session_key": caller.session_key}
        outcome = ToolOutcome(success=False, output=waiting, message=answer["response"])
        return AgentStep.of(info.name, info.server, wanted["input"], outcome)

    async def _at_once(self, info: ToolInfo, tool_input: dict[str, Any], caller: Caller) -> AgentStep:
        run_id = f"{BY_HAND}{uuid4().hex}"
        if not info.read_only:  # the tool's `_meta` names the argument that is the call's subject
            about = str(tool_input.get(info.meta.get("agentd/audit_subject", ""), ""))
            await self.audit.arecord("tool.called", actor=caller.id, subject=about, tool=info.name, server=info.server)
        made = call_of(info, tool_input, run_id, run_id, caller=caller)
        started = time.perf_counter()
        outcome = await self.questions.engine.others.do(self.host.call(made), effects=not info.read_only)
        outcome = outcome.model_copy(update={"duration_ms": round(1000 * (time.perf_counter() - started), 3)})
        return step_of(info, tool_input, outcome, run_id, caller)


@dataclass(frozen=True, slots=True)
class ToolExecutor:
    """Makes the call in the run's prompt, {"tool", "server", "input"} as JSON."""

    host: ToolHost
    tools_of: ToolsOf

    async def execute(self, context: RunContext) -> Result:
        row, caller = context.row, context.row.caller
        wanted = json.loads(row.prompt)
        info = self.tools_of(caller).resolve(wanted["tool"], wanted["server"])
        consent = context.consent()
        arguments = wanted["input"] if consent is None else consent.arguments
        if row.decision is not None and consent is None:
            outcome = ToolOutcome(success=False, message="the call was not approved")
            return Result("completed", _outcome(AgentStep.of(info.name, info.server, arguments, outcome), ()))
        more = {"caller": caller, "consent": consent, "language": row.brief.language}
        made = call_of(info, arguments, row.run_id, row.session_id, **more)

        async def act() -> dict[str, Any]:
            outcome = await self.host.call(made)
            return outcome.model_dump(mode="json") if outcome.pending is None else {"pending": outcome.pending}

        record = await context.journal.step("call", act, effects=not info.read_only)
        if pending := record.get("pending"):
            said = [one.model_dump() for one in made.said]
            unfinished = {"pending": pending, "said": said, "steps": []}
            return Result("needs_approval", {"response": pending["summary"]}, record=unfinished, approval=pending)
        outcome = ToolOutcome.model_validate(record)
        step = step_of(info, arguments, outcome, row.run_id, caller)
        return Result("completed", _outcome(step, published(outcome.artifacts, row.run_id)))


def call_of(info: ToolInfo, arguments: dict[str, Any], run_id: str, session_id: str, **more: Any) -> ToolCall:
    """Build the ToolCall; the arguments of staff or a program are their own evidence."""
    words = Said(by="citizen", order=0, text=json.dumps(arguments, ensure_ascii=False))
    return ToolCall(tool=info, input=arguments, run_id=run_id, session_id=session_id, step=1, said=(words,), **more)


def step_of(info: ToolInfo, arguments: dict[str, Any], outcome: ToolOutcome, run_id: str, caller: Caller) -> AgentStep:
    """The step as the caller may see it. Raises the error of a failed call."""
    if not outcome.success:
        kind = BY_TYPE.get(outcome.error_type or "", ToolExecution)
        said = mask(outcome.message)
        own = {"user_message": said} if outcome.refused else {}
        raise kind(said or f"tool `{info.name}` failed", tool=info.name, server=info.server, **own)
    if not caller.may():
        output = without_paths(outcome.output, published(outcome.artifacts, run_id))
        outcome = outcome.model_copy(update={"output": output})
    return AgentStep.of(info.name, info.server, arguments, outcome)


def _outcome(step: AgentStep, artifacts: Any) -> dict[str, Any]:
    steps, files = [step.model_dump(mode="json")], [artifact.model_dump() for artifact in artifacts]
    return {"response": step.message, "steps": steps, "artifacts": files}
