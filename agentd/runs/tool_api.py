"""Tools.call: one tool outside any conversation. One that waits for a human becomes a run; others are made at once."""

from __future__ import annotations

import json
import time
from typing import Any
from uuid import uuid4

from agentd.audit import AuditTrail
from agentd.errors import ToolExecution
from agentd.messages import AgentStep, Caller, Catalogue, ToolInfo, ToolOutcome
from agentd.ports import ToolHost
from agentd.runs.questions import Questions
from agentd.runs.tool_executor import ToolsOf, call_of, step_of
from agentd.runs.visibility import kept_of_new, new_key


class DirectTools:
    """Implements rpc's `Tools`. `questions` takes a call on as a run of kind `call`."""

    def __init__(self, host: ToolHost, tools_of: ToolsOf, audit: AuditTrail, questions: Questions) -> None:
        self._host = host
        self._tools_of = tools_of
        self._audit = audit
        self._questions = questions

    def catalogue(self, caller: Caller) -> Catalogue:
        """What exists for this caller."""
        toolset = self._tools_of(caller)
        return Catalogue(tools=(*toolset.tools, *toolset.asleep), servers=toolset.servers)

    async def call(self, tool: str, tool_input: dict[str, Any], server: str | None, caller: Caller) -> AgentStep:
        """Make one call. Raises UnknownTool, UnboundTool, ToolExecution."""
        toolset = self._tools_of(caller)
        info = toolset.resolve(tool) if server is None else toolset.expected(tool, server)
        waits = info.official or info.approval != "never"
        if info not in toolset.tools and (waits or info not in toolset.asleep):
            # What it is isn't known yet: its arguments may be nothing that a run may keep.
            raise ToolExecution(f"the server `{info.server}` is not up; try again once it is", tool=info.name)
        if waits:
            words = json.dumps({"tool": tool, "server": server, "input": tool_input}, ensure_ascii=False)
            if caller.is_visitor:
                caller = caller.with_key(caller.session_key or new_key())
                kept_of_new(caller.session_key or "")
            answer = await self._questions.ask(words, caller=caller, session_id=None, run_id=None)
            if answer["status"] == "needs_approval":
                waiting = {"run_id": answer["run_id"], "approval": answer["approval"]}
                if caller.is_visitor:
                    waiting |= {"session_id": answer["session_id"], "session_key": caller.session_key}
                outcome = ToolOutcome(success=False, output=waiting, message=answer["response"])
                return AgentStep.of(info.name, info.server, tool_input, outcome)
            return AgentStep.model_validate(answer["steps"][0])
        run_id = f"call-{uuid4().hex}"
        if not info.read_only:
            await self._audit.arecord(
                "tool.called", actor=caller.id, subject=_about(info, tool_input), tool=info.name, server=info.server
            )
        made = call_of(info, tool_input, run_id, run_id, caller)
        started = time.perf_counter()
        outcome = await self._questions.unless_stopped(self._host.call(made), effects=not info.read_only)
        outcome = outcome.model_copy(update={"duration_ms": round(1000 * (time.perf_counter() - started), 3)})
        return step_of(info, tool_input, outcome, run_id, caller)


def _about(info: ToolInfo, arguments: dict[str, Any]) -> str:
    """What the audit trail names as the call's subject: the argument that the tool's `_meta` says is an id."""
    return str(arguments.get(info.meta.get("agentd/audit_subject", ""), ""))
