"""POST /visit/RUN_ID: a visitor's key as a cookie for what a browser fetches without headers. It reads no event itself.

An EventSource and a PDF in a frame send none of a page's headers. The cookie is for this run's events and files alone,
no script reads it, no page of another site uses it, and it ends by itself: the next visitor has the same browser.
"""

from __future__ import annotations

from urllib.parse import quote

from aiohttp import web
from aiohttp.typedefs import Handler

from agentd.errors import InvalidRequest
from agentd.http.guard import CALLER, KEY_COOKIE, KEY_PATHS
from agentd.runs.agent_api import AgentRuns
from agentd.runs.visibility import kept_of_new

LIVES_S = 900


def visit(runs: AgentRuns) -> Handler:
    """For a visitor who shows the key of the run's session in the header Agentd-Session-Key."""

    async def post(request: web.Request) -> web.Response:
        """204 and the cookies. Raises NotFound where the key doesn't open the run, InvalidRequest without one."""
        run_id, caller = request.match_info["run_id"], request[CALLER]
        if caller.session_key is None:
            raise InvalidRequest("The header Agentd-Session-Key is missing: it is what the cookie keeps")
        kept_of_new(caller.session_key)  # staff may see the run whatever stands there: only a key's letters go on
        await runs.get(run_id, caller)
        response = web.Response(status=204, headers={"Cache-Control": "no-store"})
        secure = request.secure or request.headers.get("X-Forwarded-Proto") == "https"
        for path in KEY_PATHS:
            cookie = f"{KEY_COOKIE}={caller.session_key}; Path={path}{quote(run_id, safe='')}; Max-Age={LIVES_S}"
            response.headers.add("Set-Cookie", f"{cookie}; HttpOnly; SameSite=Strict{'; Secure' if secure else ''}")
        return response

    return post
