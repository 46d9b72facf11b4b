"""Selects the tools that a session's prompt describes when there are too many: those nearest in meaning to the request.

The next nearest are named on one line each. The first request selects; later ones only add tools, so that the start of
the prompt stays the same and its cache stays valid. Other tools can still be listed (`list_tools`) and called by name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

from agentd.agent.toolset import Toolset
from agentd.messages import ToolInfo
from agentd.ports import Meaning

NAMED = 60
"""How many further tools a prompt names on one line each, nearest first; `list_tools` finds the others."""
RANKING_S = 3.0
"""Seconds for ranking the tools of one request. What was read until then is remembered for the next request."""
ADDED = 4
"""How many of a later request's nearest tools are added, if the prompt does not describe them yet."""


@dataclass(frozen=True, slots=True)
class PromptTools:
    """The names of the tools that a prompt describes at its start, and of those that later requests added."""

    start: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    """Added by this run's request."""
    before: tuple[str, ...] = ()
    """Added by the session's earlier requests."""
    named: tuple[str, ...] = ()
    """Named on one line each at the prompt's start."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset((*self.start, *self.before, *self.added))

    def record(self) -> dict[str, list[str]]:
        """The JSON kept with the run. It has every key, since an older daemon may read it."""
        return {name: list(names) for name, names in asdict(self).items()}


async def select(
    request: str, toolset: Toolset, limit: int, meaning: Meaning | None, past: PromptTools | None
) -> PromptTools | None:
    """Select the tools for this request's prompt; None if they are few enough to describe them all."""
    tools = toolset.tools
    if past is None and len(tools) <= limit:
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


async def _by_nearness(request: str, tools: Sequence[ToolInfo], meaning: Meaning | None) -> list[str]:
    """Tool names, nearest first; equally near ones in the catalogue's order. If nothing ranks them in time, the
    office's own acts come first: thousands of new descriptions must not hold up a citizen, nor crowd out a letter."""
    scores = [float(tool.official) for tool in tools]
    with suppress(TimeoutError):
        async with asyncio.timeout(RANKING_S):
            scores = scores if meaning is None else await meaning.nearness(request, [_text(tool) for tool in tools])
    ranked = sorted(zip(scores, tools, strict=True), key=lambda pair: pair[0], reverse=True)
    return [tool.name for _, tool in ranked]


def _text(tool: ToolInfo) -> str:
    words = tool.bare_name.replace("_", " ").replace("-", " ")
    return f"{words}: {' '.join(tool.description.split())}"[:500]
