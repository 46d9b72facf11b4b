"""An in-memory implementation of the chat port, for tests of code that uses it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agentd.apps.channels.port import ChannelFailure, Delivery, Incoming, Outgoing, Reading, Take
from agentd.errors import InvalidRequest, Unauthorized


class MemoryChannel:
    """A chat service in memory: `write` plays people, `sent` has what reached them; a fault fails one send."""

    longest, longest_asking, most_choices = 4096, 1024, 10

    def __init__(self, window_s: float | None = None, reports_within_s: float = 0.0, marks_read: bool = True) -> None:
        self.window_s, self.reports_within_s, self.marks_read = window_s, reports_within_s, marks_read
        self.sent: list[Outgoing] = []
        self.noticed: list[Incoming] = []
        self.removed: list[Incoming] = []
        self.faults: list[ChannelFailure] = []
        self._written: asyncio.Queue[Incoming] = asyncio.Queue()

    def write(self, *messages: Incoming) -> None:
        """Let people write these messages."""
        for message in messages:
            self._written.put_nowait(message)

    async def receive(self, take: Take) -> None:
        """Bring the messages one by one."""
        while True:
            await take([await self._written.get()])

    def read(self, delivery: Delivery) -> Reading:
        """The body as one message. Raises Unauthorized unless the header `authorization` is `memory`."""
        if delivery.headers.get("authorization") != "memory":
            raise Unauthorized("The delivery is not signed")
        try:
            return Reading((Incoming.model_validate_json(delivery.body),))
        except ValueError:
            raise InvalidRequest("The body is no message") from None

    async def send(self, message: Outgoing) -> None:
        """Record the message as arrived, unless a fault is set."""
        if self.faults:
            raise self.faults.pop(0)
        self.sent.append(message)

    async def notice(self, message: Incoming) -> None:
        self.noticed.append(message)

    async def remove(self, message: Incoming) -> bool:
        self.removed.append(message)
        return True

    async def check(self) -> Sequence[str]:
        """The number of messages it holds."""
        return [f"{len(self.sent)} messages sent"]

    async def aclose(self) -> None:
        """Nothing is held."""
