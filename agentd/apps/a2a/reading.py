"""Checks a request and names a fault by its path, because the SDK would repeat the faulty value."""

from __future__ import annotations

import re
from typing import Any

import orjson
from a2a.compat.v0_3.jsonrpc_adapter import JSONRPC03Adapter
from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message
from pydantic import BaseModel, ValidationError

from agentd.errors import InvalidParams, InvalidRequest
from agentd.errors import ParseError as NoJson
from agentd.rpc.params import named

_FIELD = re.compile(r"Failed to parse (\w+) field")


def check(body: bytes) -> tuple[Any, NoJson | InvalidRequest | InvalidParams | None]:
    """(the request's id, its fault or None)."""
    try:
        asked = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        return None, NoJson(f"Parse error: {error}")
    if type(asked) is not dict:
        return None, InvalidRequest("Invalid Request: a request is one object")
    number, method, params = asked.get("id"), asked.get("method"), asked.get("params", {})
    known = number if type(number) in (str, int) else None
    if asked.get("jsonrpc") != "2.0" or type(method) is not str or known != number:
        return known, InvalidRequest('Invalid Request: jsonrpc is "2.0", method a string, id a string or an integer')
    if type(params) is not dict:
        return known, InvalidParams("Invalid params: params should be an object")
    try:
        _fits(
            asked, params, JSONRPC03Adapter.METHOD_TO_MODEL.get(method), JsonRpcDispatcher.METHOD_TO_MODEL.get(method)
        )
    except InvalidParams as error:
        return known, error
    return known, None


def _fits(asked: Any, params: Any, old: type[BaseModel] | None, new: type[Message] | None) -> None:
    """Raise InvalidParams if the params don't fit the method's model in version 0.3 or 1.0."""
    try:
        if old is not None:
            old.model_validate(asked)
        elif new is not None:
            _parse(params, new)
    except ValidationError as error:
        raise named(old or BaseModel, error, "id") from None
    except (ParseError, ValueError, TypeError) as error:
        place = ".".join(["params", *_FIELD.findall(str(error))])
        raise InvalidParams(f"Invalid params: {place} is wrong: A2A 1.0 has another form for it") from None


def _parse(params: Any, form: type[Message]) -> None:
    """Parse as the SDK does, ignoring unknown fields; raises ParseError for unknown enum values."""
    try:
        ParseDict(params, form())
    except ParseError as error:
        if "enum" in str(error):
            raise
        ParseDict(params, form(), ignore_unknown_fields=True)
