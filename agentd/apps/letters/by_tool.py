"""Caches what is read from a tool's description: read once per tool, dropped with the tool."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import ref

from agentd.messages import ToolInfo

T = TypeVar("T")


def by_tool(read: Callable[[ToolInfo], T]) -> Callable[[ToolInfo], T]:
    """The same function, cached per tool object: tools never change, and every turn asks again."""
    known: dict[int, tuple[ref[ToolInfo], T]] = {}

    @wraps(read)
    def once(tool: ToolInfo) -> T:
        number = id(tool)
        there = known.get(number)
        if there is None or there[0]() is not tool:
            there = known[number] = (ref(tool, lambda _: known.pop(number, None)), read(tool))
        return there[1]

    return once
