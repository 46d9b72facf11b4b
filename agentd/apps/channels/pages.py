"""/channels/NAME, the webhook of a chat service, and /masuk/CODE, where a chat's person signs in. It decides nothing:
the service's bridge checks deliveries, the register checks PINs.

A PIN never passes through a chat service. A link may have been sent to somebody else, so a sign-in is complete only
when the number on the page is written in the chat; until then the chat is sent nothing else.
"""

from __future__ import annotations

import asyncio
import html
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.parse import parse_qs

from aiohttp import web

from agentd.access.rates import FailedTries
from agentd.application import MethodCall
from agentd.apps.channels.conversation import Conversation, Service
from agentd.apps.channels.mailbox import Chat, Mailbox
from agentd.apps.channels.port import Delivery, Reading
from agentd.apps.channels.texts import texts
from agentd.errors import AgentdError, Busy, NotFound, RateLimited
from agentd.http.guard import ADDRESS
from agentd.web.pages import plain
from agentd.web.texts import language_of

WAIT_S = 10.0
"""Seconds that a sign-in waits for the chat's run to end."""
MAX_FORM = 1024
_FORM = """<p>{lead}</p>{wrong}<form method="post" autocomplete="off">
<p><label>{nik}<br><input name="nik" inputmode="numeric" maxlength="16" required></label></p>
<p><label>{pin}<br><input name="pin" type="password" inputmode="numeric" maxlength="6" required></label></p>
<p><button>{send}</button></p></form>"""


class Pages:
    """The routes; `lock` holds back a chat's messages while its person signs in."""

    def __init__(
        self,
        services: Mapping[str, Service],
        take: Callable[[Service, Reading], Awaitable[None]],
        mailbox: Mailbox,
        conversation: Conversation,
        lock: Callable[[tuple[str, str]], asyncio.Lock],
        call: MethodCall,
    ) -> None:
        self._services = services
        self._take = take
        self._mailbox = mailbox
        self._conversation = conversation
        self._lock = lock
        self._call = call
        self._tries = FailedTries()

    def routes(self) -> Iterator[web.RouteDef]:
        """Routes for `application(pages=…)`: no token needed; the bridge checks a delivery, a link holds its code."""
        yield web.get("/channels/{name}", self.deliver, allow_head=False)
        yield web.post("/channels/{name}", self.deliver)
        yield web.get("/masuk/{code}", self.sign_in, allow_head=False)
        yield web.post("/masuk/{code}", self.sign_in)

    async def deliver(self, request: web.Request) -> web.Response:
        """Store a delivery, then confirm it. Raises NotFound and the bridge's refusals."""
        service = self._services.get(request.match_info["name"])
        if service is None:
            raise NotFound("there is no such channel")
        headers = {name.lower(): value for name, value in request.headers.items()}
        reading = service.channel.read(Delivery(request.method, request.query, headers, await request.read()))
        await self._take(service, reading)
        return web.Response(text=reading.answer)

    async def sign_in(self, request: web.Request) -> web.Response:
        """The form; once it is filled in correctly, the number to write in the chat."""
        address, code = request[ADDRESS], request.match_info["code"]
        try:
            self._tries.check(address)
        except RateLimited:
            return _page(language_of(request), "often", 429)
        chat = await self._mailbox.linked(code)
        if chat is None or chat.session_id is None:
            self._tries.failed(address)
            return _page(language_of(request), "over", 404)
        if request.method == "GET":
            return self._form(chat)
        form = parse_qs((await request.read())[:MAX_FORM].decode("utf-8", "replace"))
        nik, pin = (form.get(name, [""])[0].strip() for name in ("nik", "pin"))
        async with _waited(self._lock((chat.channel, chat.chat))):
            now = await self._mailbox.linked(code)
            return _page(chat.language, "over", 404) if now is None else await self._try(now, code, nik, pin)

    async def _try(self, chat: Chat, code: str, nik: str, pin: str) -> web.Response:
        """Try to sign in. Until its number is written there, the chat is sent nothing else."""
        service = self._services[chat.channel]
        number = f"{secrets.randbelow(10_000):04}"
        asked = replace(chat, confirm=self._mailbox.mark("confirm", chat.visit, number), tries=0)
        await self._mailbox.put(asked)
        verified = False
        try:
            params = {"session_id": chat.session_id, "nik": nik, "pin": pin}
            found = await self._call("Session.verify", params, self._conversation.caller(service, chat))
            verified = bool(found.verified)
        except AgentdError as error:
            return self._form(chat, error.user_message(chat.language))
        finally:
            if not verified:
                await self._mailbox.put(chat)
        if not verified:
            return self._form(chat, texts()[chat.language].page["wrong"])
        await self._mailbox.unlink(code)
        return _page(chat.language, "done", 200, f"<p><strong>{number}</strong></p>")

    def _form(self, chat: Chat, wrong: str = "") -> web.Response:
        words = {name: html.escape(text) for name, text in texts()[chat.language].page.items()}
        words["lead"] = words["lead"].format(channel=html.escape(self._services[chat.channel].settings.type.title()))
        words["wrong"] = f'<p role="alert">{html.escape(wrong)}</p>' if wrong else ""
        return _html(chat.language, words["title"], _FORM.format(**words))


@asynccontextmanager
async def _waited(lock: asyncio.Lock) -> AsyncIterator[None]:
    """Acquire a lock, waiting no longer than a browser would. Raises Busy."""
    try:
        await asyncio.wait_for(lock.acquire(), WAIT_S)
    except TimeoutError:
        raise Busy("the chat's last message is still being answered", retry_after_s=WAIT_S) from None
    try:
        yield
    finally:
        lock.release()


def _page(language: str, says: str, status: int, more: str = "") -> web.Response:
    words = texts().get(language, texts()["id"]).page
    return _html(language, html.escape(words["title"]), f"<p>{html.escape(words[says])}</p>{more}", status)


def _html(language: str, title: str, body: str, status: int = 200) -> web.Response:
    text = plain(language, title, body)
    return web.Response(text=text, content_type="text/html", status=status, headers={"Cache-Control": "no-store"})
