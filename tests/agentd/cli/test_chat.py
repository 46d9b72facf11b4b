"""`agentd chat` where a call waits for a yes: it shows the card, and a key decides (issue 21)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from agentd.cli.chat import Chat

WAITING = {
    "run_id": "r-1",
    "status": "needs_approval",
    "response": "Surat domisili atas nama Budi?",
    "artifacts": [],
    "approval": {
        "approval_id": "a-1",
        "tool": "generate_surat",
        "arguments": {"nama": "Budi", "rt": "003", "catatan": None},
        "summary": "Surat domisili atas nama Budi?",
        "sources": {"nama": "register"},
    },
}
DONE = {"run_id": "r-1", "status": "completed", "response": "Surat selesai.", "artifacts": [], "approval": None}


class Agentd:
    """A client that answers as told and keeps what it was asked."""

    where = "here"

    def __init__(self, *answers: dict[str, Any]) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        self.asked.append((method, params or {}))
        return {"run_id": "r-1"} if method == "Agent.start" else self._answers.pop(0)

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
        "┌ generate_surat",
        "│ nama  Budi  [register]",
        "│ rt    003",
        "└ Surat domisili atas nama Budi?",
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
