"""Chats over a channel in memory: what is kept, answered, sent, in which order, and what a restart finds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from agentd.application import Wiring
from agentd.apps.channels import Channels
from agentd.apps.channels.reading import kind_of, pieces, units
from agentd.apps.channels.texts import texts
from agentd.errors import Busy, ChannelFailure, NotFound
from agentd.http.guard import ADDRESS
from agentd.messages import AgentOutcome, Approval, Artifact, Caller, ChannelSettings, Incoming, Outgoing
from agentd.runs.databases import sqlite_engine
from agentd.runs.store import RunStore
from agentd.testing import ManualClock, MemoryChannel
from bridges.channels.whatsapp import WhatsAppChannel
from tests.bridges.channels.whatsapp_server import VERIFY, WhatsAppServer, delivery, said, settings, signed, tapped

ENTRY = ChannelSettings(name="chat", type="memory", public_url="https://surat.example", rate_per_minute=20)
AGAIN = texts()["id"].again
PATIENCE_S = 60.0


def text(words: str, number: int = 1, chat: str = "77", **more: Any) -> Incoming:
    return Incoming(id=f"{chat}-{number}", chat=chat, **{"kind": "text", **more}, text=words)


@dataclass
class Office:
    """What the app calls: runs answer by echo unless told otherwise."""

    asked: list[tuple[str, dict[str, Any], Caller]] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)

    async def __call__(self, name: str, params: dict[str, Any], caller: Caller) -> Any:
        self.asked.append((name, params, caller))
        if name in self.answers:
            answer = self.answers[name]
            return await answer(params) if callable(answer) else answer
        if name == "Session.create":
            return {"session_id": f"s{len(self.asked)}", "session_key": caller.session_key}
        if name == "Agent.run":
            return outcome(params, response=f"jawaban: {params['prompt']}")
        raise NotFound(name)

    def prompts(self) -> list[str]:
        return [params["prompt"] for name, params, _ in self.asked if name == "Agent.run"]


def outcome(params: dict[str, Any], **more: Any) -> AgentOutcome:
    ids = {"run_id": params["run_id"], "session_id": params.get("session_id", "s")}
    return AgentOutcome(**ids, **{"status": "completed", **more})


def pages(app: Channels) -> web.Application:
    """The app's pages as the daemon serves them, behind a guard that lets all in."""

    @web.middleware
    async def guarded(request: web.Request, handler: Any) -> Any:
        request[ADDRESS] = "127.0.0.1"
        return await handler(request)

    served = web.Application(middlewares=[guarded])
    served.add_routes(app.pages())
    return served


@dataclass
class Desk:
    """A served app with its channel."""

    app: Channels
    channel: MemoryChannel
    office: Office
    clock: ManualClock
    state: Path

    async def until(self, there: Callable[[], Any]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not there():  # noqa: ASYNC110   # what is waited for stands in a database, too
                await asyncio.sleep(0.005)

    def texts(self, chat: str = "77") -> list[str]:
        return [message.text for message in self.channel.sent if message.chat == chat]


@dataclass
class Files:
    """The runs' files, all in one folder."""

    folder: Path

    async def artifact(self, run_id: str, name: str, caller: Caller) -> tuple[Artifact, Path]:
        assert caller.session_key, run_id
        file = Artifact(name=name, uri=f"/artifacts/{run_id}/{name}", media_type="application/pdf", sha256="0")
        return file, self.folder / name


@asynccontextmanager
async def serving(
    state: Path, office: Office, channel: Any = None, clock: ManualClock | None = None
) -> AsyncIterator[Desk]:
    channel, clock = channel or MemoryChannel(), clock or ManualClock()
    store = RunStore(sqlite_engine(state / "agentd.db"))
    read: Any = SimpleNamespace(state=state, channels=(ENTRY,), file=state / "client.toml")
    nothing: Any = None
    wiring = Wiring(
        **dict.fromkeys(("model", "tools", "tools_of", "barred", "audit", "internal_tools"), nothing),
        settings=lambda: read,
        clock=clock,
        store=store,
        call=office,
    )
    app = Channels(wiring, lambda _: channel)
    async with app.serving():
        app.routes(Files(state))  # type: ignore[arg-type]   # of runs only their files are asked for
        yield Desk(app, channel, office, clock, state)
    store.close()


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with serving(tmp_path, Office()) as one:
        yield one


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
        (text("Mulai"), "start"),
        (text("STOP"), "stop"),
        (text("Berhenti."), "stop"),
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

            async def deliver(**value: Any) -> None:
                body = delivery(**value)
                assert (await service.post("/channels/chat", data=body, headers=signed(body))).status == 200

            await deliver(messages=[said("satu", 1)])
            await desk.until(lambda: server.sent)
            key = server.sent[0]["biz_opaque_callback_data"]
            await deliver(statuses=[{"id": "wamid.1", "status": "sent", "biz_opaque_callback_data": key}])
            await deliver(messages=[said("dua", 2)])
            await desk.until(lambda: len(server.sent) == 2)
        assert [one["text"]["body"] for one in server.sent] == ["jawaban: satu", "jawaban: dua"]


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


def waits(params: dict[str, Any], rule: Any = None) -> AgentOutcome:
    approval = Approval(
        approval_id="ap1", tool="t", arguments={}, summary="Benar?", expires_at="2099-01-01T00:00:00", rule=rule
    )
    return outcome(params, status="needs_approval", response="Nama: Budi. Benar?", approval=approval)


async def test_buttons_decide_what_they_were_shown_with_and_old_ones_nothing(desk: Desk) -> None:
    async def asks(params: dict[str, Any]) -> AgentOutcome:
        return waits(params)

    async def approved(params: dict[str, Any]) -> AgentOutcome:
        return outcome(params, response="terbit" if params["approved"] else "batal")

    desk.office.answers |= {"Agent.run": asks, "Agent.approve": approved}
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
    async def asks(params: dict[str, Any]) -> AgentOutcome:
        return waits(params, "staff")

    state = {"status": "needs_approval"}

    async def stands(params: dict[str, Any]) -> dict[str, Any]:
        return outcome({**params, "session_id": "s"}, response="Surat Anda terbit.", **state).model_dump()

    desk.office.answers |= {"Agent.run": asks, "Agent.get": stands}
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

    async def verify(params: dict[str, Any]) -> dict[str, Any]:
        return {"verified": (params["nik"], params["pin"]) == ("3175061708859001", "123456")}

    async def forget(params: dict[str, Any]) -> dict[str, Any]:
        forgotten.append(params)
        return {}

    desk.office.answers |= {"Residents.status": {"configured": True}, "Session.verify": verify}
    desk.office.answers["Session.forget"] = forget
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


async def test_a_letter_over_whatsapp_with_deliveries_doubled_unsigned_and_out_of_order(tmp_path: Path) -> None:
    """The same conversation through the real bridge: signed webhooks in, messages out."""
    office = Office()
    (tmp_path / "surat.pdf").write_bytes(b"%PDF-1.7")

    async def asks(params: dict[str, Any]) -> AgentOutcome:
        return waits(params)

    async def approved(params: dict[str, Any]) -> AgentOutcome:
        file = Artifact(name="surat.pdf", uri="/artifacts/r/surat.pdf", media_type="application/pdf", sha256="0")
        return outcome(params, response="Surat Anda terbit.", artifacts=(file,))

    office.answers |= {"Agent.run": asks, "Agent.approve": approved}
    with WhatsAppServer() as server:
        channel = WhatsAppChannel(settings(server.url))
        async with serving(tmp_path, office, channel) as desk, TestClient(TestServer(pages(desk.app))) as service:

            async def deliver(*messages: Any, times: int = 1) -> None:
                body = delivery(*messages)
                for _ in range(times):
                    assert (await service.post("/channels/chat", data=body, headers=signed(body))).status == 200

            asked = {"hub.challenge": "42", "hub.verify_token": VERIFY}
            assert await (await service.get("/channels/chat", params=asked)).text() == "42"
            assert (await service.post("/channels/chat", data=delivery(said("palsu")))).status >= 400
            server.faults["messages"] = [(503, None)]
            await deliver(said("", 2, type="sticker"), said("surat", 1), times=2)
            await desk.until(lambda: len(server.sent) == 2)
            question, refused = server.sent
            choices = {
                one["reply"]["title"]: one["reply"]["id"] for one in question["interactive"]["action"]["buttons"]
            }
            assert "membaca tulisan" in refused["text"]["body"]
            await deliver(tapped(choices["Ya"], 3), times=2)
            await desk.until(lambda: len(server.sent) == 4)
            assert (server.sent[2]["text"]["body"], server.sent[3]["type"]) == ("Surat Anda terbit.", "document")
            assert len(server.media) == 1
    assert office.prompts() == ["surat"]
