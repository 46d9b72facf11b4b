"""A hundred chats at once over Telegram: how soon each is answered, and what a kill -9 in the middle loses or doubles.

The service is a server on this machine that speaks the Bot API; the daemon's model is scripted and answers at once, so
that all of it is the daemon's own time. All write at one moment, five times; in two rounds more the daemon is killed
when a third is answered, and started again; whose answer was on its way just then gets it twice, the second time with
a line that says so, because Telegram tells nobody what it has (docs/channels.md): at most four a kill, as many as go
out at a time. Issue 21: 1 s for the 95th of a hundred, none lost or doubled.
"""

from __future__ import annotations

import signal
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from agentd.apps.channels.texts import texts
from lab.bench._timing import cpu_ms, median, p95
from tests.bridges.channels.telegram_server import TOKEN, TelegramServer, entry, message
from tests.daemon import HEAD, SERVERS, Daemon, final, running

CHATS, ROUNDS, KILLED = 100, 5, 2
FIRST, LAST = 1000, 5
"""First number of the hundred chats, and number of the chat that writes after all the others."""
AGAIN = texts()["id"].again


class Service(TelegramServer):
    """A Telegram server that records when each chat was answered."""

    def __init__(self) -> None:
        super().__init__()
        self.answered: Counter[int] = Counter()
        self.said_again = 0
        self.at: dict[tuple[int, int], float] = {}

    def noted(self, kept: list[Any], value: Any) -> None:
        if kept is self.sent:
            chat = int(value[1]["chat_id"])
            self.answered[chat] += 1
            self.said_again += value[1]["text"].startswith(AGAIN)
            self.at.setdefault((chat, self.answered[chat]), time.perf_counter())
        super().noted(kept, value)

    def all_write(self, words: str) -> None:
        """Queue a message from each of the hundred chats at the same moment."""
        with self.changed:
            for chat in range(FIRST, FIRST + CHATS):
                self._number += 1
                self.updates.append(message(self._number, chat, words))
            self.changed.notify_all()

    def all_answered(self, times: int) -> bool:
        return all(self.answered[chat] >= times for chat in range(FIRST, FIRST + CHATS))


def run() -> dict[str, Any]:
    """Milliseconds to a chat's answer; number of answers lost and doubled."""
    with Service() as service, tempfile.TemporaryDirectory() as folder:
        config = HEAD + SERVERS["time"] + entry(service.url, "rate_per_minute = 600")
        with running(Path(folder), final("Baik."), config=config, env={"TELEGRAM_TOKEN": TOKEN}) as daemon:
            assert daemon.process is not None
            used = cpu_ms(daemon.process.pid)
            taken = [ms for number in range(1, ROUNDS + 1) for ms in _round(service, number)]
            cpu = (cpu_ms(daemon.process.pid) - used) / len(taken)
            for number in range(ROUNDS + 1, ROUNDS + KILLED + 1):
                _killed(service, daemon, number)
            service.write("Halo", LAST)  # every message queued before it is answered first
            service.wait(lambda: service.answered[LAST])
    due = ROUNDS + KILLED
    counts = [service.answered[chat] for chat in range(FIRST, FIRST + CHATS)]
    return {
        "chats": CHATS,
        "answers": len(taken),
        "answer_p50_ms": round(median(taken)),
        "answer_p95_ms": round(p95(taken)),
        "answer_cpu_ms": round(cpu, 1),
        "kills": KILLED,
        "answers_due": due * CHATS,
        "lost": sum(max(due - count, 0) for count in counts),
        "said_to_be_again": service.said_again,
        "doubled": sum(max(count - due, 0) for count in counts),
    }


def _round(service: Service, number: int) -> list[float]:
    began = time.perf_counter()
    service.all_write(f"Halo {number}")
    service.wait(lambda: service.all_answered(number))
    return [1000 * (service.at[chat, number] - began) for chat in range(FIRST, FIRST + CHATS)]


def _killed(service: Service, daemon: Daemon, number: int) -> None:
    before = service.answered.total()
    service.all_write(f"Halo {number}")
    service.wait(lambda: service.answered.total() >= before + CHATS // 3)
    daemon.kill(signal.SIGKILL)
    daemon.start()
    service.wait(lambda: service.all_answered(number))
