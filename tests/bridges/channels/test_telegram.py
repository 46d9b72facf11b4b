"""The Telegram bridge at the wire: what it reads of updates, what it sends, what it makes of every fault."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agentd.apps.channels.port import ChannelFailure, ChannelSettings, Choice, Delivery, Document, Incoming, Outgoing
from agentd.errors import InvalidRequest, Unauthorized
from bridges.channels.telegram import TelegramChannel, incoming, keyboard
from bridges.channels.wire import LONGEST
from tests.bridges.channels.telegram_server import TOKEN, TelegramServer, edited, message, tap


@pytest.fixture(scope="module")
def server() -> Iterator[TelegramServer]:
    with TelegramServer() as one:
        yield one


def settings(url: str, **more: Any) -> ChannelSettings:
    return ChannelSettings(name="telegram", type="telegram", endpoint=url, secrets={"token": TOKEN}, **more)


@pytest.fixture
async def channel(server: TelegramServer) -> AsyncIterator[TelegramChannel]:
    one = TelegramChannel(settings(server.url))
    yield one
    await one.aclose()


GROUP = {"id": -5, "type": "group", "title": "RT 03"}


@pytest.mark.parametrize(
    ("update", "read"),
    [
        (message(1, 77, "Halo"), Incoming(id="1", chat="77", kind="text", text="Halo", reference="1", language="id")),
        (tap(2, 77, "y:ap"), Incoming(id="2", chat="77", kind="tap", text="y:ap", reference="q2", language="id")),
        (message(3, 77, None, voice={"file_id": "v"}), "media"),
        (message(4, 77, None, sticker={"file_id": "s"}), "media"),
        (message(5, 77, None, photo=[{"file_id": "p"}], caption="KTP saya"), ("media", "KTP saya")),
        (message(5, 77, None, location={"latitude": -6.2, "longitude": 106.8}), "media"),
        (message(5, 77, None, contact={"phone_number": "0812", "first_name": "Budi"}), "media"),
        (message(5, 77, None, poll={"id": "1", "question": "Setuju?"}), "media"),
        (message(5, 77, None, document={"file_id": "d"}), "media"),
        (message(6, 77, "Surat: Budi", forward_origin={"type": "hidden_user"}), ("forwarded", "Surat: Budi")),
        (message(6, 77, "Nama: Budi", via_bot={"id": 5, "is_bot": True}), ("forwarded", "Nama: Budi")),
        (message(6, 77, "RT 3", reply_to_message={"text": "RT berapa?"}, quote={"text": "RT"}), ("text", "RT 3")),
        (edited(6, 77, "RT 4"), ("edited", "RT 4")),
        (edited(6, 77, None, location={"latitude": -6.2, "longitude": 106.8}), None),
        (message(6, 77, None, pinned_message={"message_id": 1}), None),
        (message(7, 77, "Halo", **{"chat": GROUP}), None),
        (message(8, 77, "Halo", **{"from": {"id": 9, "is_bot": True}}), None),
        ({"update_id": 9, "edited_message": {}}, None),
        ({"update_id": 10, "message": "text"}, None),
        ({"update_id": 11, "message": {"chat": None}}, None),
        ({"update_id": 12, "callback_query": {"id": "q", "from": {}}}, None),
        (message(13, 77, "Halo", **{"from": {"id": 77, "language_code": 5}}), None),
        (message(14, 77, "Halo", **{"chat": {"id": "\ud800", "type": "private"}}), None),
    ],
)
def test_what_an_update_is(update: dict[str, Any], read: Incoming | str | tuple[str, str] | None) -> None:
    found = incoming(update)
    if isinstance(read, str | tuple):
        assert found is not None and (found.kind, found.text) == ((read, "") if isinstance(read, str) else read)
    else:
        assert found == read


async def test_updates_are_confirmed_only_once_they_are_kept_and_a_broken_one_stops_nothing(
    server: TelegramServer, channel: TelegramChannel
) -> None:
    kept: list[str] = []
    second = asyncio.Event()

    async def take(messages: Sequence[Incoming]) -> None:
        kept.extend(one.text for one in messages)
        if kept == ["satu"]:
            raise ChannelFailure("the database is full")
        if "dua" in kept:
            second.set()

    server.write("satu")
    server.noted(server.updates, {"update_id": server.updates[-1]["update_id"] + 1, "message": 17})
    with pytest.raises(ChannelFailure):
        await channel.receive(take)
    assert [update["message"] for update in server.updates][-1] == 17, "what was not kept is not confirmed"
    server._number += 1
    server.write("dua")
    receiving = asyncio.create_task(channel.receive(take))
    await asyncio.wait_for(second.wait(), 300)
    receiving.cancel()
    assert kept == ["satu", "satu", "dua"]


async def test_a_text_its_buttons_and_a_document_arrive_as_telegram_wants_them(
    server: TelegramServer, channel: TelegramChannel, tmp_path: Path
) -> None:
    (tmp_path / "surat.pdf").write_bytes(b"%PDF-1.7 surat")
    before = len(server.sent)
    await channel.send(Outgoing(chat="5", text="Benar?", choices=(Choice(id="y:1", title="Ya"),)))
    document = Document(path=str(tmp_path / "surat.pdf"), name="SKD-001.pdf", media_type="application/pdf")
    await channel.send(Outgoing(chat="5", document=document))
    (first, asked), (second, sent) = server.sent[before:]
    assert (first, asked["text"], second) == ("sendMessage", "Benar?", "sendDocument")
    assert asked["reply_markup"] == {"inline_keyboard": [[{"text": "Ya", "callback_data": "y:1"}]]}
    assert sent["document"] == {"name": "SKD-001.pdf", "type": "application/pdf", "bytes": b"%PDF-1.7 surat"}
    await channel.notice(Incoming(id="1", chat="5", kind="tap", text="y:1", reference="q9"))
    await channel.notice(Incoming(id="2", chat="5", kind="text", text="Halo", reference="8"))
    assert await channel.remove(Incoming(id="2", chat="5", kind="text", reference="8"))
    assert [method for method, _ in server.calls[-3:]] == ["answerCallbackQuery", "sendChatAction", "deleteMessage"]


@pytest.mark.parametrize(
    ("status", "body", "final", "retry_after_s"),
    [
        (429, {"error_code": 429, "description": "Too Many Requests", "parameters": {"retry_after": 7}}, False, 7.0),
        (429, {"error_code": 429, "description": "Flood", "parameters": {"retry_after": 90_000}}, False, 3600.0),
        (429, {"error_code": 429, "description": "Flood", "parameters": {"retry_after": float("nan")}}, False, None),
        (500, {"error_code": 500, "description": "Internal"}, False, None),
        (502, None, False, None),
        (403, {"error_code": 403, "description": "Forbidden: bot was blocked by the user"}, True, None),
        (400, {"error_code": 400, "description": "Bad Request: message is too long"}, True, None),
        (401, {"error_code": 401, "description": "Unauthorized"}, False, 60.0),
        (409, {"error_code": 409, "description": "Conflict: terminated by other getUpdates"}, False, None),
    ],
)
async def test_what_a_fault_means(
    server: TelegramServer, channel: TelegramChannel, status: int, body: Any, final: bool, retry_after_s: float | None
) -> None:
    server.faults["sendMessage"] = [(status, body if body is None else {"ok": False, **body})]
    with pytest.raises(ChannelFailure) as failed:
        await channel.send(Outgoing(chat="5", text="Halo"))
    assert (failed.value.final, failed.value.retry_after_s) == (final, retry_after_s)
    assert TOKEN not in failed.value.message


async def test_a_service_that_is_not_there_is_tried_again_and_the_token_is_not_told() -> None:
    channel = TelegramChannel(settings("http://127.0.0.1:1"))
    with pytest.raises(ChannelFailure) as failed:
        await channel.send(Outgoing(chat="5", text="Halo"))
    await channel.aclose()
    assert not failed.value.final
    assert TOKEN not in failed.value.message


async def test_an_answer_that_is_too_long_is_no_answer(server: TelegramServer, channel: TelegramChannel) -> None:
    server.faults["getMe"] = [(200, {"ok": True, "result": {"username": "x" * LONGEST}})]
    with pytest.raises(ChannelFailure, match="no answer"):
        await channel.check()


async def test_a_webhook_is_registered_with_a_secret_and_read_with_that_alone(server: TelegramServer) -> None:
    channel = TelegramChannel(settings(server.url, public_url="https://surat.example", settings={"webhook": True}))

    async def take(_: Sequence[Incoming]) -> None: ...

    await channel.receive(take)
    assert server.webhook["url"] == "https://surat.example/channels/telegram"
    signed = {"x-telegram-bot-api-secret-token": server.webhook["secret_token"]}

    def delivery(headers: dict[str, str], body: bytes) -> Delivery:
        return Delivery("POST", {}, headers, body)

    body = json.dumps(message(1, 77, "Halo")).encode()
    assert [one.text for one in channel.read(delivery(signed, body)).messages] == ["Halo"]
    assert channel.read(delivery(signed, b"[]")).messages == ()
    for wrong in ({}, {"x-telegram-bot-api-secret-token": "guessed"}, {"x-telegram-bot-api-secret-token": "\udcff"}):
        with pytest.raises(Unauthorized):
            channel.read(delivery(wrong, body))
    for wrong_body in (b"{", b"[" * 100_000):
        with pytest.raises(InvalidRequest):
            channel.read(delivery(signed, wrong_body))
    await channel.aclose()


async def test_check_says_who_the_bot_is(server: TelegramServer, channel: TelegramChannel) -> None:
    assert (await channel.check())[0] == "bot @kelurahan_bot"


def test_buttons_that_telegram_would_refuse_are_left_out() -> None:
    rows = keyboard([Choice(id="l:" + "x" * 63, title="lang"), Choice(id="l:a", title="Surat Keterangan Domisili")])
    assert rows == [[{"text": "Surat Keterangan Domisili", "callback_data": "l:a"}]]


@pytest.mark.parametrize(
    ("secrets", "settings", "says"),
    [
        ({}, {}, "credentials"),
        ({"token": "t"}, {"webhook": True}, "public_url"),
        ({"token": "t"}, {"webhook": "yes"}, "webhook is true or false"),
    ],
)
def test_an_entry_that_lacks_something_says_what(secrets: dict[str, str], settings: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        TelegramChannel(ChannelSettings(name="t", type="telegram", secrets=secrets, settings=settings))
