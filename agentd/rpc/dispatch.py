"""Dispatches JSON-RPC 2.0 from bytes to bytes, exactly by the specification. No HTTP.

Where the specification leaves a choice: one bad item doesn't fail its batch, batches are bounded and concurrent, NaN
is a parse error, a readable id is echoed, unknown members are ignored, and no exception's text is sent. In a batch a
repeated id is refused, since the caller could not match the answers.
"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any, NamedTuple, cast

import orjson
import structlog
from pydantic import BaseModel

from agentd.access import RateLimiter
from agentd.errors import (
    AgentdError,
    Cancelled,
    Forbidden,
    InternalError,
    InvalidRequest,
    MethodNotFound,
    ParseError,
    RateLimited,
    in_each_language,
)
from agentd.messages import Caller
from agentd.rpc.method import Act, Method, Services
from agentd.rpc.params import Raw, language_of, read
from agentd.rpc.wire import error_object

log = structlog.get_logger(__name__)

Response = dict[str, Any]
Observe = Callable[[str, int], None]
"""Receives (method, error code or 0) of every call; an unknown method is reported as `?`."""

_MAX_EXACT_FLOAT = 2.0**53
NOID: Any = object()
"""Marks a notification, which has no id (None is a valid id)."""


class Request(NamedTuple):
    """One call as read from a message."""

    method: str
    params: dict[str, Any] | list[Any]
    id: Any


class Reply(NamedTuple):
    """The reply: an empty body if there were only notifications, `retry_after_s` if the caller was rate-limited."""

    body: bytes
    retry_after_s: float | None = None


_NAME = 40
"""Characters of an unknown method's name that are compared with the known names."""
_NO_PARAMS: dict[str, Any] = {}


@dataclass(eq=False)
class Dispatcher:
    """Answers JSON-RPC messages by a table of methods."""

    methods: Iterable[Method]
    services: Services
    limiter: RateLimiter | None = None
    observe: Observe = lambda *_: None

    def __post_init__(self) -> None:
        self._methods = {method.name: method for method in self.methods}
        self._by_folded = {name.casefold(): name for name in self._methods}
        self._bound = {name: _Bound(method, self.services) for name, method in self._methods.items()}
        in_each_language(AgentdError.type)  # read them now: an error is also said when no file can be opened

    def with_acts(self, acts: Mapping[str, Act]) -> Dispatcher:
        """A copy of the dispatcher with other functions for some methods (a WebSocket's `Events.subscribe`)."""
        other = copy(self)
        bound = {name: _Bound(self._methods[name], self.services, act) for name, act in acts.items()}
        other._bound = self._bound | bound
        return other

    async def handle(self, body: bytes | str, caller: Caller) -> Reply:
        """Answer one message, single or batch."""
        try:
            message = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            # the parser's message has line and column but none of the body
            return Reply(orjson.dumps(_refused(None, ParseError("Parse error", reason=str(error)))))
        batch = type(message) is list
        if self.limiter is not None:
            try:
                self.limiter.charge(caller, len(message) if batch else 1)
            except RateLimited as error:
                refused = _refused(_readable_id(message), error)
                return Reply(orjson.dumps(refused), float(error.data["retry_after_s"]))
        if not batch:
            outcome = self._one(_request(message), message, caller)
            if outcome is not None and type(outcome) is not dict:
                outcome = await cast(Awaitable[Response | None], outcome)
            return Reply(b"" if outcome is None else _encoded(outcome))
        most = self.services.limits.max_batch
        if not 0 < len(message) <= most:
            many = f"has {len(message)} calls; at most {most} are taken at once" if message else "is empty"
            return Reply(orjson.dumps(_refused(None, InvalidRequest("Invalid Request", reason=f"the batch {many}"))))
        responses = await self._batch(message, caller)
        return Reply(_encoded(responses) if responses else b"")

    async def _batch(self, items: list[Any], caller: Caller) -> list[Response]:
        outcomes: list[Any] = []
        ids: set[Any] = set()
        for item in items:
            request = _request(item)
            if type(request) is Request and request.id is not NOID and request.id is not None:
                if request.id in ids:
                    request = "an earlier call of this batch has the same id"
                else:
                    ids.add(request.id)
            outcomes.append(self._one(request, item, caller))
        waiting = [outcome for outcome in outcomes if outcome is not None and type(outcome) is not dict]
        if waiting:
            answers = iter(await asyncio.gather(*waiting))
            outcomes = [one if one is None or type(one) is dict else next(answers) for one in outcomes]
        return [outcome for outcome in outcomes if outcome is not None]

    def _one(self, request: Request | str, item: Any, caller: Caller) -> Response | Awaitable[Response | None] | None:
        """The response of one call, or an awaitable if the method is async; None for a notification.

        If `request` is a string, it says why `item` is no request.
        """
        if type(request) is not Request:
            return _refused(_readable_id(item), InvalidRequest("Invalid Request", reason=request))
        bound = self._bound.get(request.method)
        if bound is None:
            near = difflib.get_close_matches(request.method[:_NAME].casefold(), self._by_folded, n=1)
            meant = f"did you mean {self._by_folded[near[0]]}? " if near else ""
            unknown = MethodNotFound("Method not found", reason=f"{meant}rpc.discover lists the methods")
            return self._failed(request, unknown, "?")
        if bound.waits:
            return self._waited(request, caller, bound)
        try:
            caller, params = bound.read(caller, request.params)
            return self._succeeded(request, bound.act(self.services, caller, params))
        except Exception as error:
            return self._failed(request, error, request.method)

    async def _waited(self, request: Request, caller: Caller, bound: _Bound) -> Response | None:
        try:
            caller, params = bound.read(caller, request.params)
            result = await bound.act(self.services, caller, params)
            return self._succeeded(request, result)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # this call itself is cancelled, not something it waited for
                raise
            return self._failed(request, Cancelled(), request.method)
        except Exception as error:
            return self._failed(request, error, request.method)

    def _succeeded(self, request: Request, result: Any) -> Response | None:
        self.observe(request.method, 0)
        if request.id is NOID:
            return None
        return {"jsonrpc": "2.0", "result": result, "id": request.id}

    def _failed(self, request: Request, error: Exception, method: str) -> Response | None:
        shown = error_object(error, language_of(request.params))
        self.observe(method, shown["code"])
        return None if request.id is NOID else {"jsonrpc": "2.0", "error": shown, "id": request.id}


class _Bound:
    """A method prepared for the dispatcher's calls."""

    __slots__ = ("_keyed", "_max_prompt_bytes", "_name", "_params", "_scopes", "act", "waits")

    def __init__(self, method: Method, services: Services, act: Act | None = None) -> None:
        self._name = method.name
        self._scopes = method.scopes
        self._keyed = "session_key" in method.params.model_fields  # looking up what a model lacks is slow
        self._params, self._max_prompt_bytes = method.params, services.limits.max_prompt_bytes
        self.act: Any = act or method.act
        self.waits = iscoroutinefunction(self.act)

    def read(self, caller: Caller, raw: Raw) -> tuple[Caller, Any]:
        """Check the caller's scopes and read the params; returns both. The caller gets the call's session_key, if it
        has one, in place of the connection's. Raises Forbidden, InvalidParams."""
        scopes = caller.scopes
        if "admin" not in scopes and self._scopes.isdisjoint(scopes):
            raise Forbidden(f"{self._name} needs the scope {' or '.join(sorted(self._scopes | {'admin'}))}")
        params: Any = read(self._params, raw, self._max_prompt_bytes)
        return (caller.with_key(params.session_key) if self._keyed else caller), params


def _request(item: Any) -> Request | str:
    """The request, or the reason why the item is none. Unknown members are ignored."""
    if type(item) is not dict:
        return "a call is an object"
    get = item.get
    if get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    method = get("method")
    if type(method) is not str:
        return "method must be a string"
    params = get("params", _NO_PARAMS)
    if type(params) is not dict and type(params) is not list:
        return "params must be an object or an array"
    request_id = get("id", NOID)
    if request_id is not NOID and not _is_id(request_id):
        return "id must be a string, a number or null"
    return Request(method, params, request_id)


def _is_id(value: Any) -> bool:
    kind = type(value)
    # a float beyond 2^53 may have been rounded when read, so it could not be echoed
    return kind is int or kind is str or value is None or (kind is float and abs(value) < _MAX_EXACT_FLOAT)


def _readable_id(item: Any) -> Any:
    value = item.get("id") if type(item) is dict else None
    return value if _is_id(value) else None


def _refused(request_id: Any, error: AgentdError) -> Response:
    return {"jsonrpc": "2.0", "error": error_object(error), "id": request_id}


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _encoded(response: Response | list[Response]) -> bytes:
    try:
        return orjson.dumps(response, default=_plain)
    except TypeError as error:
        if isinstance(response, list):  # one result has no JSON form: the others are still answered
            return b"[" + b",".join(map(_encoded, response)) + b"]"
        log.error("rpc.unserialisable_result", exc_info=error)
        return orjson.dumps(_refused(response["id"], InternalError("Internal error")))
