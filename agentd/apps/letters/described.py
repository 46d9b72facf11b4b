"""What a field without a declared kind is about, by the meaning of its name and description. It judges no value.

Such a field is compared with the senses of the language packs (`destination`, `date`). One clearly nearest gives
it its kind and the words that go with it; anything less leaves it free text. What a schema says is never changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentd.apps.letters.by_tool import by_tool
from agentd.apps.letters.evidence.fields import SENSES, form, properties
from agentd.apps.letters.evidence.shapes import bare
from agentd.apps.letters.languages import phrases
from agentd.messages import ToolInfo
from agentd.ports import Meaning

NEAR, AHEAD = 0.84, 0.01
"""Cosines of multilingual-e5-small: how near the nearest sense is, and how far ahead of the second."""
_SAYS = frozenset({"format", "enum", "pattern"})
_TEXTS = [f"{sense}: {', '.join((sense, *words)[:6])}" for sense, words in phrases().senses.items()]


async def described(tool: ToolInfo, meaning: Meaning) -> ToolInfo:
    """The tool with the sense of each field that says nothing of itself, under `x-agentd-senses` of its schema."""
    senses = {path: sense for path, text in silent(tool) if (sense := await _nearest(text, meaning)) is not None}
    return tool.model_copy(update={"input_schema": {**tool.input_schema, SENSES: senses}}) if senses else tool


@by_tool
def silent(tool: ToolInfo) -> tuple[tuple[str, str], ...]:
    """(path, name and description in words) of each field whose schema does not say what it is."""
    return tuple(_silent(tool.input_schema))


def _silent(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    shapes = form(schema).shapes
    for path, prop in properties(schema).items():
        shape = shapes[path]
        titled = bare(str(prop.get("title") or "")) not in ("", " ".join(shape.words))  # an SDK's is the name again
        says = titled or _SAYS.intersection(prop) or any(key.startswith("x-agentd-") for key in prop)
        if shape.label.startswith("field:") and shape.kind == "text" and not (says or shape.senses):
            yield path, f"{' '.join(shape.words)}: {prop.get('description', '')}".rstrip(": ")


async def _nearest(text: str, meaning: Meaning) -> str | None:
    near = sorted(zip(await meaning.nearness(text, _TEXTS), phrases().senses, strict=True), reverse=True)
    (best, sense), (second, _) = near[:2]
    return sense if best >= NEAR and best - second >= AHEAD else None


class Described:
    """The tools of one daemon as they were described before; without a meaning, as they are."""

    def __init__(self, meaning: Meaning | None = None) -> None:
        self._meaning = meaning
        self._known: dict[str, tuple[ToolInfo, ToolInfo]] = {}

    async def learn(self, tool: ToolInfo) -> ToolInfo:
        """The tool, described; the same one is looked at once."""
        seen, _ = self._known.get(tool.name, (None, tool))
        if self._meaning is not None and silent(tool) and seen != tool:
            self._known[tool.name] = tool, await described(tool, self._meaning)
        return self.of(tool)

    def of(self, tool: ToolInfo) -> ToolInfo:
        """The tool as it was learnt; one that was not, as it is."""
        seen, made = self._known.get(tool.name, (None, tool))
        return made if seen == tool else tool
