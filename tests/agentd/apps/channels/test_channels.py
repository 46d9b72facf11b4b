"""Chats over a channel in memory: what is kept, answered, sent, in which order, and what a restart finds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from agentd.apps.channels.port import ChannelFailure, Incoming, Outgoing, Take
from agentd.apps.channels.reading import kind_of, pieces, units
from agentd.apps.channels.testing import MemoryChannel
from agentd.apps.channels.texts import texts
from agentd.errors import Busy
from agentd.messages import AgentOutcome
from bridges.channels.whatsapp import WhatsAppChannel
from tests.agentd.apps.channels.office import PATIENCE_S, Desk, Office, deliver, desk, outcome, pages, serving, text
from tests.bridges.channels.whatsapp_server import WhatsAppServer, said, settings

__all__ = ["desk"]

AGAIN = texts()["id"].again


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (text("Saya mau surat domisili"), "text"),
        (text("x" * 5000), "text"),
        (text("👍👍"), "wordless"),
        (text("", kind="media"), "media"),
        (text("Surat: Budi", kind="forwarded"), "forwarded"),
        (text("RT 4", kind="edited"), "edited"),
        (text("PIN saya 123456", kind="edited"), "pin"),
        (text("PIN 123456", kind="media"), "pin"),
        (text("/start"), "start"),
        (text("/start generate_surat_keterangan_domisili"), "start"),
        (text("/start@kelurahan_bot"), "start"),
        (text("/stop@kelurahan_bot sekarang"), "stop"),
        (text("Mulai"), "start"),
        (text("STOP"), "stop"),
        (text("Berhenti."), "stop"),
        (text("/hapus data saya"), "stop"),
        (text("RT 3/start"), "text"),
        (text("/masuk"), "sign_in"),
        (text("masuk ke kelurahan jam berapa?"), "text"),
        (text("123456"), "pin"),
        (text("1 2 3 4 5 6"), "pin"),
        (text("3175061708859001 123456"), "pin"),
        (text("PIN saya 12-34-56, NIK 3175061708859001"), "pin"),
        (text("penghasilan Rp 500.000"), "text"),
        (text("750000 rupiah"), "text"),
        (text("500.000"), "text"),
        (text("3175061708859001"), "text"),
    ],
)
def test_what_a_message_is_before_anything_of_it_is_kept(message: Incoming, kind: str) -> None:
    assert kind_of(message) == kind


@pytest.mark.parametrize("whole", ["kata " * 2000, "x" * 9001, "🙂" * 5000, "a\n" * 5000, "pendek"])
def test_a_long_text_goes_in_pieces_that_the_service_takes_and_loses_nothing(whole: str) -> None:
    parts = list(pieces(whole, 4096))
    assert all(0 < units(part) <= 4096 for part in parts)
    assert "".join("".join(parts).split()) == "".join(whole.split())


async def test_a_chat_is_one_session_with_a_key_of_its_own_and_each_message_is_answered_once(desk: Desk) -> None:
    first, second, other = text("Halo"), text("Syaratnya apa?", 2), text("Halo", chat="88")
    desk.channel.write(first, first, second, other, second, first)
    await desk.until(lambda: len(desk.channel.sent) == 3)
    assert desk.texts() == ["jawaban: Halo", "jawaban: Syaratnya apa?"]
    runs = [(params, caller) for name, params, caller in desk.office.asked if name == "Agent.run"]
    assert len({params["run_id"] for params, _ in runs}) == 3
    keys = {(caller.id, caller.session_key, params["session_id"]) for params, caller in runs}
    assert len(keys) == 2 and all(caller.is_visitor for _, caller in runs)
    assert first in desk.channel.noticed


async def test_where_nothing_says_that_a_message_was_read_only_a_slow_answer_is_announced(tmp_path: Path) -> None:
    office, held = Office(), asyncio.Event()

    async def slow(params: dict[str, Any]) -> AgentOutcome:
        await held.wait()
        return outcome(params, response="sudah")

    async with serving(tmp_path, office, MemoryChannel(marks_read=False)) as desk:
        quick, late = text("Halo"), text("Berapa lama?", chat="88")
        desk.channel.write(quick)
        await desk.until(lambda: desk.texts() == ["jawaban: Halo"])
        office.answers["Agent.run"] = slow
        desk.channel.write(late)
        await desk.until(lambda: bool(desk.channel.noticed))
        assert desk.channel.noticed == [late]
        held.set()
        await desk.until(lambda: desk.texts("88") == ["sudah"])


async def test_a_chat_is_answered_in_order_and_no_chat_waits_for_another(desk: Desk) -> None:
    held = asyncio.Event()

    async def slow(params: dict[str, Any]) -> AgentOutcome:
        if params["prompt"] == "lama":
            await held.wait()
        return outcome(params, response=params["prompt"])

    desk.office.answers["Agent.run"] = slow
    desk.channel.write(text("lama"), text("cepat", 2), text("tetangga", chat="88"))
    await desk.until(lambda: desk.texts("88") == ["tetangga"])
    assert desk.texts() == []
    held.set()
    await desk.until(lambda: desk.texts() == ["lama", "cepat"])


async def test_a_pin_is_neither_read_nor_kept_and_its_message_is_removed(desk: Desk) -> None:
    desk.channel.write(text("PIN saya 918273"))
    await desk.until(lambda: desk.texts())
    assert "PIN" in desk.texts()[0]
    assert [message.text for message in desk.channel.removed] == ["PIN saya 918273"]
    assert desk.office.asked == []
    assert not any(b"918273" in file.read_bytes() for file in desk.state.iterdir() if file.is_file())


async def test_what_is_no_writing_gets_a_kind_word_and_no_model_is_asked(desk: Desk) -> None:
    desk.channel.write(text("", kind="media"), text("Surat: …", 2, kind="forwarded"), text("🙏", 3))
    await desk.until(lambda: len(desk.texts()) == 3)
    assert ["membaca tulisan" in desk.texts()[0], "Pesan terusan" in desk.texts()[1]] == [True, True]
    assert desk.office.asked == []


async def test_a_flood_is_answered_up_to_the_rate_and_warned_of_once(desk: Desk) -> None:
    desk.channel.write(*(text(f"pesan {number}", number) for number in range(30)), text("Halo", chat="88"))
    await desk.until(lambda: desk.texts("88") and len(desk.texts()) == 21)
    assert sum("terlalu banyak" in one for one in desk.texts()) == 1
    assert len(desk.office.prompts()) == 21


async def test_an_outage_of_the_service_loses_nothing_and_keeps_the_order(desk: Desk) -> None:
    desk.channel.faults += [ChannelFailure("away", retry_after_s=0.01)] * 3
    desk.channel.write(text("satu"), text("dua", 2))
    await desk.until(lambda: desk.texts() == ["jawaban: satu", "jawaban: dua"])


class CutOff(MemoryChannel):
    """The first message arrives, but its sender never hears that."""

    async def send(self, message: Outgoing) -> None:
        await super().send(message)
        if len(self.sent) == 1:
            raise ChannelFailure("no answer", retry_after_s=0.01, answered=False)


async def test_a_session_is_owed_what_could_not_be_sent_yet(desk: Desk) -> None:
    desk.channel.faults.append(ChannelFailure("away"))
    desk.channel.write(text("satu"))
    await desk.until(lambda: not desk.channel.faults)
    [session] = {params["session_id"] for name, params, _ in desk.office.asked if name == "Agent.run"}
    assert await desk.app.owes(session) and not await desk.app.owes("another")
    await desk.until(lambda: desk.texts() == ["jawaban: satu"])
    async with asyncio.timeout(PATIENCE_S):
        while await desk.app.owes(session):  # noqa: ASYNC110   # it stands in a database
            await asyncio.sleep(0.005)


async def test_what_may_have_arrived_says_so_when_it_is_sent_again(tmp_path: Path) -> None:
    async with serving(tmp_path, Office(), CutOff()) as desk:
        desk.channel.write(text("satu"), text("dua", 2))
        await desk.until(lambda: len(desk.texts()) == 3)
        assert desk.texts() == ["jawaban: satu", f"{AGAIN}\n\njawaban: satu", "jawaban: dua"]


async def test_what_was_on_its_way_at_a_stop_arrives_once(tmp_path: Path) -> None:
    on_its_way = asyncio.Event()

    class Slow(MemoryChannel):
        async def send(self, message: Outgoing) -> None:
            on_its_way.set()
            await asyncio.sleep(0.1)
            await super().send(message)

    channel = Slow()
    async with serving(tmp_path, Office(), channel) as desk:
        desk.channel.write(text("satu"))
        await on_its_way.wait()
    assert desk.texts() == ["jawaban: satu"]
    async with serving(tmp_path, Office(), channel) as later:
        later.channel.write(text("dua", 2))
        await later.until(lambda: later.texts()[-1] == "jawaban: dua")
    assert len(channel.sent) == 2


async def test_an_answer_of_which_whatsapp_tells_that_it_has_it_is_not_sent_again(tmp_path: Path) -> None:
    with WhatsAppServer() as server:
        channel = WhatsAppChannel(settings(server.url))
        server.cuts = 1
        async with serving(tmp_path, Office(), channel) as desk, TestClient(TestServer(pages(desk.app))) as service:
            await deliver(service, said("satu", 1))
            await desk.until(lambda: server.sent)
            key = server.sent[0]["biz_opaque_callback_data"]
            await deliver(service, statuses=[{"id": "wamid.1", "status": "sent", "biz_opaque_callback_data": key}])
            await deliver(service, said("dua", 2))
            await desk.until(lambda: len(server.sent) == 2)
        assert [one["text"]["body"] for one in server.sent] == ["jawaban: satu", "jawaban: dua"]


async def test_a_service_that_brings_what_nobody_expected_is_listened_to_again(tmp_path: Path) -> None:
    class Odd(MemoryChannel):
        odd = True

        async def receive(self, take: Take) -> None:
            if self.odd:
                self.odd = False
                raise ValueError("not what is published")
            await super().receive(take)

    async with serving(tmp_path, Office(), Odd()) as desk:
        desk.channel.write(text("Halo"))
        await desk.until(lambda: desk.texts() == ["jawaban: Halo"])


async def test_a_message_that_will_never_be_taken_holds_up_no_other(desk: Desk) -> None:
    desk.channel.faults.append(ChannelFailure("bad request", final=True))
    desk.channel.write(text("satu"), text("dua", 2))
    await desk.until(lambda: desk.texts() == ["jawaban: dua"])


async def test_a_busy_daemon_is_asked_again(desk: Desk) -> None:
    tried: list[str] = []

    async def busy_first(params: dict[str, Any]) -> AgentOutcome:
        tried.append(params["run_id"])
        if len(tried) == 1:
            raise Busy("full")
        return outcome(params, response="baik")

    desk.office.answers["Agent.run"] = busy_first
    desk.channel.write(text("Halo"))
    await desk.until(lambda: desk.texts() == ["baik"])
    assert len(set(tried)) == 1, "the same run, under the same id"


async def test_what_was_kept_is_answered_after_a_restart_under_the_same_run(tmp_path: Path) -> None:
    office, begun = Office(), asyncio.Event()

    async def never(params: dict[str, Any]) -> AgentOutcome:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError(params)

    office.answers["Agent.run"] = never
    async with serving(tmp_path, office) as first:
        first.channel.write(text("Halo"), text("Lagi", 2))
        await begun.wait()
        await first.until(lambda: len(first.channel.noticed) == 2)
    del office.answers["Agent.run"]
    async with serving(tmp_path, office) as second:
        second.channel.write(text("Halo"))  # the service sends again what it is not sure of
        await second.until(lambda: second.texts() == ["jawaban: Halo", "jawaban: Lagi"])
    runs = [params["run_id"] for name, params, _ in office.asked if name == "Agent.run"]
    assert runs[0] == runs[1]
