"""Watches the rights of long-lived connections (WebSockets, event streams).

Rights are checked again for each message and four times a second; a connection whose rights have ended gets the reason
and is closed by its endpoint.
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
from hardening.tasks import beside

EVERY_S = 0.25


class Admitted(NamedTuple):
    """How a request's caller was admitted, and the caller at that time (without a visitor's key)."""

    access: Access
    approach: Approach
    caller: Caller

    def check(self) -> None:
        """Raises Unauthorized or Forbidden if the request would not be admitted as the same caller now."""
        if self.access.caller_of(self.approach) != self.caller:
            raise Unauthorized("The rights of this connection have changed; connect again")


ADMITTED: web.RequestKey[Admitted] = web.RequestKey("admitted", Admitted)


class Leases:
    """All watched connections."""

    def __init__(self) -> None:
        self._open: dict[object, tuple[Admitted, Callable[[AgentdError], None]]] = {}

    @contextmanager
    def held(self, request: web.Request, end: Callable[[AgentdError], None]) -> Iterator[Admitted]:
        """Watch the request's connection while the block runs; call `end` with the reason once its rights have
        ended."""
        connection, admitted = object(), request[ADMITTED]
        self._open[connection] = admitted, end
        try:
            yield admitted
        finally:
            self._open.pop(connection, None)

    async def watched(self, _app: web.Application) -> AsyncIterator[None]:
        """Check the rights while the app runs, for `app.cleanup_ctx`."""
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
"""The app key of the Leases, for routes of apps whose callers may wait long."""
