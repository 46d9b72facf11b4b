"""Connections that outlive their first request (WebSockets, event streams), and the rights that they were opened with.

Rights are looked up again for each message and four times a second; a connection whose rights ended gets the reason
and is closed. It opens no connection and closes none itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

from aiohttp import web

from agentd.access import Access, Approach
from agentd.errors import AgentdError, Unauthorized
from agentd.messages import Caller

EVERY_S = 0.25
Admitted = tuple[Approach, Caller]
"""How the caller of a request came in, and who it was then (without a visitor's key)."""
ADMITTED: web.RequestKey[Admitted] = web.RequestKey("admitted", tuple)
STILL_ADMITTED: web.RequestKey[Any] = web.RequestKey("still_admitted")
"""For handlers that answer slowly: a function that raises once the caller would not be let in as the same any more."""


class Lease:
    """One open connection; `end` closes it and says why."""

    __slots__ = ("_access", "_admitted", "_held", "end")

    def __init__(
        self, access: Access, admitted: Admitted, end: Callable[[AgentdError], None], held: set[Lease]
    ) -> None:
        self._access = access
        self._admitted = admitted
        self._held = held
        self.end = end

    def __enter__(self) -> Lease:
        self._held.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._held.discard(self)

    def check(self) -> None:
        """Raises Unauthorized, Forbidden when the connection would not be let in as the same caller now."""
        still_admitted(self._access, self._admitted)


def still_admitted(access: Access, admitted: Admitted) -> None:
    """Raises Unauthorized, Forbidden for who would not be let in as the same caller now."""
    approach, caller = admitted
    if access.caller_of(approach) != caller:
        raise Unauthorized("The rights of this connection have changed; connect again")


class Leases:
    """All open connections."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._held: set[Lease] = set()

    def held(self, request: web.Request, end: Callable[[AgentdError], None]) -> Lease:
        """The request's connection, which is watched while the lease's block runs."""
        return Lease(self._access, request[ADMITTED], end, self._held)

    async def watched(self, _app: web.Application) -> AsyncIterator[None]:
        """For `app.cleanup_ctx`."""
        watch = asyncio.create_task(self._watch(), name="http.leases")
        yield
        watch.cancel()
        with suppress(asyncio.CancelledError):
            await watch

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            for lease in tuple(self._held):
                try:
                    lease.check()
                except AgentdError as error:
                    self._held.discard(lease)
                    lease.end(error)


LEASES: web.AppKey[Leases] = web.AppKey("leases", Leases)
"""For the routes of apps, whose callers may wait long."""
