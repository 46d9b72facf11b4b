"""Chats over a channel in memory: what is decided by buttons, later or by a link, and what comes by webhooks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from agentd.apps.channels.port import ChannelFailure, Outgoing
from agentd.apps.channels.testing import MemoryChannel
from agentd.apps.residents.verifying import VerificationResult
from agentd.messages import AgentOutcome, Approval, Artifact
from bridges.channels.whatsapp import WhatsAppChannel
from tests.agentd.apps.channels.office import Desk, Office, deliver, desk, outcome, pages, serving, text
from tests.bridges.channels.whatsapp_server import VERIFY, WhatsAppServer, delivery, said, settings, tapped

__all__ = ["desk"]


def waits(params: dict[str, Any], rule: Any = None) -> AgentOutcome:
    approval = Approval(
        approval_id="ap1", tool="t", arguments={}, summary="Benar?", expires_at="2099-01-01T00:00:00", rule=rule
    )
    return outcome(params, status="needs_approval", response="Nama: Budi. Benar?", approval=approval)


def issued(params: dict[str, Any]) -> AgentOutcome:
    file = Artifact(name="surat.pdf", uri="/artifacts/r/surat.pdf", media_type="application/pdf", sha256="0")
    return outcome(params, response="Surat Anda terbit.", artifacts=(file,))


async def test_buttons_decide_what_they_were_shown_with_and_old_ones_nothing(desk: Desk) -> None:
    def approved(params: dict[str, Any]) -> AgentOutcome:
        return outcome(params, response="terbit" if params["approved"] else "batal")

    desk.office.answers |= {"Agent.run": waits, "Agent.approve": approved}
    desk.channel.write(text("surat"))
    await desk.until(lambda: desk.texts())
    choices = {choice.title: choice.id for choice in desk.channel.sent[0].choices}
    assert list(choices) == ["Ya", "Ubah", "Batal"]
    desk.channel.write(*(text(data, number, kind="tap") for number, data in enumerate(choices.values(), 2) if data))
    await desk.until(lambda: len(desk.texts()) == 4)
    assert desk.texts()[1] == "terbit"
    assert all("tidak berlaku" in one for one in desk.texts()[2:]), "it is decided once"
    [approve] = [params for name, params, _ in desk.office.asked if name == "Agent.approve"]
    assert (approve["approval_id"], approve["approved"]) == ("ap1", True)


async def test_what_an_officer_decides_later_is_told_in_the_chat(desk: Desk) -> None:
    state = {"status": "needs_approval"}

    def stands(params: dict[str, Any]) -> dict[str, Any]:
        return outcome({**params, "session_id": "s"}, response="Surat Anda terbit.", **state).model_dump()

    desk.office.answers |= {"Agent.run": lambda params: waits(params, "staff"), "Agent.get": stands}
    desk.channel.write(text("surat"))
    await desk.until(lambda: any(name == "Agent.get" for name, _, _ in desk.office.asked))
    assert [message.choices for message in desk.channel.sent] == [()], "the citizen has nothing left to decide"
    state["status"] = "completed"
    await desk.until(lambda: desk.texts()[-1] == "Surat Anda terbit.")


async def test_beyond_the_window_an_answer_waits_until_the_person_writes_again(tmp_path: Path) -> None:
    office, held = Office(), asyncio.Event()

    async def slow(params: dict[str, Any]) -> AgentOutcome:
        if params["prompt"] == "satu":
            await held.wait()
        return outcome(params, response=params["prompt"])

    office.answers["Agent.run"] = slow
    async with serving(tmp_path, office, MemoryChannel(window_s=3600)) as desk:
        desk.channel.write(text("satu"))
        await desk.until(lambda: office.prompts() == ["satu"])
        desk.clock.advance(3601)
        held.set()
        desk.channel.write(text("tetangga", chat="88"))
        await desk.until(lambda: desk.texts("88"))
        assert desk.texts() == []
        desk.channel.write(text("dua", 2))
        await desk.until(lambda: desk.texts() == ["satu", "dua"])


async def test_stop_ends_what_is_under_way_and_nothing_of_the_chat_is_left(desk: Desk) -> None:
    deleted: list[str] = []

    async def never(params: dict[str, Any]) -> AgentOutcome:
        await asyncio.Event().wait()
        raise AssertionError(params)

    async def delete(params: dict[str, Any]) -> dict[str, Any]:
        deleted.append(params["session_id"])
        await desk.app.forget(params["session_id"])
        return {}

    desk.office.answers |= {"Agent.run": never, "Session.delete": delete}
    desk.channel.write(text("nama saya Budi"), text("satu lagi", 2), text("STOP", 3))
    await desk.until(lambda: desk.texts())
    assert len(deleted) == 1
    assert len(desk.texts()) == 1 and "dihapus" in desk.texts()[0]
    desk.channel.write(text("halo?", 4), text("/start", 5))
    await desk.until(lambda: len(desk.texts()) == 2)
    assert desk.texts()[1].startswith("Selamat datang"), "after stop only a start is answered"


async def test_a_link_from_before_the_clock_was_set_back_signs_nobody_in(desk: Desk) -> None:
    desk.office.answers["Residents.status"] = {"configured": True}
    async with TestClient(TestServer(pages(desk.app))) as browser:
        desk.channel.write(text("masuk", 1))
        await desk.until(lambda: desk.texts() and "https://" in desk.texts()[-1])
        path = desk.texts()[-1].split("https://surat.example")[1].split()[0]
        for moved, status in ((0, 200), (-3600, 404), (3600 + 901, 404)):
            desk.clock.leap(moved)
            assert (await browser.get(path)).status == status


async def test_a_link_signs_in_only_when_its_number_is_written_in_the_chat(desk: Desk) -> None:
    forgotten: list[Any] = []

    def verify(params: dict[str, Any]) -> VerificationResult:
        right = (params["nik"], params["pin"]) == ("3175061708859001", "123456")
        return VerificationResult(verified=right, level=None, display_name=None, attempts_left=2, expires_at=None)

    desk.office.answers |= {"Residents.status": {"configured": True}, "Session.verify": verify}
    desk.office.answers["Session.forget"] = forgotten.append
    async with TestClient(TestServer(pages(desk.app))) as browser:

        async def signed_in(number: int) -> str:
            desk.channel.write(text("masuk", number))
            await desk.until(lambda: desk.texts() and "https://" in desk.texts()[-1])
            path = desk.texts()[-1].split("https://surat.example")[1].split()[0]
            assert (await browser.get(path)).status == 200
            wrong = await browser.post(path, data={"nik": "3175061708859001", "pin": "000000"})
            assert "tidak dapat diverifikasi" in await wrong.text()
            done = await (await browser.post(path, data={"nik": "3175061708859001", "pin": "123456"})).text()
            assert (await browser.get(path)).status == 404, "a link is good for one sign-in"
            return done.split("<strong>")[1][:4]

        shown = await signed_in(1)
        desk.channel.write(text("surat domisili", 2))
        await desk.until(lambda: "empat angka" in desk.texts()[-1])
        assert desk.office.prompts() == [], "who was only sent a link learns nothing of who signed in"
        desk.channel.write(text(shown, 3), text("surat domisili", 4))
        await desk.until(lambda: desk.texts()[-1] == "jawaban: surat domisili")
        assert forgotten == []

        shown = await signed_in(5)
        guess = f"{(int(shown) + 1) % 10_000:04}"
        desk.channel.write(*(text(guess, number) for number in (6, 7, 8)))
        await desk.until(lambda: "tidak cocok" in desk.texts()[-1])
        assert len(forgotten) == 1


async def test_a_webhook_takes_what_is_signed_and_keeps_it_once(desk: Desk) -> None:
    body = text("Halo").model_dump_json()
    async with TestClient(TestServer(pages(desk.app))) as service:
        for _ in range(3):
            assert (await service.post("/channels/chat", data=body, headers={"Authorization": "memory"})).status == 200
        await desk.until(lambda: desk.texts() == ["jawaban: Halo"])
        assert (await service.post("/channels/chat", data=body)).status >= 400
        assert (await service.post("/channels/other", data=body)).status >= 400
        huge = b"x" * 2_000_000
        assert (await service.post("/channels/chat", data=huge, headers={"Authorization": "memory"})).status == 413
    assert desk.office.prompts() == ["Halo"]


@pytest.mark.parametrize("there", [True, False], ids=["refused for good", "deleted meanwhile"])
async def test_who_can_not_be_sent_a_file_reads_where_to_get_it(tmp_path: Path, there: bool) -> None:
    class TextsOnly(MemoryChannel):
        async def send(self, message: Outgoing) -> None:
            if message.document is not None:
                raise ChannelFailure("file is too big", final=True)
            await super().send(message)

    office = Office()
    office.answers["Agent.run"] = issued
    async with serving(tmp_path, office, TextsOnly()) as desk:
        if there:
            (tmp_path / "surat.pdf").write_bytes(b"%PDF-1.7")
        desk.channel.write(text("surat domisili"))
        await desk.until(lambda: len(desk.texts()) == 2)
    assert desk.texts()[1] == "Berkas surat.pdf tidak dapat dikirim di sini. Silakan minta di loket."


async def test_a_letter_over_whatsapp_with_deliveries_doubled_unsigned_and_out_of_order(tmp_path: Path) -> None:
    """The same conversation through the real bridge: signed webhooks in, messages out."""
    office = Office()
    (tmp_path / "surat.pdf").write_bytes(b"%PDF-1.7")

    office.answers |= {"Agent.run": waits, "Agent.approve": issued}
    with WhatsAppServer() as server:
        channel = WhatsAppChannel(settings(server.url))
        async with serving(tmp_path, office, channel) as desk, TestClient(TestServer(pages(desk.app))) as service:
            asked = {"hub.challenge": "42", "hub.verify_token": VERIFY}
            assert await (await service.get("/channels/chat", params=asked)).text() == "42"
            assert (await service.post("/channels/chat", data=delivery(said("palsu")))).status >= 400
            server.faults["messages"] = [(503, None)]
            await deliver(service, said("", 2, type="sticker"), said("surat", 1), times=2)
            await desk.until(lambda: len(server.sent) == 2)
            question, refused = server.sent
            choices = {
                one["reply"]["title"]: one["reply"]["id"] for one in question["interactive"]["action"]["buttons"]
            }
            assert "membaca tulisan" in refused["text"]["body"]
            await deliver(service, tapped(choices["Ya"], 3), times=2)
            await desk.until(lambda: len(server.sent) == 4)
            assert (server.sent[2]["text"]["body"], server.sent[3]["type"]) == ("Surat Anda terbit.", "document")
            assert len(server.media) == 1
    assert office.prompts() == ["surat"]
