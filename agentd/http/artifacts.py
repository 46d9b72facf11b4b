"""GET /artifacts/RUN_ID/NAME: serves a file that a run made to callers who may see the run. It lists no files."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

from aiohttp import web

from agentd.errors import NotFound
from agentd.http.guard import CALLER
from agentd.runs.agent_api import AgentRuns

_SHOWN_INLINE = frozenset({"application/pdf", "image/png", "image/jpeg", "text/plain"})

_FILE_POLICY = "sandbox; default-src 'none'; frame-ancestors 'self'"
_PDF_POLICY = "frame-ancestors 'self'"
"""PDFs get no sandbox, since a browser's PDF viewer doesn't start in one."""


async def artifact(runs: AgentRuns, request: web.Request) -> web.StreamResponse:
    """Return the file with its media type and SHA-256 (`X-SHA256`). Only files that the run's outcome names are served.

    Raises NotFound also for somebody else's run, and for a visitor without the session's key.
    """
    found, path = await runs.artifact(request.match_info["run_id"], request.match_info["name"], request[CALLER])
    if not await asyncio.to_thread(path.is_file):
        raise NotFound("The file is no longer kept")
    media_type = found.media_type
    placed = "inline" if media_type in _SHOWN_INLINE and "download" not in request.query else "attachment"
    return web.FileResponse(
        path,
        headers={
            "Content-Type": media_type,
            "Content-Disposition": f"{placed}; filename*=UTF-8''{quote(found.name)}",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": _PDF_POLICY if media_type == "application/pdf" else _FILE_POLICY,
            "Cache-Control": "private, no-store",
            "X-SHA256": found.sha256,
        },
    )
