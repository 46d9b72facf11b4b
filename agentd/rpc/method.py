"""A JSON-RPC method as data (name, params, scopes, result), and `Services`, the frozen object with everything that
methods use, which app.py fills. Nothing is called here."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from agentd.errors import AgentdError
from agentd.messages import Caller, ProviderState, Scope
from agentd.rpc.params import MAX_PROMPT_BYTES, Params

if TYPE_CHECKING:
    from agentd.runs.agent_api import AgentRuns
    from agentd.runs.sessions import SessionService
    from agentd.runs.tool_api import DirectTools

Part = TypeVar("Part")


Ask = Callable[..., Awaitable[dict[str, Any]]]
"""Answers a question of one kind (`analytics`, `graph`) as a durable run, as `Questions.ask` does."""


@dataclass(frozen=True, slots=True)
class WireLimits:
    """Limits of the HTTP and WebSocket interfaces."""

    max_body_bytes: int = 4 * 1024 * 1024
    max_batch: int = 50
    max_prompt_bytes: int = MAX_PROMPT_BYTES
    heartbeat_s: float = 15.0
    stall_s: float = 10.0
    """Seconds that a stream's reader may leave its socket full before it is dropped."""
    body_timeout_s: float = 30.0
    ws_calls: int = 32
    """Concurrent calls on one WebSocket; further messages wait unread."""


@dataclass(frozen=True, slots=True)
class Services:
    """Everything the methods and routes call."""

    runs: AgentRuns
    sessions: SessionService
    tools: DirectTools
    providers: Callable[[], Sequence[ProviderState]]
    """The state of every provider, in the order they are asked."""
    questions: Mapping[str, Ask]
    """{kind: the function that asks it} of the installed apps."""
    health: Callable[[], Awaitable[dict[str, Any]]]
    """Returns the answer of System.health."""
    reload: Callable[[str], Awaitable[dict[str, Any]]]
    """Reads client.toml again for this caller's id, applies the difference and returns what changed. On an error it
    changes nothing and raises InvalidParams."""
    letters_server: Callable[[], str]
    """The server that issues the office's letters; pages ask only this one for them."""
    asked_here: Callable[[], list[str]]
    """Returns the kinds of `questions` whose servers are configured."""
    limits: WireLimits = field(default_factory=WireLimits)
    parts: Mapping[type, Any] = field(default_factory=dict)
    """{type: its object} of the installed apps."""

    def part(self, kind: type[Part]) -> Part:
        """The object of this type that an app provides for its methods."""
        found: Part = self.parts[kind]
        return found


Act = Callable[[Services, Caller, Any], Any | Awaitable[Any]]
"""A method's function. One that waits for nothing is a plain function, which needs no task."""

ANYONE: tuple[Scope, ...] = ("kiosk", "chat", "staff")
STAFF: tuple[Scope, ...] = ("staff",)
ADMIN: tuple[Scope, ...] = ()
"""A caller needs one of a method's scopes; an admin needs none, so ADMIN is empty."""


@dataclass(frozen=True, slots=True)
class Method:
    """A row of the table used by the dispatcher and `rpc.discover`."""

    name: str
    act: Act
    params: type[Params]
    result: Any
    """A type that pydantic can describe. It documents the answer, which isn't validated."""
    scopes: frozenset[Scope]
    summary: str
    errors: tuple[type[AgentdError], ...]


def method(
    name: str, *, result: Any, scopes: tuple[Scope, ...], errors: tuple[type[AgentdError], ...] = ()
) -> Callable[[Act], Method]:
    """Make a Method from a function `(services, caller, params)`. The annotation of `params` gives the params model,
    the docstring's first line the summary."""

    def row(act: Act) -> Method:
        summary, *_ = (act.__doc__ or "").strip().splitlines() or [""]
        params = next(islice(inspect.get_annotations(act, eval_str=True).values(), 2, None), None)
        if not summary or not (isinstance(params, type) and issubclass(params, Params)):
            raise TypeError(f"{name}: its function needs a docstring, and annotations: Services, Caller, its Params")
        return Method(name, act, params, result, frozenset(scopes), summary, errors)

    return row
