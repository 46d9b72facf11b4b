"""Telegram's Bot API (`type = "telegram"`), by long polling or by webhook. It stores nothing.

Settings in client.toml: `credentials = { token = "NAME" }`. With `webhook = true` Telegram delivers to
`public_url`/channels/NAME, otherwise the bot polls. Only private chats are read; group messages are ignored.

Written against https://core.telegram.org/bots/api: aiogram, the maintained client, needs an older pydantic than the one
the daemon is locked to.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
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
from agentd.errors import Unauthorized
from bridges.channels.wire import Answered, Wire, delivered, upload

POLL_S = 50
WRONG_TOKEN_S = 60.0
READ = ["message", "edited_message", "callback_query"]
UNHEARD = frozenset(
    {
        *("pinned_message", "message_auto_delete_timer_changed", "write_access_allowed", "chat_background_set"),
        *("connected_website", "boost_added", "proximity_alert_triggered"),
    }
)
"""Service messages about the chat, which no person wrote: they are ignored."""
SECRET_HEADER = "x-telegram-bot-api-secret-token"


class TelegramChannel:
    """A channel for one Telegram bot."""

    longest = longest_asking = 4096
    most_choices = 60
    window_s = None
    marks_read = False
    reports_within_s = 0.0

    def __init__(self, settings: ChannelSettings) -> None:
        token = settings.secrets.get("token")
        if not token:
            raise ValueError('credentials = { token = "NAME" } is missing: the credential with the bot\'s token')
        self._by_webhook = settings.settings.get("webhook", False)
        if not isinstance(self._by_webhook, bool):
            raise ValueError("webhook is true or false")
        if self._by_webhook and not settings.public_url:
            raise ValueError("webhook = true needs public_url: the address at which Telegram reaches this daemon")
        self._address = f"{settings.public_url}/channels/{settings.name}"
        self._secret = hmac.new(token.encode(), b"webhook", hashlib.sha256).hexdigest()
        self._wire = Wire(f"{settings.endpoint or 'https://api.telegram.org'}/bot{token}")

    async def receive(self, take: Take) -> None:
        """Poll for updates; asking for the next ones confirms the last, after `take` has stored them."""
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
        """Read one update, checking the secret that setWebhook gave Telegram. Raises Unauthorized, InvalidRequest."""
        given = delivery.headers.get(SECRET_HEADER, "").encode("utf-8", "surrogateescape")
        if not self._by_webhook or not hmac.compare_digest(given, self._secret.encode()):
            raise Unauthorized("The delivery has not the secret that Telegram was given")
        update = delivered(delivery)
        found = incoming(update) if isinstance(update, dict) else None
        return Reading(() if found is None else (found,))

    async def send(self, message: Outgoing) -> None:
        """Send a text with its buttons (sendMessage) or a document (sendDocument). Raises ChannelFailure."""
        if message.document is None:
            text: dict[str, Any] = {"chat_id": message.chat, "text": message.text}
            if message.choices:
                text["reply_markup"] = {"inline_keyboard": keyboard(message.choices)}
            await self._call("sendMessage", text)
            return
        file = await upload("document", message.document)
        await self._call("sendDocument", data={"chat_id": message.chat}, file=file)

    async def notice(self, message: Incoming) -> None:
        """Acknowledge a tapped button, or show that an answer is being written."""
        if message.kind == "tap":
            await self._call("answerCallbackQuery", {"callback_query_id": message.reference})
        else:
            await self._call("sendChatAction", {"chat_id": message.chat, "action": "typing"})

    async def remove(self, message: Incoming) -> bool:
        """Delete a person's message, which Telegram allows bots in private chats."""
        await self._call("deleteMessage", {"chat_id": message.chat, "message_id": int(message.reference)})
        return True

    async def check(self) -> Sequence[str]:
        """Describe the bot behind the token and how its updates arrive."""
        bot = await self._call("getMe", {})
        hook = await self._call("getWebhookInfo", {})
        lines = [f"bot @{bot.get('username')}", f"updates by {'webhook' if hook.get('url') else 'polling'}"]
        lines.append(f"{hook.get('pending_update_count', 0)} updates wait at Telegram")
        if hook.get("last_error_message"):
            lines.append(f"Telegram's last delivery failed: {hook['last_error_message']}")
        return lines

    async def aclose(self) -> None:
        await self._wire.aclose()

    async def _call(self, method: str, params: dict[str, Any] | None = None, **more: Any) -> Any:
        """Call a Bot API method and return its `result`. Raises ChannelFailure."""
        if params is not None:
            more["json"] = params
        answered = await self._wire.call(f"/{method}", **more)
        if answered.body.get("ok") is True:
            return answered.body.get("result")
        raise failure(answered, method)


def failure(answered: Answered, method: str) -> ChannelFailure:
    """Map an error response to a ChannelFailure: rate limit, wrong token, second poller, rejection, server error."""
    code = answered.body.get("error_code", answered.status)
    text = f"{method}: {code} {str(answered.body.get('description', ''))[:200]}".rstrip()
    if code in (401, 404):
        return ChannelFailure(f"{text}: is the token right?", retry_after_s=WRONG_TOKEN_S)
    if code == 409:
        return ChannelFailure(f"{text}: another program polls with this token")
    return ChannelFailure(text, retry_after_s=answered.retry_after_s, final=code != 429 and 400 <= code < 500)


def incoming(update: dict[str, Any]) -> Incoming | None:
    """Convert an update to a message of a private chat; None for other updates and for malformed ones."""
    try:
        if "callback_query" in update:
            return _tap(update["update_id"], update["callback_query"])
        if "edited_message" in update:
            return _message(update["update_id"], update["edited_message"], edited=True)
        return _message(update["update_id"], update["message"])
    except (KeyError, TypeError, AttributeError, ValueError):
        return None


def _message(number: int, message: dict[str, Any], *, edited: bool = False) -> Incoming | None:
    """Convert a message; also None for an edit without text, such as a live location's update every few seconds."""
    text = message.get("text", message.get("caption"))
    if message["chat"]["type"] != "private" or message["from"].get("is_bot") or not UNHEARD.isdisjoint(message):
        return None
    if edited and text is None:
        return None
    kind: IncomingKind = "text" if isinstance(message.get("text"), str) else "media"
    if any(sign in message for sign in ("forward_origin", "forward_date", "via_bot")):
        kind = "forwarded"  # sent through another bot counts as well
    elif edited:
        kind = "edited"
    return Incoming(
        id=str(number),
        chat=str(int(message["chat"]["id"])),
        kind=kind,
        text=text if isinstance(text, str) else "",
        reference=str(int(message["message_id"])),
        language=message["from"].get("language_code"),
    )


def _tap(number: int, query: dict[str, Any]) -> Incoming | None:
    if query["message"]["chat"]["type"] != "private":
        return None
    return Incoming(
        id=str(number),
        chat=str(int(query["message"]["chat"]["id"])),
        kind="tap",
        text=str(query["data"]),
        reference=str(query["id"]),
        language=query["from"].get("language_code"),
    )


def keyboard(choices: Sequence[Choice]) -> list[list[dict[str, str]]]:
    """Lay out up to three short choices side by side, others one a row; drop ids over Telegram's 64 bytes."""
    buttons = [
        {"text": choice.title, "callback_data": choice.id} for choice in choices if len(choice.id.encode()) <= 64
    ]
    return (
        [buttons]
        if len(buttons) <= 3 and all(len(one["text"]) <= 12 for one in buttons)
        else [[one] for one in buttons]
    )
