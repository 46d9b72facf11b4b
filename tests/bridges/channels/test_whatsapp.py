"""The WhatsApp bridge at the wire: signatures, what deliveries hold, what is sent, every fault."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from agentd.apps.channels.port import ChannelFailure, ChannelSettings, Choice, Delivery, Document, Incoming, Outgoing
from agentd.errors import InvalidRequest, Unauthorized
from bridges.channels.whatsapp import WhatsAppChannel
from tests.bridges.channels.whatsapp_server import (
    NUMBER,
    TOKEN,
    VERIFY,
    WhatsAppServer,
    delivery,
    said,
    settings,
    signed,
    tapped,
)

CHAT = "6281234567890"


@pytest.fixture(scope="module")
def server() -> Iterator[WhatsAppServer]:
    with WhatsAppServer() as one:
        yield one


@pytest.fixture
async def channel(server: WhatsAppServer) -> AsyncIterator[WhatsAppChannel]:
    one = WhatsAppChannel(settings(server.url))
    yield one
    await one.aclose()


def read(channel: WhatsAppChannel, body: bytes) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in channel.read(Delivery("POST", {}, signed(body), body)).messages]


@pytest.mark.parametrize(
    ("message", "kinds"),
    [
        (said("Halo"), [("text", "Halo")]),
        (tapped("y:ap"), [("tap", "y:ap")]),
        (
            said("", type="interactive", interactive={"type": "list_reply", "list_reply": {"id": "l:t"}}),
            [("tap", "l:t")],
        ),
        (said("", type="audio", audio={"id": "a", "voice": True}), [("media", "")]),
        (said("", type="sticker"), [("media", "")]),
        (said("", type="unsupported"), [("media", "")]),
        (said("", type="document", document={"id": "d", "caption": "PIN 123456"}), [("media", "PIN 123456")]),
        (said("", type="location", location={"latitude": -6.2, "longitude": 106.8}), [("media", "")]),
        (said("", type="contacts", contacts=[{"name": {"formatted_name": "Budi"}}]), [("media", "")]),
        (said("Surat: Budi", context={"forwarded": True}), [("forwarded", "Surat: Budi")]),
        (said("Surat: Budi", context={"frequently_forwarded": True}), [("forwarded", "Surat: Budi")]),
        (said("RT 3", context={"from": "622112345678", "id": "wamid.old"}), [("text", "RT 3")]),
        (said("", type="edit", edit={"original_message_id": "wamid.1", "message": said("RT 4")}), [("edited", "RT 4")]),
        (said("", type="revoke", revoke={"original_message_id": "wamid.1"}), []),
        (said("", type="reaction", reaction={"emoji": "👍"}), []),
        (said("", type="system"), []),
        ({"type": "text"}, []),
        ("text", []),
        ({**said(""), "text": None}, []),
        (said("", type="interactive", interactive={"type": "nfm_reply"}), []),
        (said("Halo", timestamp="soon"), []),
        (said("Halo", timestamp=float("inf")), []),
    ],
)
def test_what_a_delivered_message_is(channel: WhatsAppChannel, message: Any, kinds: list[tuple[str, str]]) -> None:
    assert read(channel, delivery(message)) == kinds


def test_a_delivery_is_read_in_the_order_in_which_it_was_written(channel: WhatsAppChannel) -> None:
    assert read(channel, delivery(said("dua", 2), said("satu", 1))) == [("text", "satu"), ("text", "dua")]


def test_states_of_messages_and_what_is_for_another_number_bring_nothing(channel: WhatsAppChannel) -> None:
    assert read(channel, delivery(statuses=[{"id": "wamid.out1", "status": "delivered"}])) == []
    assert read(channel, delivery(said("Halo"), to="999")) == []
    for odd in (b"[]", b"17", b'{"entry":{}}', b'{"entry":[1,{"changes":[2,{"value":3}]}]}'):
        assert read(channel, odd) == []


def test_a_message_that_failed_is_logged_and_does_not_count_as_delivered(channel: WhatsAppChannel) -> None:
    failed = {"status": "failed", "biz_opaque_callback_data": "a", "errors": [{"code": 131026, "title": f"to {CHAT}"}]}
    body = delivery(statuses=[failed, {"status": "sent", "biz_opaque_callback_data": "b"}, {**failed, "errors": 3}])
    with capture_logs() as logs:
        assert channel.read(Delivery("POST", {}, signed(body), body)).sent == ("b",)
    lines = [(one["event"], one["phone_number_id"], one["codes"]) for one in logs]
    assert lines == [("channel.not_delivered", NUMBER, codes) for codes in ([131026], [])]


def test_only_what_is_signed_with_the_apps_secret_is_read(channel: WhatsAppChannel) -> None:
    body = delivery(said("Halo"))
    for headers in ({}, signed(body, "another"), signed(body + b" "), {"x-hub-signature-256": "\udcff"}):
        with pytest.raises(Unauthorized):
            channel.read(Delivery("POST", {}, headers, body))
    for wrong in (b"{", b"[" * 100_000):
        with pytest.raises(InvalidRequest):
            channel.read(Delivery("POST", {}, signed(wrong), wrong))


def test_the_webhook_answers_the_services_challenge_to_who_knows_the_verify_token(channel: WhatsAppChannel) -> None:
    asked = {"hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": VERIFY}
    assert channel.read(Delivery("GET", asked, {}, b"")).answer == "1158201444"
    with pytest.raises(Unauthorized):
        channel.read(Delivery("GET", {**asked, "hub.verify_token": "guessed"}, {}, b""))


async def test_texts_buttons_lists_documents_and_read_marks_arrive_as_whatsapp_wants_them(
    server: WhatsAppServer, channel: WhatsAppChannel, tmp_path: Path
) -> None:
    (tmp_path / "surat.pdf").write_bytes(b"%PDF-1.7 surat")
    server.sent.clear()
    three = tuple(Choice(id=f"{one}:1", title=one) for one in ("Ya", "Ubah", "Batal"))
    many = tuple(Choice(id=f"l:{n}", title="Surat Keterangan Domisili Usaha") for n in range(12))
    document = Document(path=str(tmp_path / "surat.pdf"), name="SKD-001.pdf", media_type="application/pdf")
    for message in (
        Outgoing(chat=CHAT, text="Halo"),
        Outgoing(chat=CHAT, text="Benar?", choices=three),
        Outgoing(chat=CHAT, text="Pilih", choices=many),
        Outgoing(chat=CHAT, document=document),
    ):
        await channel.send(message)
    text, buttons, rows, file = server.sent
    assert (text["to"], text["type"], text["text"]["body"]) == (CHAT, "text", "Halo")
    assert [one["reply"]["title"] for one in buttons["interactive"]["action"]["buttons"]] == ["Ya", "Ubah", "Batal"]
    [section] = rows["interactive"]["action"]["sections"]
    assert len(section["rows"]) == 10
    assert all(len(row["title"]) <= 24 and row["description"].endswith("Usaha") for row in section["rows"])
    assert file["document"]["filename"] == "SKD-001.pdf"
    assert server.media[file["document"]["id"]] == ("SKD-001.pdf", "application/pdf", b"%PDF-1.7 surat")
    await channel.notice(Incoming(id="wamid.1", chat=CHAT, kind="text", text="Halo"))
    assert server.read[-1] == "wamid.1"
    assert not await channel.remove(Incoming(id="wamid.1", chat=CHAT, kind="text"))
    assert (await channel.check())[0] == "Kelurahan, +62 21 1234 5678"


@pytest.mark.parametrize(
    ("status", "code", "final", "retry_after_s"),
    [
        (400, 130429, False, None),
        (400, 131056, False, None),
        (503, None, False, None),
        (429, 80007, False, None),
        (401, 190, False, 60.0),
        (400, 131031, False, 60.0),
        (400, 131047, True, None),
        (400, 131026, True, None),
        (400, 100, True, None),
    ],
)
async def test_what_a_fault_means(
    server: WhatsAppServer,
    channel: WhatsAppChannel,
    status: int,
    code: int | None,
    final: bool,
    retry_after_s: float | None,
) -> None:
    server.faults["messages"] = [(status, {"error": {"code": code, "message": f"to {CHAT}"}} if code else None)]
    with pytest.raises(ChannelFailure) as failed:
        await channel.send(Outgoing(chat=CHAT, text="Halo"))
    assert (failed.value.final, failed.value.retry_after_s) == (final, retry_after_s)
    assert CHAT not in failed.value.message and TOKEN not in failed.value.message


@pytest.mark.parametrize(
    ("status", "header", "retry_after_s"),
    [(429, "7", 7.0), (503, "90000", 3600.0), (503, "Wed, 21 Oct 2015 07:28:00 GMT", 0.0), (503, "soon", None)],
)
async def test_the_time_that_a_busy_service_asks_for_is_waited_at_most_an_hour(
    server: WhatsAppServer, channel: WhatsAppChannel, status: int, header: str, retry_after_s: float | None
) -> None:
    server.faults["messages"], server.asks_to_wait = [(status, None)], header
    with pytest.raises(ChannelFailure) as failed:
        await channel.send(Outgoing(chat=CHAT, text="Halo"))
    server.asks_to_wait = ""
    assert (failed.value.final, failed.value.retry_after_s) == (False, retry_after_s)


async def test_a_file_that_is_gone_is_not_tried_again(channel: WhatsAppChannel, tmp_path: Path) -> None:
    document = Document(path=str(tmp_path / "gone.pdf"), name="gone.pdf", media_type="application/pdf")
    with pytest.raises(ChannelFailure) as failed:
        await channel.send(Outgoing(chat=CHAT, document=document))
    assert failed.value.final


@pytest.mark.parametrize(("change", "says"), [({"secrets": {"token": "t"}}, "app_secret"), ({"settings": {}}, "phone")])
def test_an_entry_that_lacks_something_says_what(change: dict[str, Any], says: str) -> None:
    entry: ChannelSettings = settings("http://127.0.0.1:1").model_copy(update=change)
    with pytest.raises(ValueError, match=says):
        WhatsAppChannel(entry)
    assert NUMBER.isdigit()
