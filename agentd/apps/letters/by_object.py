"""Caches what is read from a tool's description or a session's statement: read once, dropped with the object."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import ref

from agentd.messages import Message

One = TypeVar("One", bound=Message)
T = TypeVar("T")


def by_object(read: Callable[[One], T]) -> Callable[[One], T]:
    """The same function, cached per object: messages never change, and every turn asks again."""
    known: dict[int, tuple[ref[One], T]] = {}

    @wraps(read)
    def once(one: One) -> T:
        number = id(one)
        there = known.get(number)
        if there is None or there[0]() is not one:
            there = known[number] = (ref(one, lambda _: known.pop(number, None)), read(one))
        return there[1]

    return once
