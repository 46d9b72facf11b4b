"""GET /artifacts/RUN_ID/NAME: a file that a run made, for callers who may see the run. It lists nothing."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

from aiohttp import web
from aiohttp.typedefs import Handler

from agentd.errors import NotFound
from agentd.http.guard import CALLER
from agentd.runs.agent_api import AgentRuns

_SHOWN_INLINE = frozenset({"application/pdf", "image/png", "image/jpeg", "text/plain"})

_FILE_POLICY = "sandbox; default-src 'none'; frame-ancestors 'self'"
_PDF_POLICY = "frame-ancestors 'self'"
"""A browser's own PDF viewer doesn't start in a sandbox."""


def artifacts(runs: AgentRuns) -> Handler:
    """Serves what a run's own outcome names, and nothing else."""

    async def get(request: web.Request) -> web.StreamResponse:
        """The file, with its media type and its SHA-256 (`X-SHA256`). A run of somebody else is not found, nor is a
        visitor's without the key of its session."""
        artifact, path = await runs.artifact(request.match_info["run_id"], request.match_info["name"], request[CALLER])
        if not await asyncio.to_thread(path.is_file):
            raise NotFound("The file is no longer kept")
        media_type = artifact.media_type
        placed = "inline" if media_type in _SHOWN_INLINE and "download" not in request.query else "attachment"
        return web.FileResponse(
            path,
            headers={
                "Content-Type": media_type,
                "Content-Disposition": f"{placed}; filename*=UTF-8''{quote(artifact.name)}",
                "X-Content-Type-Options": "nosniff",
                "Content-Security-Policy": _PDF_POLICY if media_type == "application/pdf" else _FILE_POLICY,
                "Cache-Control": "private, no-store",
                "X-SHA256": artifact.sha256,
            },
        )

    return get
