"""An answer while it is written: what a reader sees of it has passed the check that the whole answer must pass."""

from __future__ import annotations

import asyncio
import json
import time

from agentd.agent.streaming import CheckedText
from tests.agentd.agent.test_loop import final


class Reader:
    """Somebody who watches an answer, in which no sentence may say `terbit`."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.checked: list[str] = []
        self.answer = CheckedText(self._passes, self.seen.append)

    async def _passes(self, text: str) -> bool:
        self.checked.append(text)
        return "terbit" not in text

    async def watch(self, text: str, size: int = 5, before: str = "") -> str:
        raw = before + json.dumps(final(text))
        for at in range(0, len(raw), size):
            self.answer.feed(raw[at : at + size])
            await asyncio.sleep(0)
        self.answer.stop()
        return "".join(self.seen)


async def test_sentences_are_shown_as_they_pass_and_nothing_behind_one_that_does_not() -> None:
    text = "Baik, Pak. Nomornya 3.5!\nSurat Anda sudah terbit. Silakan ambil. Terima kasih."
    assert await Reader().watch(text) == "Baik, Pak. Nomornya 3.5!\n"


async def test_an_answer_that_passed_is_shown_to_its_end() -> None:
    reader, text = Reader(), "Baik, Pak. Siapa nama Anda"
    assert await reader.watch(text) == "Baik, Pak. "
    reader.answer.finish(text)
    assert "".join(reader.seen) == text


async def test_an_answer_that_a_model_writes_behind_a_call_is_not_shown_for_it_rests_on_an_invented_result() -> None:
    reader = Reader()
    call = json.dumps({"action": "call_tool", "tool": "get_current_time", "input": {}})
    assert await reader.watch("Sekarang pukul 10. Ada lagi?", before=call) == ""


async def test_what_is_checked_is_linear_in_the_answer_however_many_sentences_it_has() -> None:
    reader, text = Reader(), "a. " * 100_000
    started = time.process_time()
    await reader.watch(text)
    assert sum(map(len, reader.checked)) <= len(text)
    assert len(reader.checked) < 200
    assert time.process_time() - started < 10
