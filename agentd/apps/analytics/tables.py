"""GET /tables/RUN_ID.csv and .xlsx: an answer's table as a file to save. It asks and stores nothing."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from aiohttp import web

from agentd.apps.analytics import export
from agentd.errors import Forbidden, NotFound
from agentd.http.guard import CALLER
from agentd.rpc.method import STAFF
from agentd.runs.agent_api import AgentRuns

_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TYPES = {"csv": "text/csv", "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}


class TablesEndpoint:
    """Access follows the run: a caller who may not see it gets NotFound."""

    def __init__(self, runs: AgentRuns) -> None:
        self._runs = runs

    def routes(self) -> Iterator[web.RouteDef]:
        """For `application(mounted=…)`."""
        yield web.get(r"/tables/{run_id}.{kind:csv|xlsx}", self.get)

    async def get(self, request: web.Request) -> web.Response:
        """Returns the file. Raises Forbidden, NotFound."""
        caller, kind = request[CALLER], request.match_info["kind"]
        if not caller.may(*STAFF):
            raise Forbidden("This needs the scope staff")
        answer = await self._runs.answer(request.match_info["run_id"], caller)
        rows = answer.get("data_table_for_display") or rows_of_graph(answer)
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


def rows_of_graph(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of a graph's answer by heading, a node as its properties; a repeated heading is numbered."""
    rows = answer.get("rows", ())
    lines: list[dict[str, Any]] = [{} for _ in rows]
    met: Counter[str] = Counter()
    for at, heading in enumerate(answer.get("headings") or answer.get("columns", ())):
        names = dict.fromkeys(name for row in rows if isinstance(row[at], dict) for name in row[at])
        for name in names or [None]:
            said = heading if name is None else _CAPITAL.sub(" ", name.replace("_", " ")).lower()
            met[said] += 1
            told = f"{said} {met[said]}" if met[said] > 1 else said
            for line, row in zip(lines, rows, strict=True):
                line[told] = row[at] if name is None else (row[at] or {}).get(name)
    return lines
