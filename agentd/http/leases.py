"""Connections that outlive their first request (WebSockets, event streams), and the rights that they were opened with.

Rights are looked up again for each message and four times a second; a connection whose rights ended gets the reason
and is closed. It opens no connection and closes none itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from aiohttp import web

from agentd.access import Access, Approach
from agentd.errors import AgentdError, Unauthorized
from agentd.messages import Caller
from agentd.tasks import beside

EVERY_S = 0.25


class Admitted(NamedTuple):
    """How the caller of a request came in, and who it was then (without a visitor's key)."""

    access: Access
    approach: Approach
    caller: Caller

    def check(self) -> None:
        """Raises Unauthorized, Forbidden for who would not be let in as the same caller now."""
        if self.access.caller_of(self.approach) != self.caller:
            raise Unauthorized("The rights of this connection have changed; connect again")


ADMITTED: web.RequestKey[Admitted] = web.RequestKey("admitted", Admitted)


class Leases:
    """All open connections."""

    def __init__(self) -> None:
        self._open: dict[object, tuple[Admitted, Callable[[AgentdError], None]]] = {}

    @contextmanager
    def held(self, request: web.Request, end: Callable[[AgentdError], None]) -> Iterator[Admitted]:
        """Watch the request's connection while the block runs: `end` closes it, and says why, once its rights have
        ended."""
        connection, admitted = object(), request[ADMITTED]
        self._open[connection] = admitted, end
        try:
            yield admitted
        finally:
            self._open.pop(connection, None)

    async def watched(self, _app: web.Application) -> AsyncIterator[None]:
        """For `app.cleanup_ctx`."""
        async with beside(leases=self._watch()):
            yield

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            for connection, (admitted, end) in tuple(self._open.items()):
                try:
                    admitted.check()
                except AgentdError as error:
                    self._open.pop(connection, None)
                    end(error)


LEASES: web.AppKey[Leases] = web.AppKey("leases", Leases)
"""A lease for routes of apps, whose callers may wait long."""
