"""POST /visit/RUN_ID: sets a visitor's key as a cookie for browser requests that cannot send headers.

These are an EventSource and a PDF in a frame. The cookie is only for this run's events and files. Scripts cannot read
it, other sites cannot use it, and it expires, because the next visitor uses the same browser.
"""

from __future__ import annotations

from urllib.parse import quote

from aiohttp import web

from agentd.errors import InvalidRequest
from agentd.http.guard import CALLER, KEY_COOKIE, KEY_PATHS
from agentd.runs.agent_api import AgentRuns
from agentd.runs.visibility import kept_of_new

LIVES_S = 900


async def visit(runs: AgentRuns, request: web.Request) -> web.Response:
    """Answer 204 with the cookies; the header Agentd-Session-Key must have the key of the run's session.

    Raises InvalidRequest without a key, NotFound if it doesn't open the run.
    """
    run_id, caller = request.match_info["run_id"], request[CALLER]
    if caller.session_key is None:
        raise InvalidRequest("The header Agentd-Session-Key is missing: it is what the cookie keeps")
    kept_of_new(caller.session_key)  # for staff any key opens the run, so check that it is fit for a cookie
    await runs.status(run_id, caller)
    response = web.Response(status=204, headers={"Cache-Control": "no-store"})
    secure = request.secure or request.headers.get("X-Forwarded-Proto") == "https"
    for path in KEY_PATHS:
        cookie = f"{KEY_COOKIE}={caller.session_key}; Path={path}{quote(run_id, safe='')}; Max-Age={LIVES_S}"
        response.headers.add("Set-Cookie", f"{cookie}; HttpOnly; SameSite=Strict{'; Secure' if secure else ''}")
    return response
