"""Part of the drill: a chat service delivers one message repeatedly, also to a daemon killed in between."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from agentd.apps.channels.texts import texts
from lab.drill.attacks import Attack
from tests.bridges.channels.telegram_server import TOKEN, TelegramServer, entry, message
from tests.daemon import HEAD, SERVERS, Daemon, final, running
from tests.waiting import until

TIMES, WRITER, LAST = 20, 77, 78


def redelivery(folder: Path) -> list[Attack]:
    """Exactly one answer is right; after the kill, another is allowed if it says it may be a repeat."""
    with TelegramServer() as service:
        config = HEAD + SERVERS["time"] + entry(service.url, "webhook = true", 'public_url = "https://surat.example"')
        with running(folder, final("Selamat pagi!"), config=config, env={"TELEGRAM_TOKEN": TOKEN}) as daemon:
            until(lambda: service.webhook, "the webhook")
            for _ in range(2):
                for _ in range(TIMES):
                    _deliver(daemon, service, 1, WRITER)
                until(lambda: service.texts(WRITER), "the answer")
                daemon.kill(signal.SIGKILL)
                daemon.start()
            _deliver(daemon, service, 2, LAST)
            until(lambda: service.texts(LAST), "another chat's answer, after all of the first's")
    answers = [text for text in service.texts(WRITER) if not text.startswith(texts()["id"].again)]
    tried = "a chat's message delivered again and again, killed twice meanwhile"
    return [Attack(tried, 2 * TIMES, f"answers: {len(answers)}", abs(len(answers) - 1))]


def _deliver(daemon: Daemon, service: TelegramServer, update: int, chat: int) -> None:
    secret = {"X-Telegram-Bot-Api-Secret-Token": service.webhook["secret_token"]}
    daemon.request("/channels/telegram", json.dumps(message(update, chat, "Halo")).encode(), **secret).close()
