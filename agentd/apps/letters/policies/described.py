"""Infers what a field without a declared kind is about, from the meaning of its name and description.

The field is compared with the senses of the language packs (`destination`, `date`). A clearly nearest sense sets its
kind and the words for it; otherwise the field stays free text. What a schema says is never changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agentd.apps.letters.by_object import by_object
from agentd.apps.letters.evidence.fields.field import SENSES, form, properties
from agentd.apps.letters.evidence.fields.shapes import bare
from agentd.apps.letters.languages import phrases
from agentd.messages import ToolInfo
from agentd.ports import Meaning

NEAR, AHEAD = 0.84, 0.01
"""Cosines of multilingual-e5-small: the least nearness of the nearest sense, and its least lead over the second."""
_SAYS = frozenset({"format", "enum", "pattern"})
_TEXTS = [f"{sense}: {', '.join((sense, *words)[:6])}" for sense, words in phrases().senses.items()]


async def described(tool: ToolInfo, meaning: Meaning) -> ToolInfo:
    """The tool with the sense of each field whose schema says nothing, under `x-agentd-senses` of its schema."""
    senses = {path: sense for path, text in silent(tool) if (sense := await _nearest(text, meaning)) is not None}
    return tool.model_copy(update={"input_schema": {**tool.input_schema, SENSES: senses}}) if senses else tool


@by_object
def silent(tool: ToolInfo) -> tuple[tuple[str, str], ...]:
    """(path, name and description in words) of each field whose schema does not say what it is about."""
    return tuple(_silent(tool.input_schema))


def _silent(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    shapes = form(schema).shapes
    for path, prop in properties(schema).items():
        shape = shapes[path]
        titled = bare(str(prop.get("title") or "")) not in ("", " ".join(shape.words))  # an SDK repeats the name
        says = titled or _SAYS.intersection(prop) or any(key.startswith("x-agentd-") for key in prop)
        if shape.label.startswith("field:") and shape.kind == "text" and not (says or shape.senses):
            yield path, f"{' '.join(shape.words)}: {prop.get('description', '')}".rstrip(": ")


async def _nearest(text: str, meaning: Meaning) -> str | None:
    near = sorted(zip(await meaning.nearness(text, _TEXTS), phrases().senses, strict=True), reverse=True)
    (best, sense), (second, _) = near[:2]
    return sense if best >= NEAR and best - second >= AHEAD else None


class Described:
    """Cache of the described tools of one daemon; without embeddings, tools are unchanged."""

    def __init__(self, meaning: Meaning | None = None) -> None:
        self._meaning = meaning
        self._known: dict[str, tuple[ToolInfo, ToolInfo]] = {}

    async def learn(self, tool: ToolInfo) -> ToolInfo:
        """The tool, described; an unchanged tool is described only once."""
        seen, _ = self._known.get(tool.name, (None, tool))
        if self._meaning is not None and silent(tool) and seen != tool:
            self._known[tool.name] = tool, await described(tool, self._meaning)
        return self.of(tool)

    def of(self, tool: ToolInfo) -> ToolInfo:
        """The described tool, or the tool itself if it was not learnt."""
        seen, made = self._known.get(tool.name, (None, tool))
        return made if seen == tool else tool
