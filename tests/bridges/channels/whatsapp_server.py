"""WhatsApp's Cloud API as published: messages, media, read marks, errors, signed deliveries. Not a test."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from aiohttp import web

from agentd.apps.channels.port import ChannelSettings
from tests.bridges.channels.service import ServiceServer

NUMBER = "106540352242922"
TOKEN = "EAAG-token-of-the-tests"
APP_SECRET = "app-secret-of-the-tests"
VERIFY = "verify-token-of-the-tests"


def settings(url: str, **more: Any) -> ChannelSettings:
    """The client.toml entry for this server."""
    secrets = {"token": TOKEN, "app_secret": APP_SECRET, "verify_token": VERIFY}
    own = {"phone_number_id": NUMBER}
    return ChannelSettings(name="whatsapp", type="whatsapp", endpoint=url, secrets=secrets, settings=own, **more)


def said(text: str, number: int = 1, chat: str = "6281234567890", **more: Any) -> dict[str, Any]:
    """A text message."""
    body = {"from": chat, "id": f"wamid.{chat}.{number}", "timestamp": str(1767578400 + number), "type": "text"}
    return {**body, "text": {"body": text}, **more}


def tapped(choice: str, number: int = 1) -> dict[str, Any]:
    """A tap on a reply button."""
    reply = {"type": "button_reply", "button_reply": {"id": choice, "title": "Ya"}}
    return {**said("", number), "type": "interactive", "interactive": reply}


def delivery(*messages: Any, to: str = NUMBER, **value: Any) -> bytes:
    """The body of a webhook request."""
    metadata = {"display_phone_number": "622112345678", "phone_number_id": to}
    whole = {"messaging_product": "whatsapp", "metadata": metadata, "messages": list(messages), **value}
    entry = {"id": "1", "changes": [{"field": "messages", "value": whole}]}
    return json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()


def signed(body: bytes, secret: str = APP_SECRET) -> dict[str, str]:
    """The signature header for a body."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {"x-hub-signature-256": f"sha256={digest}"}


class WhatsAppServer(ServiceServer):
    """A WhatsApp server: `sent` messages, `read` ids marked as read, and `media` files by id."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[dict[str, Any]] = []
        self.read: list[str] = []
        self.cuts = 0
        """Number of messages to accept and then cut the connection without answering."""
        self.media: dict[str, tuple[str, str, bytes]] = {}

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return web.json_response({"error": {"code": 190, "message": "Invalid OAuth access token"}}, status=401)
        path = request.path.removeprefix(f"/{NUMBER}").strip("/")
        if (fault := self.fault(path)) is not None:
            return fault
        if path == "media":
            form = await request.post()
            file = form["file"]
            assert isinstance(file, web.FileField)
            assert (form["messaging_product"], form["type"]) == ("whatsapp", file.content_type)
            self.media[f"m{len(self.media)}"] = (file.filename, file.content_type, file.file.read())
            return web.json_response({"id": f"m{len(self.media) - 1}"})
        if request.method == "GET":
            about = {
                "display_phone_number": "+62 21 1234 5678",
                "verified_name": "Kelurahan",
                "quality_rating": "GREEN",
            }
            return web.json_response(about)
        body = await request.json()
        if body.get("status") == "read":
            self.noted(self.read, body["message_id"])
            return web.json_response({"success": True})
        self.noted(self.sent, body)
        if self.cuts:
            self.cuts -= 1
            assert request.transport is not None
            request.transport.abort()
        return web.json_response({"messages": [{"id": f"wamid.out{len(self.sent)}"}]})
