"""Connects the SDK's JSON-RPC dispatcher, which is an ASGI app, to an aiohttp route. It knows no method."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from a2a.server.context import ServerCallContext
from a2a.server.routes.common import ServerCallContextBuilder
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from aiohttp import web
from starlette.requests import Request

from agentd.application import MethodCall
from agentd.apps.a2a.handler import BASE, CALLER, Handler
from agentd.apps.a2a.reading import check
from agentd.errors import AgentdError, Forbidden
from agentd.http import guard
from agentd.http.leases import LEASES
from agentd.http.refusals import send_away
from agentd.rpc.method import ANYONE
from agentd.runs.agent_api import AgentRuns

# It logs each mistake of a caller; what breaks here is logged by handler.py.
logging.getLogger("a2a.server.routes.jsonrpc_dispatcher").setLevel(logging.CRITICAL)

UNSAID = {"a2a-version": "0.3+as-there-is-no-header-A2A-Version"}
"""The version of a call without that header; the SDK quotes it when it refuses a method of 1.0."""


class _Contexts(ServerCallContextBuilder):
    """Passes the guard's caller on with each call."""

    def build(self, request: Request) -> ServerCallContext:
        state = {"headers": {**UNSAID, **request.headers}, CALLER: request.scope[CALLER], BASE: request.scope[BASE]}
        return ServerCallContext(state=state)


def dispatcher(call: MethodCall, runs: AgentRuns) -> JsonRpcDispatcher:
    """The dispatcher of A2A requests, for both versions of the protocol."""
    return JsonRpcDispatcher(Handler(call, runs), _Contexts(), enable_v0_3_compat=True)


def base_of(request: web.Request) -> str:
    """The daemon's base URL as this caller reached it."""
    proto = request.headers.get("X-Forwarded-Proto", request.scheme)
    return f"{proto if proto in ('http', 'https') else request.scheme}://{request.host}"


def _scope(request: web.Request) -> dict[str, Any]:
    """The ASGI scope of the request."""
    headers = [
        (name.lower().encode(), value.encode("utf-8", "surrogateescape")) for name, value in request.headers.items()
    ]
    scope: dict[str, Any] = {"type": "http", "http_version": "1.1", "method": "POST", "path": request.path}
    return scope | {"query_string": b"", "headers": headers, CALLER: request[guard.CALLER], BASE: base_of(request)}


async def _body(request: web.Request, longest: int) -> bytes:
    if not request[guard.CALLER].may(*ANYONE):
        raise Forbidden("This needs the scope of somebody who talks with the agent")
    if len(body := await request.read()) > longest:
        raise web.HTTPRequestEntityTooLarge(longest, len(body))
    return body


async def respond(request: web.Request, dispatch: JsonRpcDispatcher, longest: int) -> web.StreamResponse:
    """Send the dispatcher's answer; stop it when the caller's rights end.

    Raises Forbidden, and HTTPRequestEntityTooLarge above `longest` bytes, because the SDK parses on the event loop.
    """
    body = await _body(request, longest)
    number, wrong = check(body)
    if wrong is not None:
        error = {"code": wrong.code, "message": wrong.message}
        return web.json_response({"jsonrpc": "2.0", "id": number, "error": error})
    scope = _scope(request)
    incoming = [{"type": "http.request", "body": body, "more_body": False}]
    answer = web.StreamResponse()

    async def receive() -> dict[str, Any]:
        return incoming.pop() if incoming else await asyncio.Future()

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            answer.set_status(message["status"])
            for name, value in message["headers"]:
                answer.headers[name.decode()] = value.decode()
            await answer.prepare(request)
        elif message.get("body"):
            admitted.check()
            await answer.write(message["body"])

    def end(error: AgentdError) -> None:
        if not answer.prepared:
            send_away(request, error, rpc=False)
        elif request.transport is not None:
            request.transport.close()

    with request.app[LEASES].held(request, end) as admitted:
        response = await dispatch.handle_requests(Request(scope, receive))
        await response(scope, receive, send)
    return answer
