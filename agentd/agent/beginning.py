"""How a run begins that a page started by a form: with its tool, and without a model where the form is full. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentd.agent.actions import CallTool, Final
from agentd.agent.brief import Progress
from agentd.agent.toolset import Toolset
from agentd.errors import ToolError
from agentd.messages import AgentOptions, AgentStep, ToolInfo


@dataclass(frozen=True, slots=True)
class Beginning:
    """The tool that the run begins with, None where a model chooses; and what was put into its form."""

    tool: ToolInfo | None = None
    typed: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, toolset: Toolset, options: AgentOptions) -> Beginning:
        """What the options ask for; a tool that is gone by now is left to the model."""
        if options.tool_hint is None:
            return cls()
        try:
            tool = toolset.resolve(options.tool_hint)
        except ToolError:
            return cls()
        return cls(tool, options.tool_arguments or {})

    def action(self, so_far: Progress) -> CallTool | Final | None:
        """What is to be done without asking a model: the call of a full form, then what came of it."""
        if self.tool is None or so_far.provider is not None:
            return None
        if so_far.steps:
            return Final(so_far.steps[-1].message)
        needed = self.tool.input_schema.get("required", ())
        full = all(self.typed.get(name) not in (None, "") for name in needed)
        return CallTool(self.tool.name, dict(self.typed)) if full else None

    def first(self, steps: Sequence[AgentStep]) -> ToolInfo | None:
        """The tool that must be called before any other, until it was."""
        return None if self.tool is None or any(step.tool == self.tool.name for step in steps) else self.tool

    def completed(self, call: CallTool, steps: Sequence[AgentStep]) -> CallTool:
        """The model's first call of the tool with what was typed: it copies nothing wrong."""
        tool = self.first(steps)
        if tool is None or call.tool.casefold() != tool.name.casefold():
            return call
        return replace(call, input={**call.input, **self.typed})
