"""Measures a turn of the embedded model: tokens read and written, seconds from the citizen's last word to the answer.

Each words a greeting, a second question, a letter with all its data, and a letter by words of who has shown a PIN, in
three ways; every one has a session of its own, and the medians count. `read` are the prompt's tokens that no memory
held, `written` the model's own, `model_turns` those in which it wrote anything. The weights are loaded and the
prompt's stable start is read before the first. Issue 21: letter with all data 8 s, greeting 2 s, second question 4 s;
issue 18: by words 5 s; on a quiet machine.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from agentd import config
from agentd.daemon import Daemon
from agentd.messages import AgentOptions, Caller
from agentd.runs.visibility import new_key
from agentd.startup import started
from lab.tokens import tokens
from tests.e2e.register import residents
from tests.e2e.test_main_job import WORDS

GREETINGS = ("Selamat pagi", "Halo", "Good morning")
ASKED = {
    "greeting": GREETINGS,
    "second question": (
        "Lampu jalan di RT saya mati sudah seminggu, bagaimana ya?",
        "Kalau perpanjang paspor apakah bisa di kelurahan ini?",
        "The bin in front of my house was not emptied, whom do I tell?",
    ),
    "letter with all data": (
        WORDS,
        WORDS.replace("Budi Santoso", "Agus Wijaya").replace("melamar pekerjaan", "membuka rekening bank"),
        WORDS.replace("Budi Santoso", "Joko Susilo").replace("domisili", "keterangan domisili"),
    ),
    "letter by words, with a PIN": (
        "Saya perlu surat domisili untuk melamar kerja",
        "Tolong buatkan surat domisili untuk membuka rekening bank",
        "I need a domicile letter to open a bank account",
    ),
}


class Turn(NamedTuple):
    """The cost of one answer."""

    read: int
    written: int
    model_turns: int
    seconds: float
    status: str


@dataclass
class Visitor:
    """A visitor with a session of their own."""

    daemon: Daemon
    caller: Caller
    session_id: str

    async def says(self, words: str) -> Turn:
        """Run one turn and measure it until its answer."""
        began = time.perf_counter()
        outcome = await self.daemon.runs.run(words, AgentOptions(session_id=self.session_id), self.caller)
        return Turn(*tokens(outcome.logs), time.perf_counter() - began, outcome.status)


def run() -> dict[str, Any]:
    """One row per kind of turn."""
    return asyncio.run(_run())


async def _run() -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="agentd-turns-") as state:
        settings = config.load(None, state=state)
        only = tuple(one for one in settings.providers if one.type == "llamacpp")
        async with started(replace(settings, default_provider=only[0].id, providers=only)) as daemon:
            await daemon.chain.warm(
                daemon.profile(Caller(id="turns", scopes=frozenset({"kiosk"})), AgentOptions()).prefix
            )
            rows = [await _row(daemon, kind, worded) for kind, worded in ASKED.items()]
    return {"turns": rows}


async def _row(daemon: Daemon, kind: str, worded: tuple[str, ...]) -> dict[str, Any]:
    turns = [await _turn(daemon, kind, number, words) for number, words in enumerate(worded)]
    return {
        "turn": kind,
        "read": statistics.median(turn.read for turn in turns),
        "written": statistics.median(turn.written for turn in turns),
        "model_turns": statistics.median(turn.model_turns for turn in turns),
        "worst_read": max(turn.read for turn in turns),
        "worst_written": max(turn.written for turn in turns),
        "to_the_card": sum(turn.status == "needs_approval" for turn in turns),
        "seconds": round(statistics.median(turn.seconds for turn in turns), 2),
    }


async def _turn(daemon: Daemon, kind: str, number: int, words: str) -> Turn:
    visitor = await _visitor(daemon)
    if kind == "second question":
        await visitor.says(GREETINGS[number])
    if "PIN" in kind:
        resident = [one for one in residents() if one["pin"]][number]
        proof = {"session_id": visitor.session_id, "nik": resident["nik"], "pin": resident["pin"]}
        if not (await daemon.call("Session.verify", proof, visitor.caller)).verified:
            raise SystemExit(f"{resident['nik']} was not verified")
    return await visitor.says(words)


async def _visitor(daemon: Daemon) -> Visitor:
    caller = Caller(id="turns", scopes=frozenset({"kiosk"})).with_key(new_key())
    made = await daemon.call("Session.create", {}, caller)
    return Visitor(daemon, caller.with_key(made["session_key"]), made["session_id"])
