"""The app for chats with the office: listens to chat services, answers messages, and deletes a session's chat with it.

Each chat has one worker: it sends what is queued, in order, then answers the next message. A message that can't be
answered or sent now stays queued, and everything after it in that chat waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import structlog
from sqlalchemy.exc import SQLAlchemyError

from agentd.access import Buckets
from agentd.agent.language import own_language
from agentd.application import App, Wiring
from agentd.apps.channels.conversation import Conversation, Service
from agentd.apps.channels.mailbox import Answer, ChatKey, Mailbox
from agentd.apps.channels.port import Channel, ChannelFailure, ChannelSettings, Incoming, Reading
from agentd.apps.channels.reading import kind_of, said
from agentd.apps.channels.section import ChannelsSection
from agentd.apps.channels.sending import Sender
from agentd.apps.channels.texts import texts
from agentd.errors import AgentdError, ConfigError, Draining
from agentd.plugins import plugin
from agentd.runs.agent_api import AgentRuns

if TYPE_CHECKING:
    from aiohttp import web

log = structlog.get_logger("agentd.channels")

AGAIN_S, AGAIN_AT_MOST_S = 1.0, 60.0
"""First and longest delay before a retry, in seconds; it doubles each time."""
LOOK_S = 1.0
"""Seconds between checks of runs that wait for an officer."""
TIDY_S = 3600.0
NOTICE_S = 1.5
"""Seconds after which people see that an answer is being written."""


def plugged(entry: ChannelSettings) -> Channel:
    """Create the plug-in of the entry's type. Raises LookupError if not installed, ValueError if it lacks something."""
    made: Channel = plugin("agentd.channels", entry.type)(entry)
    return made


class Channels(App):
    """The chat services of client.toml."""

    reaches_out = True

    def __init__(self, wiring: Wiring, make: Callable[[ChannelSettings], Channel] = plugged) -> None:
        super().__init__(wiring)
        self._make = make
        self._mailbox = Mailbox(wiring.store, wiring.settings().state, wiring.clock)
        self._runs: AgentRuns | None = None
        self._on_the_wire = asyncio.Event()
        self._conversation = Conversation(self._mailbox, wiring.call, self._served_runs)
        self._sender = Sender(self._mailbox, self._conversation, self._served_runs, wiring.clock)
        self._services: dict[str, Service] = {}
        self._workers: dict[ChatKey, asyncio.Task[None]] = {}
        self._notices: set[asyncio.Task[None]] = set()
        self._woken: set[ChatKey] = set()
        self._locks: WeakValueDictionary[ChatKey, asyncio.Lock] = WeakValueDictionary()
        self._rates = Buckets(wiring.clock)

    def pages(self) -> Iterable[web.AbstractRouteDef]:
        """The webhooks and the sign-in page."""
        from agentd.apps.channels.pages import Pages

        return Pages(
            self._services, self._delivered, self._mailbox, self._conversation, self.lock, self.wiring.call
        ).routes()

    def routes(self, runs: AgentRuns) -> Iterable[web.AbstractRouteDef]:
        """No routes; but from now on the daemon serves, so that chats can be answered."""
        self._runs = runs
        self._on_the_wire.set()
        return ()

    async def owes(self, session_id: str) -> bool:
        """Whether something is still to be answered or sent in the session's chat."""
        return bool(await self._mailbox.open(session_id))

    async def forget(self, session_id: str) -> None:
        """Delete what is stored of the session's chat."""
        await self._mailbox.forget(session_id)

    def lock(self, chat_key: ChatKey) -> asyncio.Lock:
        """The lock that is held while answering in a chat or changing who is signed in there."""
        return self._locks.setdefault(chat_key, asyncio.Lock())

    def _served_runs(self) -> AgentRuns:
        assert self._runs is not None, "nothing is answered before the daemon serves"
        return self._runs

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Listen to chats and answer them once the daemon accepts connections."""
        settings = self.wiring.settings()
        for at, entry in enumerate(settings.section(ChannelsSection).channels):
            if entry.blocked:
                log.error("channel.not_started", channel=entry.name, reason=entry.blocked)
                continue
            try:
                self._services[entry.name] = Service(entry, self._make(entry))
            except (LookupError, ValueError) as error:
                problem = settings.problem(("channels", at), f"channel `{entry.name}`: {error}")
                raise ConfigError([problem]) from None
        if not self._services:
            yield
            return
        tasks = [asyncio.create_task(self._listen(one), name=f"channel {one.name}") for one in self._services.values()]
        tasks += [asyncio.create_task(self._look(), name="channels look"), asyncio.create_task(self._tidy())]
        try:
            yield
        finally:
            await self._sender.finish(self._services.values())
            tasks += [*self._workers.values(), *self._notices]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for service in self._services.values():
                await service.channel.aclose()

    # ── receiving ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _listen(self, service: Service) -> None:
        """Receive messages until the daemon stops; retry a service that does not answer."""
        await self._on_the_wire.wait()

        async def take(messages: Sequence[Incoming]) -> None:
            await self.take(service, messages)

        pause = AGAIN_S
        while True:
            try:
                await service.channel.receive(take)
                return
            except Exception as error:  # after any error, people go on writing
                await asyncio.sleep(_wait(service.name, error, pause))
            pause = min(2 * pause, AGAIN_AT_MOST_S)

    async def _delivered(self, service: Service, reading: Reading) -> None:
        self._sender.confirmed(reading.sent)
        await self.take(service, reading.messages)

    async def take(self, service: Service, messages: Sequence[Incoming]) -> None:
        """Store each new message once; the text of a PIN, a file or a stranger's flood is not stored."""
        marks = [self._mailbox.mark("message", service.name, message.id) for message in messages]
        fresh = await self._mailbox.unseen(marks)
        chats: dict[str, list[tuple[Incoming, str]]] = {}
        for message, mark in zip(messages, marks, strict=True):
            if mark in fresh:
                chats.setdefault(message.chat, []).append((message, mark))
        await asyncio.gather(*(self._take_of_chat(service, came) for came in chats.values()))

    async def _take_of_chat(self, service: Service, came: Sequence[tuple[Incoming, str]]) -> None:
        for message, mark in came:
            await self._take(service, message, mark)

    async def _take(self, service: Service, message: Incoming, mark: str) -> None:
        chat_key, kind = (service.name, message.chat), kind_of(message)
        language = own_language((message.language or "id").partition("-")[0].casefold())
        sender = "/".join(chat_key)
        if kind != "stop" and self._rates.take(sender, service.settings.rate_per_minute):
            first = not self._rates.take(f"{sender} warned", 1)
            says = said(texts()[language].too_many) if first else None
            await self._mailbox.keep(chat_key, mark, language, None, says)
        else:
            body: dict[str, Any] = {"kind": kind, "text": message.text if kind in ("text", "tap") else ""}
            with suppress(ChannelFailure):
                if kind == "pin":
                    body["removed"] = await service.channel.remove(message)
            await self._mailbox.keep(chat_key, mark, language, body)
        if kind == "stop" and (worker := self._workers.get(chat_key)) is not None:
            worker.cancel()
            await asyncio.wait((worker,))
        self._work(chat_key)
        # in a task, so that no delivery waits for it
        notice = asyncio.create_task(self._notice(service, message, chat_key), name="notice")
        self._notices.add(notice)
        notice.add_done_callback(self._notices.discard)

    async def _notice(self, service: Service, message: Incoming, chat_key: ChatKey) -> None:
        """Show that the message is read: now for a tap or a service that marks reading; else once an answer is slow."""
        if message.kind != "tap" and not service.channel.marks_read:
            await asyncio.sleep(NOTICE_S)
            if chat_key not in self._workers:
                return
        with suppress(ChannelFailure):
            await service.channel.notice(message)

    # ── sending ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _work(self, chat_key: ChatKey) -> None:
        """Wake the chat's worker, or start it."""
        self._woken.add(chat_key)
        if chat_key not in self._workers:
            self._workers[chat_key] = asyncio.create_task(self._worked(chat_key), name="chat")

    async def _worked(self, chat_key: ChatKey) -> None:
        pause = AGAIN_S
        try:
            while True:
                try:
                    self._woken.discard(chat_key)
                    while await self._step(chat_key):
                        pause = AGAIN_S
                    if chat_key in self._woken:
                        continue
                    return
                except Draining:
                    return
                except Exception as error:
                    await asyncio.sleep(_wait(chat_key[0], error, pause))
                pause = min(2 * pause, AGAIN_AT_MOST_S)
        finally:
            del self._workers[chat_key]

    async def _step(self, chat_key: ChatKey) -> bool:
        """Send what is queued, or else answer one message and send that; False if nothing is left to do now."""
        service = self._services[chat_key[0]]
        async with self.lock(chat_key):
            chat, out, letter = await self._mailbox.look(chat_key)
            if letter is not None and chat is not None and not self._sender.may_send(service, chat, out):
                answer = await self._conversation.answer(service, chat, letter)
                chat, out, letter = await self._mailbox.answer(chat_key, answer, letter.number)
            if out is not None and self._sender.may_send(service, chat, out):
                return await self._sender.send(service, chat_key, out, chat)
            return letter is not None and chat is not None

    # ── background ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _look(self) -> None:
        """Continue what an earlier process left unfinished; tell people what an officer decided."""
        await self._on_the_wire.wait()
        while True:
            try:
                for chat_key in await self._mailbox.open():
                    if chat_key[0] in self._services and chat_key not in self._workers:
                        self._work(chat_key)
                for chat_key, run_id in await self._mailbox.waiting():
                    if chat_key[0] in self._services:
                        await self._notify(chat_key, run_id)
            except Exception as error:
                log.warning("channel.put_off", error=type(error).__name__)
            await asyncio.sleep(LOOK_S)

    async def _notify(self, chat_key: ChatKey, run_id: str) -> None:
        if self.lock(chat_key).locked():
            return  # its worker is busy; the next look comes soon
        async with self.lock(chat_key):
            chat, _, _ = await self._mailbox.look(chat_key)
            if chat is None:
                return
            answer: Answer | None = await self._conversation.ended(self._services[chat_key[0]], chat, run_id)
            if answer is None:
                return
            await self._mailbox.answer(chat_key, answer)
        self._work(chat_key)

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(TIDY_S)
            with suppress(OSError, SQLAlchemyError, AgentdError):
                await self._mailbox.tidy()


def _wait(channel: str, error: Exception, pause_s: float) -> float:
    """Log why work for the channel is put off; returns the seconds until it is tried again."""
    if isinstance(error, ChannelFailure):
        log.warning("channel.away", channel=channel, reason=error.message)
        return error.retry_after_s or pause_s
    log.warning("channel.put_off", channel=channel, error=type(error).__name__)
    return pause_s
