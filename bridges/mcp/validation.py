"""Moves the SDK's check of large results against their output schema from the event loop to a thread.

The check takes about 0.1 ms per row of a table: a thousand rows would block every other citizen for 0.1 s.
"""

from __future__ import annotations

import asyncio

import orjson
from mcp.client.session import ClientSession
from mcp_types import CallToolResult

_LARGE = 16 * 1024
"""Bytes of JSON whose check takes about as long as starting a thread."""


def check_large_results_aside(session: ClientSession) -> None:
    """Wrap the session's check. The tools must be listed before: then the check awaits nothing on its event loop."""
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
