"""One server behind a URL, as the other wires are: whether it is lost, and why. The HTTP is http.py's. No process."""

from __future__ import annotations

import asyncio

from mcp.client import Transport

from agentd.messages import ServerSettings
from bridges.mcp.limits import ServerLimits
from bridges.mcp.tail import StderrTail


class Endpoint:
    """A server that runs elsewhere. `lost` is set by the caller that notices that it is no longer there."""

    def __init__(self, settings: ServerSettings, limits: ServerLimits) -> None:
        self._settings = settings
        self._limits = limits
        self.tail = StderrTail(0)
        self.lost = asyncio.Event()
        self.why = ""

    def give_up(self, why: str) -> None:
        """It can't be used any more."""
        if not self.lost.is_set():
            self.why = why
            self.lost.set()

    def streams(self) -> Transport:
        """Open the client; the SDK's HTTP is imported with the first such server."""
        from bridges.mcp.http import opened

        return opened(self._settings, self._limits.message_bytes)
