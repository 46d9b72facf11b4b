"""The engine's executor for runs of kind `call`: one tool, called once a human agrees. It takes no run on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from agentd.agent.approval import ApprovalNeeded
from agentd.agent.masking import mask
from agentd.agent.toolset import Toolset
from agentd.errors import BY_TYPE, ToolExecution
from agentd.messages import AgentStep, Caller, Consent, Said, ToolCall, ToolInfo, ToolOutcome
from agentd.ports import ToolHost
from agentd.runs.execution import Result, RunContext
from agentd.runs.visibility import published, without_paths

ToolsOf = Callable[[Caller | None], Toolset]


class ToolExecutor:
    """Calls the tool that the run's prompt names, {"tool", "server", "input"} as JSON."""

    def __init__(self, host: ToolHost, tools_of: ToolsOf) -> None:
        self._host = host
        self._tools_of = tools_of

    async def execute(self, context: RunContext) -> Result:
        """A run of one call: made, or waiting for the human it needs."""
        row, caller = context.row, context.row.caller
        wanted = json.loads(row.prompt)
        info = self._tools_of(caller).resolve(wanted["tool"], wanted["server"])
        consent = context.consent()
        arguments = wanted["input"] if consent is None else consent.arguments
        if row.decision is not None and consent is None:
            outcome = ToolOutcome(success=False, message="the call was not approved")
            return Result("completed", _outcome(AgentStep.of(info.name, info.server, arguments, outcome), ()))
        made = call_of(info, arguments, row.run_id, row.session_id, caller, consent)

        async def act() -> dict[str, Any]:
            try:
                return (await self._host.call(made)).model_dump(mode="json")
            except ApprovalNeeded as needed:
                return {"pending": needed.pending}

        record = await context.journal.step("call", act, effects=not info.read_only)
        if pending := record.get("pending"):
            said = [one.model_dump() for one in made.said]
            unfinished = {"pending": pending, "said": said, "steps": []}
            return Result("needs_approval", {"response": pending["summary"]}, record=unfinished, approval=pending)
        outcome = ToolOutcome.model_validate(record)
        step = step_of(info, arguments, outcome, row.run_id, caller)
        return Result("completed", _outcome(step, published(outcome.artifacts, row.run_id)))


def call_of(
    info: ToolInfo,
    arguments: dict[str, Any],
    run_id: str,
    session_id: str,
    caller: Caller,
    consent: Consent | None = None,
) -> ToolCall:
    """The call; what staff or a program writes is its own evidence."""
    words = Said(by="citizen", order=0, text=json.dumps(arguments, ensure_ascii=False))
    return ToolCall(
        tool=info,
        input=arguments,
        run_id=run_id,
        session_id=session_id,
        step=1,
        said=(words,),
        caller=caller,
        consent=consent,
    )


def step_of(info: ToolInfo, arguments: dict[str, Any], outcome: ToolOutcome, run_id: str, caller: Caller) -> AgentStep:
    """The step as the caller may see it. Raises the failure's own error."""
    if not outcome.success:
        kind = BY_TYPE.get(outcome.error_type or "", ToolExecution)
        raise kind(mask(outcome.message) or f"tool `{info.name}` failed", tool=info.name, server=info.server)
    if not caller.may():
        output = without_paths(outcome.output, published(outcome.artifacts, run_id))
        outcome = outcome.model_copy(update={"output": output})
    return AgentStep.of(info.name, info.server, arguments, outcome)


def _outcome(step: AgentStep, artifacts: Any) -> dict[str, Any]:
    return {
        "response": step.message,
        "steps": [step.model_dump(mode="json")],
        "artifacts": [artifact.model_dump() for artifact in artifacts],
    }
