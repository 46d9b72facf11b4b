"""Turns errors into HTTP answers with a status and a JSON body. Methods' results are not made here."""

from __future__ import annotations

import math

import orjson
from aiohttp import web

from agentd.errors import AgentdError
from agentd.rpc.wire import error_object


class Refused(Exception):
    """A refusal whose HTTP status is more precise than its error (405, 413, 415)."""

    def __init__(self, status: int, error: AgentdError) -> None:
        self.status = status
        self.error = error
        super().__init__(error.message)


def refusal(error: BaseException, *, rpc: bool) -> web.Response:
    """The response to a refused request: `{"error": {code, message, data}}`, on /rpc in JSON-RPC's envelope."""
    status = error.status if isinstance(error, AgentdError | Refused) else AgentdError.status
    if isinstance(error, Refused):
        error = error.error
    body: dict[str, object] = {"error": error_object(error)}
    if rpc:
        body = {"jsonrpc": "2.0", **body, "id": None}
    response = web.Response(body=orjson.dumps(body), status=status, content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    if status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    if isinstance(error, AgentdError) and "retry_after_s" in error.data:
        response.headers["Retry-After"] = str(math.ceil(error.data["retry_after_s"]))
    return response


def send_away(request: web.Request, error: AgentdError, *, rpc: bool) -> None:
    """Send the refusal and close the connection, while its handler still waits for work that continues without the
    caller."""
    transport = request.transport
    if transport is None or transport.is_closing():
        return
    response = refusal(error, rpc=rpc)
    body = response.body
    assert isinstance(body, bytes)
    headers = {**response.headers, "Content-Length": str(len(body)), "Connection": "close"}
    lines = [f"HTTP/1.1 {response.status} {response.reason}", *(f"{name}: {value}" for name, value in headers.items())]
    transport.write("\r\n".join((*lines, "", "")).encode() + body)
    transport.close()
