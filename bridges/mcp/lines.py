"""Splits a server's standard output into messages of limited size. It does no I/O, and bad input raises nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mcp_types import (
    INTERNAL_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from mcp_types.methods import SERVER_NOTIFICATIONS
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

_EDGE = 256
"""How much of both ends of an oversized line is kept, to find the id of the request it answers."""
PARTS = 100_000
"""The most values of one answer, at any depth: the event loop reads, checks and stores each."""
_ID = rb'"id"\s*:\s*(\d+|"[^"\\]{1,64}")\s*'
_VERSION = rb'"jsonrpc"\s*:\s*"2\.0"\s*'
_ANSWER = re.compile(_VERSION)
_ID_FIRST = re.compile(rb"\s*\{\s*(?:" + _VERSION + rb",\s*)?" + _ID + rb",")
_ID_LAST = re.compile(rb",\s*" + _ID + rb"(?:,\s*" + _VERSION + rb")?\}\s*$")


@dataclass(frozen=True)
class Noise:
    """A line that isn't MCP. Only its size is kept, since it may contain personal data."""

    size: int


@dataclass(frozen=True)
class Oversize:
    """A discarded message over the limit; `answer` is the error for its request, None if the id could not be read."""

    size: int
    answer: JSONRPCMessage | None


Line = JSONRPCMessage | Noise | Oversize


class LineCutter:
    """Receives bytes as they arrive and yields the meaning of each complete line."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._head = b""
        self._tail = b""

    @property
    def open_bytes(self) -> int:
        """The length so far of the incomplete line."""
        return self._size

    def feed(self, data: bytes) -> Iterator[Line]:
        """Yield every line that `data` completes, skipping empty ones."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._add(piece)
            if (line := self._end()) is not None:
                yield line
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        if not piece:
            return
        if self._size <= self._limit < self._size + len(piece):
            whole = b"".join([*self._parts, piece])
            self._head, self._tail = whole[:_EDGE], whole[-_EDGE:]
            self._parts.clear()
        elif self._size > self._limit:
            self._tail = (self._tail + piece[-_EDGE:])[-_EDGE:]
        else:
            self._parts.append(piece)
        self._size += len(piece)

    def _end(self) -> Line | None:
        size, parts = self._size, self._parts
        self._size, self._parts = 0, []
        if size > self._limit:
            text = f"the answer is {size / 1e6:.1f} MB long; at most {self._limit / 1e6:.1f} MB are accepted"
            return Oversize(size, _refusal(self._head, self._tail, text))
        raw = b"".join(parts).strip()
        return parse(raw) if raw else None


def parse(raw: bytes) -> JSONRPCMessage | Noise:
    """Parse one line.

    Half a surrogate pair (allowed in JSON, not in UTF-8) becomes `?`; otherwise the message would be lost and its call
    would time out. For the same reason the call of an answer that is nested too deeply gets an error.
    """
    try:
        message = _message(raw)
        return Noise(len(raw)) if broken(message) else message
    except ValueError:
        if not raw.startswith(b"{"):
            return Noise(len(raw))
    try:
        value = json.loads(raw.decode("utf-8", "replace"))
        clean = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        return _message(clean)
    except (ValueError, RecursionError):
        head = raw[:_EDGE]
        answers = _ANSWER.search(head) and b'"method"' not in head
        return (_refusal(head, raw[-_EDGE:], "the answer can't be read") if answers else None) or Noise(len(raw))


def _message(raw: bytes) -> JSONRPCMessage:
    """Read a message in a quarter of `validate_json`'s time, which tries each kind of message in turn."""
    return bounded(jsonrpc_message_adapter.validate_python(from_json(raw), by_name=False))


def bounded(message: JSONRPCMessage) -> JSONRPCMessage:
    """The message; an error instead of an answer that has too many values."""
    if isinstance(message, JSONRPCResponse) and too_many(message.result):
        error = ErrorData(code=INTERNAL_ERROR, message=f"the answer has more than {PARTS:,} values")
        return JSONRPCError(jsonrpc="2.0", id=message.id, error=error)
    return message


def broken(message: JSONRPCMessage) -> bool:
    """Whether it is a notification whose content no version of MCP knows; the SDK would log each of a flood."""
    if not isinstance(message, JSONRPCNotification):
        return False
    kinds = [kind for (method, _), kind in SERVER_NOTIFICATIONS.items() if method == message.method]
    return bool(kinds) and not any(_is(kind, message) for kind in reversed(kinds))


def _is(kind: type[BaseModel], message: JSONRPCNotification) -> bool:
    try:
        kind.model_validate(message.model_dump(by_alias=True, exclude_none=True), by_name=False)
    except ValidationError:
        return False
    return True


def too_many(value: Any) -> bool:
    """Whether it holds more than PARTS values."""
    waiting, parts = [value], 0
    while waiting and parts <= PARTS:
        part = waiting.pop()
        if isinstance(part, dict | list):
            parts += len(part)
            waiting += part.values() if isinstance(part, dict) else part
    return parts > PARTS


def _refusal(head: bytes, tail: bytes, text: str) -> JSONRPCMessage | None:
    found = _ID_FIRST.match(head) or _ID_LAST.search(tail)
    if found is None:
        return None
    error = ErrorData(code=INTERNAL_ERROR, message=text)
    return JSONRPCError(jsonrpc="2.0", id=json.loads(found.group(1)), error=error)
