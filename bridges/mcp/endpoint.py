"""A server behind a URL, with the same interface as Subprocess. The HTTP itself is in http.py."""

from __future__ import annotations

import asyncio

from mcp.client import Transport

from agentd.messages import ServerSettings
from bridges.mcp.limits import ServerLimits
from bridges.mcp.tail import StderrTail


class Endpoint:
    """A server that runs elsewhere. The caller that finds it gone calls `give_up`, which sets `lost` and `why`."""

    def __init__(self, settings: ServerSettings, limits: ServerLimits) -> None:
        self._settings = settings
        self._limits = limits
        self.tail = StderrTail(0)
        self.lost = asyncio.Event()
        self.why = ""

    def give_up(self, why: str) -> None:
        """Mark the server as lost."""
        if not self.lost.is_set():
            self.why = why
            self.lost.set()

    def streams(self) -> Transport:
        """Open the HTTP client; the SDK's HTTP code is imported only with the first such server."""
        from bridges.mcp.http import opened

        return opened(self._settings, self._limits)
