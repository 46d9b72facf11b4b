"""GET /tables/RUN_ID.csv and .xlsx: the table of an answer as a file to save. It asks and stores nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from aiohttp import web

from agentd.apps.analytics import export
from agentd.errors import Forbidden, NotFound
from agentd.http.guard import CALLER
from agentd.rpc.method import STAFF
from agentd.runs.agent_api import AgentRuns

_TYPES = {"csv": "text/csv", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}


class TablesEndpoint:
    """Access is the run's own: a caller who may not see it finds nothing."""

    def __init__(self, runs: AgentRuns) -> None:
        self._runs = runs

    def routes(self) -> Iterator[web.RouteDef]:
        """For `application(mounted=…)`."""
        yield web.get(r"/tables/{run_id}.{kind:csv|xlsx}", self.get)

    async def get(self, request: web.Request) -> web.Response:
        """The file. Raises Forbidden, NotFound."""
        caller, kind = request[CALLER], request.match_info["kind"]
        if not caller.may(*STAFF):
            raise Forbidden("This needs the scope staff")
        answer = await self._runs.answer(request.match_info["run_id"], caller)
        of_graph = [dict(zip(answer.get("columns", ()), row, strict=False)) for row in answer.get("rows", ())]
        rows = answer.get("data_table_for_display") or of_graph
        if not rows:
            raise NotFound("This run has no table")
        return web.Response(
            body=await asyncio.to_thread(export.made, rows, f".{kind}"),
            content_type=_TYPES[kind],
            headers={
                "Cache-Control": "private, no-store",
                "Content-Disposition": f'attachment; filename="jawaban.{kind}"',
            },
        )
