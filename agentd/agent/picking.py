"""Which tools a session's prompt describes when there are too many for it: those whose meaning fits what is asked.

The next nearest it names, a line each. The first request picks; a later one adds what it needs and takes nothing away,
so that the prompt's start stays as it was and its cache holds. What is not described can still be listed (`list_tools`)
and called by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agentd.agent.toolset import Toolset
from agentd.messages import ToolInfo
from agentd.ports import Meaning

NAMED = 60
"""How many further tools a prompt names by one line, the nearest first; every other is found by `list_tools`."""
ADDED = 4
"""How many of a later request's best tools are added, where the prompt has not described them."""


@dataclass(frozen=True, slots=True)
class PromptTools:
    """Names of the tools that a prompt describes: at its start, and added by each later request."""

    start: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    """By the request of this run alone."""
    before: tuple[str, ...] = ()
    """By the session's requests before it."""
    named: tuple[str, ...] = ()
    """Listed by name and one line, at the prompt's start."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset((*self.start, *self.before, *self.added))

    def record(self) -> dict[str, list[str]]:
        """As JSON, kept with the run: every key, since an older daemon may read it."""
        kept = {"start": self.start, "added": self.added, "before": self.before, "named": self.named}
        return {name: list(names) for name, names in kept.items()}


def fits(toolset: Toolset, limit: int) -> bool:
    """Whether a prompt describes all tools, so that it starts alike for every session."""
    return len(toolset.tools) <= limit


async def select(
    request: str, toolset: Toolset, limit: int, meaning: Meaning, past: PromptTools | None
) -> PromptTools | None:
    """What the prompt of this request describes; None when the tools are few enough to describe them all."""
    tools = toolset.tools
    if past is None and fits(toolset, limit):
        return None
    nearest = await _by_nearness(request, tools, meaning)
    if past is None:
        return PromptTools(start=tuple(nearest[:limit]), named=tuple(nearest[limit : limit + NAMED]))
    before = (*past.before, *past.added)
    known = {*past.start, *before}
    return PromptTools(
        start=past.start,
        named=past.named,
        before=before,
        added=tuple(name for name in nearest[:ADDED] if name not in known),
    )


async def _by_nearness(request: str, tools: Sequence[ToolInfo], meaning: Meaning) -> list[str]:
    """Names, the nearest first; of equally near ones in the catalogue's order."""
    scores = await meaning.nearness(request, [_text(tool) for tool in tools])
    ranked = sorted(zip(scores, range(len(tools)), strict=True), key=lambda pair: (-pair[0], pair[1]))
    return [tools[index].name for _, index in ranked]


def _text(tool: ToolInfo) -> str:
    words = tool.bare_name.replace("_", " ").replace("-", " ")
    return f"{words}: {' '.join(tool.description.split())}"[:500]
