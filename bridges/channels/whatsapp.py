"""WhatsApp Business Platform, Cloud API (`type = "whatsapp"`). It stores nothing and writes no replies itself.

Settings in client.toml: `phone_number_id`; `credentials = { token, app_secret, verify_token }`, each naming a
credential. Messages arrive only by webhook, at `public_url`/channels/NAME. `endpoint` includes the API version.

Written against https://developers.facebook.com/docs/whatsapp/cloud-api; Meta maintains no client for Python.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Any

import structlog

from agentd.apps.channels.port import (
    ChannelFailure,
    ChannelSettings,
    Delivery,
    Document,
    Incoming,
    Outgoing,
    Reading,
    Take,
)
from agentd.errors import Unauthorized
from bridges.channels.wire import Answered, Wire, delivered, upload

log = structlog.get_logger("agentd.channels")

ENDPOINT = "https://graph.facebook.com/v23.0"
SIGNATURE = "x-hub-signature-256"
SECRETS = ("token", "app_secret", "verify_token")
KEY = "biz_opaque_callback_data"
"""The service returns this field in its status reports of a message."""
UNHEARD = frozenset({"reaction", "system", "request_welcome", "ephemeral", "revoke"})
"""Message types that no person wrote."""
BUTTONS, BUTTON_CHARS, ROW_CHARS, ABOUT_CHARS = 3, 20, 24, 72
LATER = frozenset({1, 2, 4, 80007, 130429, 131000, 131016, 131048, 131056, 133004})
"""Error codes for a busy service, or for sending too fast."""
ACCOUNT = frozenset({0, 3, 10, 190, 368, 131005, 131031, 131042, 131045, 133010})
"""Error codes for a problem with the account: nothing can be sent until the office fixes it."""
ACCOUNT_S = 60.0


class WhatsAppChannel:
    """A channel for one business phone number."""

    longest, longest_asking, most_choices = 4096, 1024, 10
    window_s = 24 * 3600.0 - 600.0
    """Ten minutes shorter than the service's own window, since its clock and ours may differ."""
    marks_read = True
    reports_within_s = 20.0

    def __init__(self, settings: ChannelSettings) -> None:
        if lacking := [name for name in SECRETS if not settings.secrets.get(name)]:
            raise ValueError(f"credentials lack {', '.join(lacking)}: each is the name of a credential")
        self._number = str(settings.settings.get("phone_number_id") or "")
        if not self._number.isdigit():
            raise ValueError("phone_number_id is missing: the number's id in the app's dashboard, all digits")
        self._secrets = settings.secrets
        token = {"Authorization": f"Bearer {settings.secrets['token']}"}
        self._wire = Wire(settings.endpoint or ENDPOINT, token)

    async def receive(self, take: Take) -> None:
        """Do nothing: messages arrive at the webhook, which is registered in the app's dashboard."""

    def read(self, delivery: Delivery) -> Reading:
        """Answer the service's webhook verification, or read a signed delivery. Raises Unauthorized, InvalidRequest."""
        if delivery.method == "GET":
            given = delivery.query.get("hub.verify_token", "").encode("utf-8", "surrogatepass")
            if not hmac.compare_digest(given, self._secrets["verify_token"].encode()):
                raise Unauthorized("The verify token is not the one that client.toml names")
            return Reading(answer=delivery.query.get("hub.challenge", "")[:200])
        digest = hmac.new(self._secrets["app_secret"].encode(), delivery.body, hashlib.sha256).hexdigest()
        given = delivery.headers.get(SIGNATURE, "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, f"sha256={digest}".encode()):
            raise Unauthorized("The delivery is not signed with the app's secret")
        payload = delivered(delivery)
        return Reading(tuple(incoming(payload, self._number)), sent=tuple(reported(payload, self._number)))

    async def send(self, message: Outgoing) -> None:
        """Send a text, a question with buttons or a list, or a document. Raises ChannelFailure."""
        if message.document is not None:
            content = await self._uploaded(message.document)
        elif message.choices:
            content = {"type": "interactive", "interactive": asking(message)}
        else:
            content = {"type": "text", "text": {"preview_url": False, "body": message.text}}
        to = {"messaging_product": "whatsapp", "recipient_type": "individual", "to": message.chat}
        key = {KEY: message.key} if message.key else {}
        await self._call("messages", json={**to, **key, **content})

    async def notice(self, message: Incoming) -> None:
        """Mark the message as read, and show that an answer is being written."""
        read = {"messaging_product": "whatsapp", "status": "read", "message_id": message.id}
        await self._call("messages", json={**read, "typing_indicator": {"type": "text"}})

    async def remove(self, message: Incoming) -> bool:
        """Return False: the service can't delete a person's message."""
        del message
        return False

    async def check(self) -> Sequence[str]:
        """Describe the phone number and the service's quality rating of it."""
        fields = {"fields": "display_phone_number,verified_name,quality_rating"}
        found = await self._call("", method="GET", params=fields)
        named = f"{found.get('verified_name')}, {found.get('display_phone_number')}"
        return [named, f"quality {found.get('quality_rating', 'unknown')}", "messages come by webhook"]

    async def aclose(self) -> None:
        await self._wire.aclose()

    async def _uploaded(self, document: Document) -> dict[str, Any]:
        form = {"messaging_product": "whatsapp", "type": document.media_type}
        found = await self._call("media", data=form, file=await upload("file", document))
        return {"type": "document", "document": {"id": found.get("id"), "filename": document.name}}

    async def _call(self, path: str, **content: Any) -> dict[str, Any]:
        """Call the API and return its JSON answer. Raises ChannelFailure."""
        answered = await self._wire.call(f"/{self._number}/{path}".rstrip("/"), **content)
        if 200 <= answered.status < 300 and "error" not in answered.body:
            return answered.body
        raise failure(answered)


def failure(answered: Answered) -> ChannelFailure:
    """Map an error response to a ChannelFailure. It quotes only the code: the text may contain a phone number."""
    status, error = answered.status, answered.body.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    text = f"HTTP {status}, code {code}"
    if code in LATER or status == 429 or status >= 500:
        return ChannelFailure(text, retry_after_s=answered.retry_after_s)
    if code in ACCOUNT or status in (401, 403):
        return ChannelFailure(f"{text}: is the account in order? `agentd channels check`", retry_after_s=ACCOUNT_S)
    return ChannelFailure(text, final=True)


def incoming(payload: Any, number: str) -> list[Incoming]:
    """Return a delivery's messages for this number, in the order in which they were written."""
    found = [one for value in _values(payload) if _is_for(value, number) for one in _messages(value)]
    return [message for _, message in sorted(found, key=lambda one: one[0])]


def reported(payload: Any, number: str) -> Iterator[str]:
    """Yield the keys of our messages that a delivery reports as sent, delivered or read; log those that failed."""
    for value in _values(payload):
        for status in _list(value, "statuses") if _is_for(value, number) else ():
            if isinstance(status, dict) and status.get("status") == "failed":
                codes = [error.get("code") for error in _list(status, "errors") if isinstance(error, dict)]
                log.warning("channel.not_delivered", phone_number_id=number, codes=codes)
            elif isinstance(status, dict) and isinstance(status.get(KEY), str):
                yield status[KEY]


def _values(payload: Any) -> Iterator[dict[str, Any]]:
    for entry in _list(payload, "entry"):
        for change in _list(entry, "changes"):
            if isinstance(change, dict) and isinstance(change.get("value"), dict):
                yield change["value"]


def _is_for(value: dict[str, Any], number: str) -> bool:
    metadata = value.get("metadata")
    return isinstance(metadata, dict) and str(metadata.get("phone_number_id")) == number


def _messages(value: dict[str, Any]) -> Iterator[tuple[int, Incoming]]:
    for message in _list(value, "messages"):
        try:
            read = _message(message)
            at = int(message.get("timestamp", 0))
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
            continue  # malformed message
        if read is not None:
            yield at, read


def _message(message: dict[str, Any]) -> Incoming | None:
    kind, context = message["type"], message.get("context") or {}
    if kind in UNHEARD:
        return None
    same = {"id": str(message["id"]), "chat": str(message["from"]), "reference": str(message["id"])}
    if kind == "edit":
        return Incoming(kind="edited", text=_text(message.get("edit", {}).get("message", {})), **same)
    if context.get("forwarded") or context.get("frequently_forwarded"):
        return Incoming(kind="forwarded", text=_text(message), **same)
    if kind == "text":
        return Incoming(kind="text", text=str(message["text"]["body"]), **same)
    if kind == "interactive":
        reply = message["interactive"]
        return Incoming(kind="tap", text=str(reply[reply["type"]]["id"]), **same)
    return Incoming(kind="media", text=_text(message), **same)


def _text(message: Any) -> str:
    """Return a text message's body or a file's caption; empty if there is none."""
    content = message.get(message.get("type"))
    found = content.get("body", content.get("caption")) if isinstance(content, dict) else None
    return found if isinstance(found, str) else ""


def _list(value: Any, key: str) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def asking(message: Outgoing) -> dict[str, Any]:
    """Offer up to three short choices as buttons, otherwise as a list."""
    body = {"text": message.text}
    choices = message.choices
    if len(choices) <= BUTTONS and all(len(choice.title) <= BUTTON_CHARS for choice in choices):
        buttons = [{"type": "reply", "reply": {"id": one.id, "title": one.title}} for one in choices]
        return {"type": "button", "body": body, "action": {"buttons": buttons}}
    rows = [_row(choice.id, choice.title) for choice in choices[: WhatsAppChannel.most_choices]]
    return {"type": "list", "body": body, "action": {"button": "Pilih / Choose", "sections": [{"rows": rows}]}}


def _row(number: str, title: str) -> dict[str, str]:
    if len(title) <= ROW_CHARS:
        return {"id": number, "title": title}
    return {"id": number, "title": f"{title[: ROW_CHARS - 1]}…", "description": title[:ABOUT_CHARS]}
