"""`agentd chat` where a call waits for a yes: it shows the card, and a key decides (issue 21)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from clients.chat import Chat
from clients.chat_lines import lines

WAITING: dict[str, Any] = {
    "run_id": "r-1",
    "status": "needs_approval",
    "response": "Mohon diperiksa: Surat",
    "artifacts": [],
    "approval": {
        "approval_id": "a-1",
        "tool": "generate_surat",
        "arguments": {"nama": "Budi", "rt": "003", "catatan": None},
        "summary": "Mohon diperiksa: Surat\n- Nama: Budi\n- RT: 003\n\nApakah sudah benar?",
        "sources": {"nama": "register", "rt": "citizen", "catatan": "derived"},
    },
}
DONE: dict[str, Any] = {
    "run_id": "r-1",
    "status": "completed",
    "response": "Surat selesai.",
    "artifacts": [],
    "approval": None,
}


class Agentd:
    """A client that answers as told and keeps what it was asked."""

    where = "here"

    def __init__(self, *answers: dict[str, Any]) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        self.asked.append((method, params or {}))
        return self._answers.pop(0)

    async def events(self, run_id: str, after: int = 0) -> AsyncIterator[dict[str, Any]]:
        for event in list[dict[str, Any]]():
            yield event

    async def raw(self, messages: list[dict[str, str]], model: str | None) -> str:
        return ""

    async def metrics(self) -> str:
        return ""


@pytest.mark.parametrize(("key", "approved"), [("y", True), ("Ya", True), ("n", False), ("batal", False)])
async def test_the_card_is_shown_and_a_key_decides(key: str, approved: bool) -> None:
    shown: list[str] = []
    client = Agentd(WAITING, DONE)
    chat = Chat(client, shown.append)
    await chat.line("buat surat")
    assert shown == [
        "┌ Mohon diperiksa: Surat",
        "│ - Nama: Budi",
        "│ - RT: 003",
        "│",
        "└ Apakah sudah benar?",
        "  (dari data kependudukan: Budi)",
    ]
    assert chat.prompt.startswith("y = ")
    await chat.line(key)
    assert client.asked[-1] == ("Agent.approve", {"run_id": "r-1", "approval_id": "a-1", "approved": approved})
    assert shown[-1] == "Surat selesai." and chat.prompt == "agent> "


async def test_other_words_are_a_message_and_a_key_without_a_card_too() -> None:
    client = Agentd(WAITING, DONE, DONE)
    chat = Chat(client, lambda _: None)
    for words in ("buat surat", "RT-nya 004", "y"):
        await chat.line(words)
    assert [params["prompt"] for method, params in client.asked if method == "Agent.run"] == [
        "buat surat",
        "RT-nya 004",
        "y",
    ]


@pytest.mark.parametrize(
    ("words", "yes", "started"),
    [
        ("Saya mau membuat surat domisili", "ya", "percakapan baru"),
        ("I would like to have a domicile letter", "yes", "new conversation"),
        ("Kula badhe ndamel serat domisili", "inggih", "wicantenan enggal"),
    ],
)
async def test_all_that_it_says_itself_is_in_the_sessions_language(words: str, yes: str, started: str) -> None:
    said: list[str] = []
    chat = Chat(Agentd(WAITING, DONE), said.append)
    await chat.line(words)
    own = next(each for each in lines().values() if each.new == started)
    assert chat.prompt == own.decide and yes in own.yes
    await chat.line(yes)
    said.clear()
    for command in ("/log", "/steps", "/agent off", "/agent on", "/agent up", "/open", "/go", "/help", "/reset"):
        await chat.line(command)
    wrong = own.refused
    assert said == [
        *(own.no_log, own.no_steps, own.agent_off, own.agent_on, f"! {wrong['agent']}", f"! {wrong['file']}"),
        *(f"! {wrong['command'].format(word='/go')}", own.help, own.new),
    ]
    assert chat.lines == own  # until the new conversation has a language


async def test_an_office_that_answers_in_one_language_has_its_lines_in_it() -> None:
    said: list[str] = []
    chat = Chat(Agentd(), said.append, "jv")
    await chat.line("/reset")
    assert said == [lines()["jv"].new]
