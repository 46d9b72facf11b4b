"""Telegram's Bot API as published: getUpdates with offsets, messages, buttons, documents, faults. Not a test."""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web

from tests.bridges.channels.service import ServiceServer

TOKEN = "123456:telegram-token-of-the-tests"
BOT = {"id": 1, "is_bot": True, "first_name": "Kelurahan", "username": "kelurahan_bot"}


def entry(url: str, *more: str) -> str:
    """The channel's entry in client.toml, with these further lines; its token is the credential TELEGRAM_TOKEN."""
    lines = ('name = "telegram"', 'type = "telegram"', f'endpoint = "{url}"', 'credentials.token = "TELEGRAM_TOKEN"')
    return "\n".join(("\n[[channels]]", *lines, *more, ""))


def message(update_id: int, of: int, text: str | None, **more: Any) -> dict[str, Any]:
    """An update with a message in a private chat."""
    person = {"id": of, "is_bot": False, "first_name": "Budi", "language_code": "id"}
    body = {"message_id": update_id, "from": person, "chat": {"id": of, "type": "private"}, "date": 1767578400}
    return {"update_id": update_id, "message": {**body, **({} if text is None else {"text": text}), **more}}


def edited(update_id: int, of: int, text: str | None, **more: Any) -> dict[str, Any]:
    return {"update_id": update_id, "edited_message": message(update_id, of, text, **more)["message"]}


def tap(update_id: int, chat: int, data: str) -> dict[str, Any]:
    """An update with a tap on a button."""
    person = {"id": chat, "is_bot": False, "first_name": "Budi", "language_code": "id"}
    below = {"message_id": 1, "chat": {"id": chat, "type": "private"}, "date": 1767578400}
    return {
        "update_id": update_id,
        "callback_query": {"id": f"q{update_id}", "from": person, "message": below, "chat_instance": "1", "data": data},
    }


class TelegramServer(ServiceServer):
    """A Telegram server; `sent` lists the calls that reached a person: (method, params), in order."""

    def __init__(self) -> None:
        super().__init__()
        self.updates: list[dict[str, Any]] = []
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.webhook: dict[str, Any] = {}
        self._number = 1000

    def write(self, text: str | None, chat: int = 77, **more: Any) -> int:
        """Let a person write; return the update's id."""
        self._number += 1
        self.noted(self.updates, message(self._number, chat, text, **more))
        return self._number

    def tap(self, data: str, chat: int = 77) -> None:
        """Let a person tap a button."""
        self._number += 1
        self.noted(self.updates, tap(self._number, chat, data))

    def texts(self, chat: int = 77) -> list[str]:
        return [params["text"] for _, params in self.sent if "text" in params and int(params["chat_id"]) == chat]

    def buttons(self, chat: int = 77) -> dict[str, str]:
        """{title: data} of the last message with buttons."""
        for _, params in reversed(self.sent):
            if int(params["chat_id"]) == chat and "reply_markup" in params:
                rows = params["reply_markup"]["inline_keyboard"]
                return {button["text"]: button["callback_data"] for row in rows for button in row}
        return {}

    async def answer(self, request: web.Request) -> web.StreamResponse:
        _, token, method = request.path.split("/")
        if token != f"bot{TOKEN}":
            return web.json_response({"ok": False, "error_code": 401, "description": "Unauthorized"}, status=401)
        if (fault := self.fault(method)) is not None:
            return fault
        params = await _params(request)
        self.noted(self.calls, (method, params))
        if method == "getUpdates":
            return _good(await self._updates(params["offset"]))
        if method in ("sendMessage", "sendDocument"):
            self.noted(self.sent, (method, params))
            return _good({"message_id": len(self.sent), "chat": {"id": params["chat_id"]}, "date": 1})
        if method == "setWebhook":
            self.webhook = params
        results: dict[str, Any] = {"getMe": BOT, "getWebhookInfo": {"url": self.webhook.get("url", "")}}
        return _good(results.get(method, True))

    async def _updates(self, offset: int) -> list[dict[str, Any]]:
        """The updates from the offset on, as soon as there are any; earlier ones are confirmed and removed."""
        with self.changed:
            self.updates[:] = [update for update in self.updates if update["update_id"] >= offset]
            self.changed.notify_all()
        for _ in range(40):
            if self.updates:
                break
            await asyncio.sleep(0.05)
        return list(self.updates[:100])


async def _params(request: web.Request) -> dict[str, Any]:
    if request.content_type == "application/json":
        body: dict[str, Any] = await request.json()
        return body
    form = await request.post()
    return {
        name: {"name": value.filename, "type": value.content_type, "bytes": value.file.read()}
        if isinstance(value, web.FileField)
        else value
        for name, value in form.items()
    }


def _good(result: Any) -> web.Response:
    return web.json_response({"ok": True, "result": result})
