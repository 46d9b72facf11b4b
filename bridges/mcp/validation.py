"""Has large results checked against their output schema beside the event loop, not on it. Checks nothing itself.

The SDK's check takes some 0.1 ms a row of a table: a thousand rows would hold up every other citizen for 0.1 s.
"""

from __future__ import annotations

import asyncio

import orjson
from mcp.client.session import ClientSession
from mcp_types import CallToolResult

_LARGE = 16 * 1024
"""Bytes of JSON; a thread costs about what the check of so many does."""


def check_large_results_aside(session: ClientSession) -> None:
    """Wrap the session's own check. The tools must have been listed: the check then awaits nothing of its loop."""
    check = session.validate_tool_result

    async def validate(name: str, result: CallToolResult) -> None:
        if _is_large(result.structured_content):
            await asyncio.to_thread(asyncio.run, check(name, result))
        else:
            await check(name, result)

    session.validate_tool_result = validate  # type: ignore[method-assign]


def _is_large(value: object) -> bool:
    try:
        return len(orjson.dumps(value)) > _LARGE
    except orjson.JSONEncodeError:
        return True
