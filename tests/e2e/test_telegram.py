"""Chats on Telegram with a real daemon, its servers and a server that speaks the Bot API."""

from __future__ import annotations

import signal
import sqlite3
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bridges.channels.service import PATIENCE_S
from tests.bridges.channels.telegram_server import TOKEN, TelegramServer, entry
from tests.daemon import HEAD, SERVERS, Daemon, final, running
from tests.e2e.register import REGISTER, WITH_OFFICERS, residents
from tests.e2e.test_main_job import LETTER, WORDS
from tests.waiting import until

ENV = {"TELEGRAM_TOKEN": TOKEN}


def config(telegram: TelegramServer, head: str = HEAD, public_url: str = "https://surat.example") -> str:
    channel = entry(telegram.url, f'public_url = "{public_url}"')
    return head + SERVERS["time"] + SERVERS["certificate"] + REGISTER + channel


@pytest.fixture
def telegram() -> Iterator[TelegramServer]:
    with TelegramServer() as server:
        yield server


def documents(telegram: TelegramServer) -> list[dict[str, Any]]:
    return [params["document"] for method, params in telegram.sent if method == "sendDocument"]


def rows(daemon: Daemon) -> str:
    """All that the daemon's database holds, as one text."""
    with sqlite3.connect(daemon.state / "agentd.db") as db:
        return "\n".join(db.iterdump())


def test_from_hello_to_the_signed_letter_killed_twice_on_the_way(telegram: TelegramServer, tmp_path: Path) -> None:
    turns = [final("Selamat pagi! Apa yang bisa kami bantu?"), LETTER, final("Surat Anda selesai.")]
    with running(tmp_path, *turns, config=config(telegram), env=ENV) as daemon:
        telegram.write("Halo")
        telegram.wait(lambda: telegram.texts() == ["Selamat pagi! Apa yang bisa kami bantu?"])

        telegram.write(WORDS)
        daemon.kill(signal.SIGKILL)  # before or after it was kept: Telegram sends again what was not confirmed
        daemon.start()
        telegram.wait(lambda: "Ya" in telegram.buttons())
        assert "Budi Santoso" in telegram.texts()[-1]
        asked = len(telegram.texts())

        until(lambda: "agentd_chat_outbox VALUES" not in rows(daemon), "an empty outbox")
        telegram.tap(telegram.buttons()["Ya"])
        telegram.wait(lambda: not telegram.updates)  # confirmed, so it is kept
        daemon.kill(signal.SIGKILL)
        daemon.start()
        telegram.wait(lambda: documents(telegram))
        [letter] = documents(telegram)
        assert (letter["bytes"][:5], letter["type"]) == (b"%PDF-", "application/pdf")
        assert telegram.texts()[asked:] == ["Surat Anda selesai."]
        assert len(list(daemon.state.glob("letters/**/*.pdf"))) == 1

        telegram.write("berhenti")
        telegram.wait(lambda: "dihapus" in telegram.texts()[-1])
        until(lambda: "'77'" not in rows(daemon), "a database without the chat")  # not even whose chat it was
        assert "Budi Santoso" not in rows(daemon)
        telegram.write("Halo lagi")
        telegram.write("/start")
        telegram.wait(lambda: telegram.texts()[-1].startswith("Selamat datang"))
        assert telegram.texts()[-2].startswith("Percakapan"), "who said stop is left alone"
        assert "Surat Keterangan Domisili" in telegram.buttons()


def test_who_signs_in_by_the_link_and_what_an_officer_issues_later_is_told_in_the_chat(
    telegram: TelegramServer, tmp_path: Path
) -> None:
    turns = [LETTER, final("Surat Anda selesai."), final("Baik.")]
    with running(tmp_path, *turns, config=config(telegram, WITH_OFFICERS), env=ENV) as daemon:
        telegram.write(WORDS)
        telegram.wait(lambda: "Ya" in telegram.buttons())
        telegram.tap(telegram.buttons()["Ya"])
        telegram.wait(lambda: "menunggu petugas" in telegram.texts()[-1])
        assert documents(telegram) == []
        waiting = daemon.waiting()
        daemon.approve(waiting)
        telegram.wait(lambda: documents(telegram))

        resident = next(row for row in residents() if row["pin"])
        telegram.write("masuk")
        telegram.wait(lambda: "https://surat.example/masuk/" in telegram.texts()[-1])
        page = daemon.url + telegram.texts()[-1].split("https://surat.example")[1].split()[0]
        form = urllib.parse.urlencode({"nik": resident["nik"], "pin": resident["pin"]}).encode()
        with urllib.request.urlopen(page, form, timeout=PATIENCE_S) as answer:
            number = answer.read().decode().split("<strong>")[1][:4]
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(page, form, timeout=PATIENCE_S)
        session_id = waiting["session_id"]
        assert daemon.call("Session.get", session_id=session_id)["identity"]["display_name"] == resident["nama"]
        telegram.write("Halo")
        telegram.wait(lambda: "empat angka" in telegram.texts()[-1])
        telegram.write(number)
        telegram.wait(lambda: "sudah masuk" in telegram.texts()[-1])
        telegram.write(f"PIN saya {resident['pin']}")
        telegram.wait(lambda: "deleteMessage" in [method for method, _ in telegram.calls])
        until(lambda: "agentd_chat_outbox VALUES" not in rows(daemon), "an empty outbox")
        assert f"PIN saya {resident['pin']}" not in rows(daemon)
