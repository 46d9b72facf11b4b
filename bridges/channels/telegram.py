"""Telegram's Bot API (`type = "telegram"`), by long polling or by webhook. It keeps nothing and answers nobody itself.

Settings in client.toml: `credentials = { token = "NAME" }`; with `webhook = true` Telegram delivers to
`public_url`/channels/NAME, else it is polled. Only private chats are read: what is said in a group is not the office's.

Written against https://core.telegram.org/bots/api: aiogram, the maintained client, asks for an older
pydantic than the daemon is locked with.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentd.apps.channels.port import (
    ChannelFailure,
    ChannelSettings,
    Choice,
    Delivery,
    Incoming,
    IncomingKind,
    Outgoing,
    Reading,
    Take,
)
from agentd.errors import InvalidRequest, Unauthorized
from bridges.channels.wire import File, Wire

POLL_S = 50
WRONG_TOKEN_S = 60.0
READ = ["message", "edited_message", "callback_query"]
UNHEARD = frozenset(
    {
        *("pinned_message", "message_auto_delete_timer_changed", "write_access_allowed", "chat_background_set"),
        *("connected_website", "boost_added", "proximity_alert_triggered"),
    }
)
"""What is no message of a person's, though it stands between them."""
SECRET_HEADER = "x-telegram-bot-api-secret-token"


class TelegramChannel:
    """One bot."""

    longest = longest_asking = 4096
    most_choices = 60
    window_s = None
    marks_read = False
    reports_within_s = 0.0

    def __init__(self, settings: ChannelSettings) -> None:
        token = settings.secrets.get("token")
        if not token:
            raise ValueError('credentials = { token = "NAME" } is missing: the credential with the bot\'s token')
        self._by_webhook = settings.settings.get("webhook") is True
        if self._by_webhook and not settings.public_url:
            raise ValueError("webhook = true needs public_url: the address at which Telegram reaches this daemon")
        self._address = f"{settings.public_url}/channels/{settings.name}"
        self._secret = hmac.new(token.encode(), b"webhook", hashlib.sha256).hexdigest()
        self._wire = Wire(f"{settings.endpoint or 'https://api.telegram.org'}/bot{token}")

    async def receive(self, take: Take) -> None:
        """Poll; an update is confirmed by the next poll, once it is kept."""
        if self._by_webhook:
            webhook = {"url": self._address, "secret_token": self._secret, "allowed_updates": READ}
            await self._call("setWebhook", webhook)
            return
        await self._call("deleteWebhook", {})
        offset = 0
        while True:
            asked = {"offset": offset, "timeout": POLL_S, "allowed_updates": READ}
            updates = await self._call("getUpdates", asked, timeout_s=POLL_S + 10)
            known = [update for update in updates if isinstance(update, dict) and type(update.get("update_id")) is int]
            await take([message for update in known if (message := incoming(update)) is not None])
            offset = max((update["update_id"] + 1 for update in known), default=offset)

    def read(self, delivery: Delivery) -> Reading:
        """One update with the secret that setWebhook gave Telegram. Raises Unauthorized, InvalidRequest."""
        given = delivery.headers.get(SECRET_HEADER, "").encode("utf-8", "surrogateescape")
        if not self._by_webhook or not hmac.compare_digest(given, self._secret.encode()):
            raise Unauthorized("The delivery has not the secret that Telegram was given")
        try:
            update = json.loads(delivery.body)
        except (ValueError, RecursionError):
            raise InvalidRequest("The body is not JSON") from None
        found = incoming(update) if isinstance(update, dict) else None
        return Reading(() if found is None else (found,))

    async def send(self, message: Outgoing) -> None:
        """sendMessage with its buttons, or sendDocument."""
        if message.document is None:
            text: dict[str, Any] = {"chat_id": message.chat, "text": message.text}
            if message.choices:
                text["reply_markup"] = {"inline_keyboard": keyboard(message.choices)}
            await self._call("sendMessage", text)
            return
        document = message.document
        try:
            content = await asyncio.to_thread(Path(document.path).read_bytes)
        except OSError as error:
            raise ChannelFailure(f"the file can't be read: {error.strerror}", final=True) from None
        await self._call(
            "sendDocument",
            data={"chat_id": message.chat},
            file=File("document", document.name, content, document.media_type),
        )

    async def notice(self, message: Incoming) -> None:
        """End the tap's waiting, or show that an answer is being written."""
        if message.kind == "tap":
            await self._call("answerCallbackQuery", {"callback_query_id": message.reference})
        else:
            await self._call("sendChatAction", {"chat_id": message.chat, "action": "typing"})

    async def remove(self, message: Incoming) -> bool:
        """A bot may delete what was written to it in a private chat."""
        await self._call("deleteMessage", {"chat_id": message.chat, "message_id": int(message.reference)})
        return True

    async def check(self) -> Sequence[str]:
        """Who the token's bot is, and how its updates come."""
        bot = await self._call("getMe", {})
        hook = await self._call("getWebhookInfo", {})
        lines = [f"bot @{bot.get('username')}", f"updates by {'webhook' if hook.get('url') else 'polling'}"]
        lines.append(f"{hook.get('pending_update_count', 0)} updates wait at Telegram")
        if hook.get("last_error_message"):
            lines.append(f"Telegram's last delivery failed: {hook['last_error_message']}")
        return lines

    async def aclose(self) -> None:
        """Close the connections."""
        await self._wire.aclose()

    async def _call(self, method: str, params: dict[str, Any] | None = None, **more: Any) -> Any:
        """The result. Raises ChannelFailure."""
        if params is not None:
            more["json"] = params
        status, body = await self._wire.call(f"/{method}", **more)
        if body.get("ok") is True:
            return body.get("result")
        raise failure(status, body, method)


def failure(status: int, body: dict[str, Any], method: str) -> ChannelFailure:
    """What a refusal means: a wait, a wrong token, a chat that is closed to us, or a message that won't be taken."""
    code = body.get("error_code", status)
    text = f"{method}: {code} {str(body.get('description', ''))[:200]}".rstrip()
    parameters = body.get("parameters")
    if code == 429:
        wait = parameters.get("retry_after") if isinstance(parameters, dict) else None
        return ChannelFailure(text, retry_after_s=float(wait) if isinstance(wait, int | float) else None)
    if code in (401, 404):
        return ChannelFailure(f"{text}: is the token right?", retry_after_s=WRONG_TOKEN_S)
    if code == 409:
        return ChannelFailure(f"{text}: another program polls with this token")
    return ChannelFailure(text, final=400 <= code < 500)


def incoming(update: dict[str, Any]) -> Incoming | None:
    """An update as a message of a private chat; None for all else, and for what has not the published form."""
    try:
        if "callback_query" in update:
            return _tap(update["update_id"], update["callback_query"])
        if "edited_message" in update:
            return _message(update["update_id"], update["edited_message"], edited=True)
        return _message(update["update_id"], update["message"])
    except (KeyError, TypeError, AttributeError, ValueError):
        return None


def _message(number: int, message: dict[str, Any], *, edited: bool = False) -> Incoming | None:
    """None also for a place that moves on: it comes as an edit every few seconds."""
    text = message.get("text", message.get("caption"))
    if message["chat"]["type"] != "private" or message["from"].get("is_bot") or not UNHEARD.isdisjoint(message):
        return None
    if edited and text is None:
        return None
    kind: IncomingKind = "text" if isinstance(message.get("text"), str) else "media"
    if any(sign in message for sign in ("forward_origin", "forward_date", "via_bot")):
        kind = "forwarded"  # also what another bot wrote for them
    elif edited:
        kind = "edited"
    return Incoming(
        id=str(number),
        chat=str(message["chat"]["id"]),
        kind=kind,
        text=text if isinstance(text, str) else "",
        reference=str(message["message_id"]),
        language=message["from"].get("language_code"),
    )


def _tap(number: int, query: dict[str, Any]) -> Incoming | None:
    if query["message"]["chat"]["type"] != "private":
        return None
    return Incoming(
        id=str(number),
        chat=str(query["message"]["chat"]["id"]),
        kind="tap",
        text=str(query["data"]),
        reference=str(query["id"]),
        language=query["from"].get("language_code"),
    )


def keyboard(choices: Sequence[Choice]) -> list[list[dict[str, str]]]:
    """Short choices side by side, longer ones below each other. Telegram takes 64 bytes of data with each."""
    buttons = [
        {"text": choice.title, "callback_data": choice.id} for choice in choices if len(choice.id.encode()) <= 64
    ]
    return (
        [buttons]
        if len(buttons) <= 3 and all(len(one["text"]) <= 12 for one in buttons)
        else [[one] for one in buttons]
    )
