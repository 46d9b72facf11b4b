"""Sends answers to a chat service, each once as far as the service lets us know. It keeps no queue.

An answer is marked as begun before its service gets it. If the result was lost (a kill, a lost connection), the
service may have it: one that reports deliveries gets time to do so, and an answer that is sent again says so.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any

import structlog

from agentd.apps.channels.conversation import SENDING, Conversation, Service
from agentd.apps.channels.mailbox import BEGUN, Chat, ChatKey, Mailbox, Out
from agentd.apps.channels.port import ChannelFailure, Document, Outgoing
from agentd.apps.channels.reading import again, said
from agentd.apps.channels.texts import texts
from agentd.errors import NotFound
from agentd.ports import Clock
from agentd.runs.agent_api import AgentRuns

log = structlog.get_logger("agentd.channels")

LEAVE_S = 3.0
"""Seconds that a stop waits for answers being sent."""
REMEMBERED = 1000
"""Maximum number of reported keys that are remembered."""


class Sender:
    """Sends answers: one at a time per chat, at most SENDING per service."""

    def __init__(
        self, mailbox: Mailbox, conversation: Conversation, runs: Callable[[], AgentRuns], clock: Clock
    ) -> None:
        self._mailbox = mailbox
        self._conversation = conversation
        self._runs = runs
        self._clock = clock
        self._confirmed: dict[str, None] = {}
        self._news = asyncio.Event()

    def may_send(self, service: Service, chat: Chat | None, out: Out | None) -> bool:
        """Whether there is an answer and the service's time window lets us write now."""
        if out is None:
            return False
        if service.channel.window_s is None or chat is None:
            return True
        heard = datetime.fromisoformat(chat.heard_at)
        return (self._clock.now() - heard).total_seconds() < service.channel.window_s

    def confirmed(self, keys: Iterable[str]) -> None:
        """Note that a service reported the answers with these keys as delivered."""
        self._confirmed |= dict.fromkeys(keys)
        for key in list(self._confirmed)[:-REMEMBERED]:
            del self._confirmed[key]
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def send(self, service: Service, chat_key: ChatKey, out: Out, chat: Chat | None) -> bool:
        """Send an answer unless the service already has it. Returns whether the chat has more to do.

        Raises ChannelFailure: then it is sent later.
        """
        number, body = out
        if BEGUN in body and await self._has(service, body[BEGUN]):
            return await self._mailbox.sent(chat_key, number)
        async with service.sending:
            await self._sent(service, chat_key[1], number, body, chat)
            return await self._mailbox.sent(chat_key, number)

    async def finish(self, services: Iterable[Service]) -> None:
        """Wait for the answers being sent, and start no more."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVE_S):
                for service in services:
                    for _ in range(SENDING):
                        await service.sending.acquire()

    async def _has(self, service: Service, key: str) -> bool:
        """Whether the service reports in time that it has the message begun under this key."""
        with suppress(TimeoutError):
            async with asyncio.timeout(service.channel.reports_within_s):
                while key not in self._confirmed:
                    await self._news.wait()
        return key in self._confirmed

    async def _sent(self, service: Service, to: str, number: int, body: dict[str, Any], chat: Chat | None) -> None:
        whole = {name: value for name, value in body.items() if name != BEGUN}
        message = await self._outgoing(service, to, whole, chat)
        key = body.get(BEGUN)
        if key is None:
            key = secrets.token_hex(8)
            await self._mailbox.note(number, {**whole, BEGUN: key})
        elif chat is not None:
            message = message.model_copy(update={"text": again(message.text, chat.language, service.channel.longest)})
        try:
            await service.channel.send(message.model_copy(update={"key": key}))
        except ChannelFailure as failure:
            if not failure.final:
                if failure.answered and BEGUN not in body:  # the service surely doesn't have it
                    await self._mailbox.note(number, whole)
                raise
            log.warning("channel.not_sent", channel=service.name, reason=failure.message)
            if message.document is not None:
                instead = _not_sent(message.document.name, chat)
                await self._mailbox.note(number, instead)
                await self._sent(service, to, number, instead, chat)

    async def _outgoing(self, service: Service, to: str, body: dict[str, Any], chat: Chat | None) -> Outgoing:
        """The message to send; a missing file is replaced by a text that says so."""
        if "file" not in body:
            return Outgoing(chat=to, **body)
        if chat is None:
            return Outgoing(chat=to, **_not_sent(body["file"], chat))
        caller, runs = self._conversation.caller(service, chat), self._runs()
        try:
            artifact, path = await runs.artifact(str(body["run_id"]), str(body["file"]), caller)
        except NotFound:
            return Outgoing(chat=to, **_not_sent(body["file"], chat))
        return Outgoing(chat=to, document=Document(path=str(path), name=artifact.name, media_type=artifact.media_type))


def _not_sent(name: str, chat: Chat | None) -> dict[str, Any]:
    """The text sent instead of a file; in the office's language if the chat's is unknown."""
    return said(texts()[chat.language if chat else "id"].not_sent.format(name=name))
