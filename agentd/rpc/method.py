"""One JSON-RPC method as data: its name, its params, who may call it, what it answers. It calls nothing."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from agentd.errors import AgentdError
from agentd.messages import Caller, Scope
from agentd.rpc.params import Params
from agentd.rpc.services import Services

Act = Callable[[Services, Caller, Any], Any | Awaitable[Any]]
"""Does the work. A method that waits for nothing is a plain function and costs no task."""

ANYONE: tuple[Scope, ...] = ("kiosk", "chat", "staff")
STAFF: tuple[Scope, ...] = ("staff",)
ADMIN: tuple[Scope, ...] = ()
"""Scopes of which a caller needs one; an admin needs none."""


@dataclass(frozen=True, slots=True)
class Method:
    """A row of the table that drives dispatch and `rpc.discover`."""

    name: str
    act: Act
    params: type[Params]
    result: Any
    """A type pydantic can describe; it documents the answer, which isn't validated on its way out."""
    scopes: frozenset[Scope]
    summary: str
    errors: tuple[type[AgentdError], ...]


def method(
    name: str,
    *,
    result: Any,
    scopes: tuple[Scope, ...],
    errors: tuple[type[AgentdError], ...] = (),
) -> Callable[[Act], Method]:
    """Make a Method of a function `(services, caller, params)`: the annotation of `params` is their model, the first
    line of the docstring the summary."""

    def row(act: Act) -> Method:
        summary = (act.__doc__ or "").strip().splitlines()[0]
        _services, _caller, params, *_ = inspect.get_annotations(act, eval_str=True).values()
        return Method(name, act, params, result, frozenset(scopes), summary, errors)

    return row
