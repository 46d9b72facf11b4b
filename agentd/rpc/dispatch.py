"""JSON-RPC 2.0 from bytes to bytes: jsonrpcserver's calls and results behind a thin, exact dispatcher. No HTTP here.

Where jsonrpcserver alone differs from the specification, this decides: one bad item doesn't spoil its batch, batches
are bounded and concurrent, NaN is a parse error, an id that can be read is echoed, members beyond the specification
are ignored, and no exception's text leaves. Two calls of one batch can't share an id: the repeat is refused, since
its caller could not tell the answers apart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from inspect import iscoroutinefunction
from typing import Any, NamedTuple, Protocol, cast

import orjson
import structlog
from jsonrpcserver import Error, Success
from jsonrpcserver.async_dispatcher import call as call_async
from jsonrpcserver.dispatcher import call, create_request, to_response
from jsonrpcserver.response import to_serializable_one
from jsonrpcserver.sentinels import NOID
from pydantic import BaseModel

from agentd.errors import (
    AgentdError,
    Cancelled,
    Forbidden,
    InternalError,
    InvalidRequest,
    Language,
    MethodNotFound,
    ParseError,
    RateLimited,
)
from agentd.messages import Caller
from agentd.rpc.method import Act, Method
from agentd.rpc.params import read
from agentd.rpc.services import Services
from agentd.rpc.wire import error_object

log = structlog.get_logger(__name__)

Response = dict[str, Any]
Observe = Callable[[str, int], None]
"""Told (method, error code or 0) of every call; an unknown method's name is given as `?`."""

_MAX_EXACT_FLOAT = 2.0**53


class Limiter(Protocol):
    """Counts what a caller asks."""

    def charge(self, caller: Caller, calls: int = 1) -> None:
        """Take `calls` from the caller's allowance. Raises RateLimited."""
        ...


class Reply(NamedTuple):
    """What goes back: an empty body for notifications alone; `retry_after_s` when the caller asked too much."""

    body: bytes
    retry_after_s: float | None = None


class Dispatcher:
    """Answers JSON-RPC messages by a table of methods."""

    def __init__(
        self,
        methods: Iterable[Method],
        services: Services,
        *,
        limiter: Limiter | None = None,
        observe: Observe | None = None,
    ) -> None:
        self._methods = {method.name: method for method in methods}
        self._bound = {name: _Bound(method, services) for name, method in self._methods.items()}
        self._services = services
        self._limiter = limiter
        self._observe = observe

    def with_acts(self, acts: Mapping[str, Act]) -> Dispatcher:
        """The same table where some methods act otherwise (`Events.subscribe` on a connection of its own)."""
        other = object.__new__(Dispatcher)
        other.__dict__.update(self.__dict__)
        bound = {name: _Bound(self._methods[name], self._services, act) for name, act in acts.items()}
        other._bound = self._bound | bound
        return other

    async def handle(self, body: bytes | str, caller: Caller) -> Reply:
        """Answer one message, single or batch."""
        try:
            message = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            # the parser's words with line and column hold nothing of the body
            return Reply(orjson.dumps(_refused(None, ParseError("Parse error", reason=str(error)))))
        calls = len(message) if type(message) is list else 1
        if self._limiter is not None and calls:
            try:
                self._limiter.charge(caller, calls)
            except RateLimited as error:
                return Reply(
                    orjson.dumps(_refused(_readable_id(message), error)), float(error.data.get("retry_after_s", 1.0))
                )
        if type(message) is not list:
            outcome = self._one(message, caller)
            single = await outcome if isinstance(outcome, Awaitable) else outcome
            return Reply(b"" if single is None else _encoded(single))
        problem = self._batch_problem(message)
        if problem is not None:
            return Reply(orjson.dumps(_refused(None, InvalidRequest("Invalid Request", reason=problem))))
        responses = await self._batch(message, caller)
        return Reply(_encoded_batch(responses) if responses else b"")

    def _batch_problem(self, items: list[Any]) -> str | None:
        if not items:
            return "the batch is empty"
        if len(items) > self._services.limits.max_batch:
            return f"the batch has {len(items)} calls; at most {self._services.limits.max_batch} are taken at once"
        return None

    async def _batch(self, items: list[Any], caller: Caller) -> list[Response]:
        outcomes: list[Response | Awaitable[Response | None] | None] = []
        ids: set[tuple[bool, Any]] = set()
        for item in items:
            key = _id_key(item)
            if key is None or key not in ids:
                outcomes.append(self._one(item, caller))
            else:
                repeat = InvalidRequest("Invalid Request", reason="an earlier call of this batch has the same id")
                outcomes.append(_refused(item["id"], repeat))
            if key is not None:
                ids.add(key)
        waiting = [outcome for outcome in outcomes if isinstance(outcome, Awaitable)]
        if waiting:
            answers = iter(await asyncio.gather(*waiting))
            outcomes = [next(answers) if isinstance(outcome, Awaitable) else outcome for outcome in outcomes]
        return [outcome for outcome in outcomes if isinstance(outcome, dict)]

    def _one(self, item: Any, caller: Caller) -> Response | Awaitable[Response | None] | None:
        """The response of one call, at once where the method waits for nothing; None for a notification."""
        problem = _request_problem(item)
        if problem is not None:
            return _refused(_readable_id(item), InvalidRequest("Invalid Request", reason=problem))
        request = create_request(item)
        bound = self._bound.get(request.method)
        if bound is None:
            return self._closed(request, _failed(_unknown(), "id"), "?")
        if bound.waits:
            return self._waited(request, caller, bound)
        return self._closed(request, call(request, caller, bound), request.method)

    async def _waited(self, request: Any, caller: Caller, bound: _Bound) -> Response | None:
        return self._closed(request, await call_async(request, caller, bound.wait), request.method)

    def _closed(self, request: Any, result: Any, method: str) -> Response | None:
        if self._observe is not None:
            self._observe(method, getattr(result._error, "code", 0) if hasattr(result, "_error") else 0)
        if request.id is NOID:
            return None
        return cast(Response, to_serializable_one(to_response(request, result)))


class _Bound:
    """A method as jsonrpcserver calls it. It always returns a result: no exception of a method ever leaves it."""

    __slots__ = ("_act", "_method", "_services", "waits")

    def __init__(self, method: Method, services: Services, act: Act | None = None) -> None:
        self._method = method
        self._services = services
        self._act = act or method.act
        self.waits = iscoroutinefunction(self._act)

    def __call__(self, caller: Caller, /, *args: Any, **kwargs: Any) -> Any:
        raw = list(args) if args else kwargs
        try:
            return Success(self._act(self._services, caller, self._read(caller, raw)))
        except Exception as error:
            return _failed(error, _language(raw))

    async def wait(self, caller: Caller, /, *args: Any, **kwargs: Any) -> Any:
        raw = list(args) if args else kwargs
        try:
            return Success(await self._act(self._services, caller, self._read(caller, raw)))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():  # it is this call that is cancelled, not something it waited for
                raise
            return _failed(Cancelled(), _language(raw))
        except Exception as error:
            return _failed(error, _language(raw))

    def _read(self, caller: Caller, raw: dict[str, Any] | list[Any]) -> Any:
        if "admin" not in caller.scopes and self._method.scopes.isdisjoint(caller.scopes):
            needed = " or ".join(sorted(self._method.scopes | {"admin"}))
            raise Forbidden(f"{self._method.name} needs the scope {needed}")
        return read(self._method.params, raw, _language(raw), self._services.limits.max_prompt_bytes)


def _failed(error: Exception, language: Language) -> Any:
    return Error(**error_object(error, language))


def _unknown() -> MethodNotFound:
    return MethodNotFound("Method not found", reason="rpc.discover lists the methods")


def _request_problem(item: Any) -> str | None:
    """Why this is not a request, or None. Members beyond the specification's are nobody's problem."""
    if type(item) is not dict:
        return "a call is an object"
    if item.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if type(item.get("method")) is not str:
        return "method must be a string"
    params = item.get("params", _NO_PARAMS)
    if type(params) is not dict and type(params) is not list:
        return "params must be an object or an array"
    if "id" in item and not _is_id(item["id"]):
        return "id must be a string, a number or null"
    return None


_NO_PARAMS: dict[str, Any] = {}


def _is_id(value: Any) -> bool:
    kind = type(value)
    # beyond 2^53 a number was rounded when it was read, and could not be echoed
    return kind is str or kind is int or value is None or (kind is float and abs(value) < _MAX_EXACT_FLOAT)


def _id_key(item: Any) -> tuple[bool, Any] | None:
    """An id as the caller tells ids apart ("1" is not 1); None for what has no id of its own."""
    if type(item) is not dict:
        return None
    value = item.get("id")
    return None if value is None or not _is_id(value) else (type(value) is str, value)


def _readable_id(item: Any) -> Any:
    value = item.get("id") if type(item) is dict else None
    return value if _is_id(value) else None


def _refused(request_id: Any, error: AgentdError) -> Response:
    return {"jsonrpc": "2.0", "error": error_object(error), "id": request_id}


def _language(raw: dict[str, Any] | list[Any]) -> Language:
    options = raw.get("options") if type(raw) is dict else None
    return "en" if type(options) is dict and options.get("language") == "en" else "id"


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def _encoded(response: Response) -> bytes:
    try:
        return orjson.dumps(response, default=_plain)
    except TypeError as error:
        log.error("rpc.unserialisable_result", reason=str(error))
        return orjson.dumps(_refused(response["id"], InternalError("Internal error")))


def _encoded_batch(responses: list[Response]) -> bytes:
    try:
        return orjson.dumps(responses, default=_plain)
    except TypeError:  # one of them has no JSON form: the others still answer
        return b"[" + b",".join(map(_encoded, responses)) + b"]"
