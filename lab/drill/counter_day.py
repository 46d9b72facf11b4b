"""The workload of an office's day, one thread per kind. It counts what is done and judges nothing.

Talks, letters of residents who gave a PIN, an officer's questions to the books, Telegram chats, reloads.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count, cycle
from typing import Any

from tests.agentd.apps.analytics.scripts import CONFIG as BOOKS
from tests.agentd.apps.analytics.scripts import SALES, SALES_PLAN
from tests.bridges.channels.telegram_server import TOKEN, TelegramServer, entry
from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, call, final
from tests.e2e.register import REGISTER, Person, person, residents

Act = Callable[[], Any]

TURNS = (call("get_current_time"), json.dumps({"text": json.dumps(final("Selesai")), "after_ms": 50}))
"""The model's turns for everybody except the officer."""
PLANS = (json.dumps(SALES), json.dumps(SALES_PLAN))
QUESTION = "Buat laporan penjualan Januari 2023: total penjualan dan jumlah transaksinya"
FORM = {"tool_hint": "generate_surat_keterangan_domisili", "tool_arguments": {"keperluan": "Melamar pekerjaan"}}
ADDED = SERVERS["time"].replace('"time"', '"clock"')
PACES_S = {"talks": 1.0, "letters": 2.0, "books": 5.0, "chats": 1.0, "reloads": 60.0}
"""Seconds between two rounds of each kind."""
ENVIRONMENT = {"TELEGRAM_TOKEN": TOKEN}
PLANNER = """
[[providers]]
id = "planner"
type = "scripted"
script = "plans.jsonl"

[[profiles]]
name = "officer"
providers = ["planner"]
scopes = ["staff"]
"""


def config(telegram: str, keep_s: float) -> str:
    """The office's client.toml; conversations are kept for `keep_s` seconds after their last use."""
    store = f"[store]\nkeep_d = {keep_s / 86400}\nkeep_visitors_h = {keep_s / 3600}\npurge_every_s = 10\n"
    servers = SERVERS["time"] + SERVERS["certificate"] + REGISTER + BOOKS.removeprefix(HEAD)
    return "\n".join((HEAD, PLANNER, servers, entry(telegram, "rate_per_minute = 600"), store))


class Service(TelegramServer):
    """A Telegram server that stores no messages and notifies when a chat is answered."""

    def __init__(self) -> None:
        super().__init__()
        self.answered: set[int] = set()

    def noted(self, kept: list[Any], value: Any) -> None:
        with self.changed:
            if kept is self.updates:
                kept.append(value)
            elif kept is self.sent:
                self.answered.add(int(value[1]["chat_id"]))
            self.changed.notify_all()

    def ask(self, chat: int) -> None:
        """Send a message and wait for the answer."""
        self.write("Halo, jam berapa sekarang?", chat)
        self.wait(lambda: chat in self.answered)
        self.answered.discard(chat)


class Worker(threading.Thread):
    """Performs its acts one after the other, round after round, until told to stop."""

    def __init__(self, name: str, acts: Sequence[Act]) -> None:
        super().__init__(name=name)
        self.done: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.ending = threading.Event()
        self._acts = acts

    def run(self) -> None:
        """Perform the acts with a pause between rounds until `ending` is set; errors are counted by type."""
        while not self.ending.wait(PACES_S[self.name]):
            for act in self._acts:
                name = act.__name__.strip("_")
                try:
                    act()
                    self.done[name] += 1
                except RpcFailed as error:
                    self.failed[f"{name}: {error.type}"] += 1
                except Exception as error:
                    self.failed[f"{name}: {type(error).__name__}"] += 1


def workers(daemon: Daemon, service: Service) -> list[Worker]:
    """One worker of each kind for a running daemon."""
    day = _Day(daemon, service)
    return [
        Worker("talks", [day.talk, day.cut_a_stream, day.cancel, day.call_a_tool]),
        Worker("letters", [day.letter]),
        Worker("books", [day.question]),
        Worker("chats", [day.chat]),
        Worker("reloads", [day.reload]),
    ]


class _Day:
    def __init__(self, daemon: Daemon, service: Service) -> None:
        self._agentd, self._service = daemon, service
        self._screen: Person = person(daemon, "screen", "kiosk")
        self._officer: Person = person(daemon, "officer", "staff")
        self._residents = cycle([row for row in residents() if row["pin"]])
        self._chats = count(1000)

    def talk(self) -> None:
        """Run two turns, a fork and an export; delete both conversations."""
        session = self._agentd.call("Session.create")["session_id"]
        for _ in range(2):
            self._agentd.call("Agent.run", prompt="Selamat siang", session_id=session)
        forked = self._agentd.call("Session.fork", session_id=session)["session_id"]
        self._agentd.call("Session.export", session_id=forked)
        for one in (session, forked):
            self._agentd.call("Session.delete", session_id=one)

    def cut_a_stream(self) -> None:
        """Read one line of a run's events, then disconnect."""
        run_id = self._agentd.call("Agent.start", prompt="Halo")["run_id"]
        with self._agentd.request(f"/events?run_id={run_id}") as response:
            response.readline()
        self._agentd.call("Agent.run", prompt="Halo", run_id=run_id)

    def cancel(self) -> None:
        """Cancel a run that has just started."""
        run_id = self._agentd.call("Agent.start", prompt="Halo")["run_id"]
        with suppress(RpcFailed):  # the run may have ended already
            self._agentd.call("Agent.cancel", run_id=run_id)

    def call_a_tool(self) -> None:
        self._agentd.call("Tools.call", tool="get_current_time")

    def letter(self) -> None:
        """Get a letter, from the PIN to the PDF."""
        resident = next(self._residents)
        self._screen.arrive()
        if not self._screen.verify(nik=resident["nik"], pin=resident["pin"])["verified"]:
            raise ValueError("not verified")
        self._screen.says("Saya mau Surat Keterangan Domisili", options=FORM)
        (paper,) = self._screen.says("ya")["artifacts"]
        key = {"Agentd-Session-Key": self._screen.key, "Authorization": f"Bearer {self._screen.token}"}
        with self._agentd.request(paper["uri"], None, **key) as response:
            if not response.read().startswith(b"%PDF"):
                raise ValueError("no PDF")
        self._screen.call("Session.forget", session_id=self._screen.session_id)

    def question(self) -> None:
        """Ask the books a question in a new conversation."""
        answer = self._officer.call("Analytics.ask", question=QUESTION)
        if answer["status"] != "completed":
            raise ValueError(answer["status"])

    def chat(self) -> None:
        """Send a message from a new chat and wait for the answer."""
        self._service.ask(next(self._chats))

    def reload(self) -> None:
        """Add a server by a reload, then remove it by another."""
        whole = self._agentd.config.read_text()
        for text in (whole + ADDED, whole):
            self._agentd.config.write_text(text)
            self._agentd.call("Config.reload")
