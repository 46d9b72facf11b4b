"""Turns whatever went wrong with a server into one sentence. Pure; quotes no message and no stack trace."""

from __future__ import annotations

import httpx2
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED, INVALID_REQUEST, REQUEST_TIMEOUT
from pydantic import ValidationError

_LONGEST = 300


class ServerGone(Exception):
    """The server can't be used any more; the text says why, for people."""


def first_cause(error: BaseException) -> BaseException:
    """The exception inside nested groups that says most: ours, else one that isn't just the connection closing."""
    leaves = list(_leaves(error))
    ours = next((leaf for leaf in leaves if isinstance(leaf, ServerGone)), None)
    cause = next((leaf for leaf in leaves if not is_closed(leaf)), None)
    return ours or cause or leaves[0]


def is_closed(error: BaseException) -> bool:
    """True for the SDK's word that the connection is no more."""
    return isinstance(error, MCPError) and error.code == CONNECTION_CLOSED


def is_timeout(error: BaseException) -> bool:
    """True when no answer came in time."""
    return isinstance(error, TimeoutError) or (isinstance(error, MCPError) and error.code == REQUEST_TIMEOUT)


def describe(error: BaseException) -> str:
    """One sentence of at most 300 characters, without the data that was sent or received."""
    match first_cause(error):
        case ServerGone() as gone:
            text = str(gone)
        case late if is_timeout(late):
            text = "it did not answer in time"
        case MCPError() as refused if is_closed(refused):
            text = "it closed the connection"
        case MCPError() as refused:
            text = f"it answered with an error: {one_line(refused.error.message)}"
        case httpx2.ConnectError():
            text = "nothing answers at its address"
        case httpx2.HTTPError() as failed:
            text = f"its connection failed ({type(failed).__name__})"
        case ValidationError() as invalid:
            place = ".".join(str(part) for part in invalid.errors(include_input=False)[0]["loc"][-3:])
            text = f"its answer breaks the protocol at `{place}`"
        case RuntimeError() as other:
            text = one_line(str(other)) or type(other).__name__
        case OSError() as failed:
            text = f"{failed.strerror or type(failed).__name__}"
        case other:
            text = f"{type(other).__name__}"
    return text[:_LONGEST]


def one_line(text: str) -> str:
    """The first line, without surrounding blanks, bounded."""
    return next((line.strip()[:_LONGEST] for line in text.splitlines() if line.strip()), "")


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for child in error.exceptions for leaf in _leaves(child)] or [error]
    return [error]


def session_ended(error: BaseException) -> bool:
    """True for HTTP 404 on a known session: the server was restarted, and has not seen the request."""
    return isinstance(error, MCPError) and error.code == INVALID_REQUEST and error.error.message == "Session terminated"
