"""Describes any failure of a server in one sentence, without messages or stack traces. No I/O."""

from __future__ import annotations

import httpx2
from mcp import MCPError
from mcp_types import CONNECTION_CLOSED, INVALID_REQUEST, REQUEST_TIMEOUT
from pydantic import ValidationError

_LONGEST = 300
_OTHER_WIRE = "; its address may speak no Streamable HTTP, but the older HTTP+SSE, which is not spoken here"
_HINTS = {"Not Found": _OTHER_WIRE, "Server returned an error response": _OTHER_WIRE}
"""{what the SDK says of an HTTP status: what may be wrong}."""


class ServerGone(Exception):
    """The server can't be used any more; the text tells people why."""


def first_cause(error: BaseException) -> BaseException:
    """Return the most informative exception of nested groups: a ServerGone, else one other than a closed connection."""
    leaves = list(_leaves(error))
    ours = next((leaf for leaf in leaves if isinstance(leaf, ServerGone)), None)
    cause = next((leaf for leaf in leaves if not is_closed(leaf)), None)
    return ours or cause or leaves[0]


def is_closed(error: BaseException) -> bool:
    """Return True if the SDK reports a closed connection."""
    return isinstance(error, MCPError) and error.code == CONNECTION_CLOSED


def is_timeout(error: BaseException) -> bool:
    """Return True if no answer came in time."""
    return isinstance(error, TimeoutError) or (isinstance(error, MCPError) and error.code == REQUEST_TIMEOUT)


def describe(error: BaseException) -> str:
    """Describe an error in at most 300 characters, without the data that was sent or received."""
    match first_cause(error):
        case ServerGone() as gone:
            text = str(gone)
        case late if is_timeout(late):
            text = "it did not answer in time"
        case MCPError() as refused if is_closed(refused):
            text = "it closed the connection"
        case MCPError() as refused:
            said = refused.error.message
            text = f"it answered with an error: {one_line(said)}{_HINTS.get(said, '')}"
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
    """Return the first non-blank line, stripped and cut to the limit."""
    return next((line.strip()[:_LONGEST] for line in text.splitlines() if line.strip()), "")


def _leaves(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for child in error.exceptions for leaf in _leaves(child)] or [error]
    return [error]


def session_ended(error: BaseException) -> bool:
    """Return True for HTTP 404 on a known session: the server was restarted and has not seen the request."""
    return isinstance(error, MCPError) and error.code == INVALID_REQUEST and error.error.message == "Session terminated"
