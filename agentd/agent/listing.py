"""The answer of `list_tools`: the tools by page, ranked by how well they match a query. Pure; it asks no model.

A page fits in one turn: its first tools in full, the others as one line each. The pages together hold every tool,
whatever the query. A query that is a tool's name puts that tool first, in full.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentd.agent.actions import without
from agentd.agent.toolset import Toolset
from agentd.messages import ToolInfo

PAGE = 30
"""Tools on one page."""
FULL_CHARS = 3400
"""JSON characters of the tools that a page shows in full. With the lines it stays within a tool result's limit."""
LINE_CHARS = 60
"""Characters of a description in a one-line entry."""
DESCRIPTION_CHARS = 600
"""Characters of a tool's description that a model reads, since a server may send any number."""
_WORD = re.compile(r"[^\W_]+")


def wanted(arguments: Mapping[str, Any]) -> tuple[str, int]:
    """The query and the page number in a model's arguments; unreadable values are ignored."""
    query, page = arguments.get("query"), arguments.get("page")
    number = int(str(page)[:9]) if isinstance(page, int | str) and str(page).isdecimal() else 1
    return query if isinstance(query, str) else "", max(1, number)


def manifest(toolset: Toolset, query: str = "", page: int = 1) -> dict[str, Any]:
    """Return {tools: [{name, server, description, input_schema}], more: ["name: line"], page, pages, total}.

    Only `tools`, if all tools fit in full on one page.
    """
    ranked = _ranked(toolset.tools, query)
    pages = max(1, -(-len(ranked) // PAGE))
    page = min(page, pages)
    here = ranked[(page - 1) * PAGE : page * PAGE]
    full = list(_in_full(here))
    if len(full) == len(ranked):
        return {"tools": full}
    more = [one_line(tool) for tool in here[len(full) :]]
    return {"tools": full, "more": more, "page": page, "pages": pages, "total": len(ranked)}


def shown_in_full(output: Any) -> frozenset[str]:
    """The names of the tools that a `list_tools` answer showed in full."""
    listed = output.get("tools", []) if isinstance(output, dict) else []
    return frozenset(tool["name"] for tool in listed)


def one_line(tool: ToolInfo) -> str:
    """Return `name: the beginning of its description`."""
    return f"{tool.name}: {_cut(description(tool), LINE_CHARS)}" if tool.description.strip() else tool.name


def description(tool: ToolInfo) -> str:
    """The description for the model: on one line, cut to DESCRIPTION_CHARS."""
    return _cut(" ".join(tool.description.split()), DESCRIPTION_CHARS)


def _in_full(tools: Sequence[ToolInfo]) -> Iterator[dict[str, Any]]:
    """Yield as many tools as FULL_CHARS allows, always at least one. A huge schema is cut to an outline."""
    left = FULL_CHARS
    for tool in tools:
        schema, about = without(tool.input_schema, ()), description(tool)
        entry = {"name": tool.name, "server": tool.server, "description": about, "input_schema": schema}
        size = len(json.dumps(entry, ensure_ascii=False))
        if size > left and left < FULL_CHARS:
            return
        if size > FULL_CHARS:
            entry["input_schema"] = _outline(tool.input_schema, ("type", "enum"))
        if len(json.dumps(entry, ensure_ascii=False)) > FULL_CHARS:
            entry["input_schema"] = _outline(tool.input_schema, ())
        left -= size
        yield entry


def _outline(schema: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    """A schema's field names with only these keys, without texts and nested fields."""
    fields = {
        name: {key: rule[key] for key in keys if key in rule}
        for name, rule in list(schema.get("properties", {}).items())[:PAGE]
    }
    return {"type": "object", "properties": fields, "required": list(schema.get("required", []))[:PAGE]}


def _ranked(tools: Sequence[ToolInfo], query: str) -> list[ToolInfo]:
    """All tools, best match first, equal ones in the catalogue's order."""
    asked, whole = _words(query), query.strip().casefold()
    return sorted(tools, key=lambda tool: _score(tool, asked, whole), reverse=True)


def _score(tool: ToolInfo, asked: frozenset[str], whole: str) -> float:
    """Two points for a match in the name, one for one in the description; an exact name scores infinity."""
    if whole and tool.name.casefold() == whole:
        return float("inf")
    named, described = _words(tool.name), _words(tool.description)
    return sum(2.0 * _hit(word, named) + _hit(word, described) for word in asked)


def _hit(word: str, words: frozenset[str]) -> float:
    if word in words:
        return 1.0
    related = any(each.startswith(word) or word.startswith(each) for each in words if each[3:])
    return 0.5 if related and len(word) > 3 else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
