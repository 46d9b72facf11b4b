"""Part of the drill: 200 messages written to slow down the reader, while /healthz is sampled.

Also measures how the check of one call scales with text length, in CPU time of this process.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from lab.drill.beside import Held, Row
from tests.agentd.apps.letters.hostile import families, fuzzed
from tests.agentd.apps.letters.test_growth import READERS
from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, final, running
from tests.e2e.test_main_job import LETTER

TEXTS = 200
BYTES = 8000
SEED = 15
EVERY_S = 0.02


def texts() -> list[str]:
    """One text of every family, then random texts, each of the maximum message length."""
    chance = random.Random(SEED)
    made = [family(BYTES) for family in families().values()]
    made += [fuzzed(BYTES, chance) for _ in range(TEXTS - len(made))]
    return [text.encode()[:BYTES].decode(errors="ignore") for text in made[:TEXTS]]


def hostile_texts(folder: Path) -> list[Row]:
    """Run each text as a separate run, one after the other, and measure /healthz latency meanwhile."""
    looks: list[float] = []
    ended = threading.Event()
    with running(folder, LETTER, final("Mohon lengkapi."), config=HEAD + SERVERS["certificate"]) as daemon:

        def sample() -> None:
            while not ended.is_set():
                began = time.perf_counter()
                with daemon.request("/healthz"):
                    looks.append(1000 * (time.perf_counter() - began))
                time.sleep(EVERY_S)

        daemon.call("Agent.run", prompt="Halo")
        before = Held.of(daemon)
        beside = threading.Thread(target=sample)
        beside.start()
        try:
            answers = [_answered(daemon, text) for text in texts()]
        finally:
            ended.set()
            beside.join()
        after = Held.of(daemon)
    looks.sort()
    heard = f"/healthz within {looks[int(0.99 * len(looks))]:.0f} ms (99 %), {looks[-1]:.0f} ms at the longest"
    return [Row(f"{TEXTS} hostile texts of {BYTES} bytes", heard, TEXTS, answers.count(False), before, after)]


def _answered(daemon: Daemon, text: str) -> bool:
    try:
        daemon.call("Agent.run", prompt=text)
    except RpcFailed as refused:
        return refused.type in ("grounding", "invalid_params")
    return True


CURVE = {
    **{"double quotes": "quotation marks", "a comma": "commas (`a,`)", "brackets": "brackets", "digits": "digits"},
    **{"newlines": "newlines", "single quotes": "apostrophes", "combined": "combining marks", "fuzzed": "all mixed"},
}
"""Families of texts and their names in the table."""
LENGTHS = (1_000, 2_000, 4_000, 8_000, 16_000)


def curve(lengths: Sequence[int] = LENGTHS) -> list[dict[str, str | int | float | bool | None]]:
    """CPU milliseconds of the whole check of one call: one row per family, one column per length."""
    return [
        {"text": name, **{f"{length:,}": round(_check_ms(families()[family](length)), 1) for length in lengths}}
        for family, name in CURVE.items()
    ]


def _check_ms(text: str) -> float:
    taken = []
    for _ in range(3):
        began = time.thread_time()
        READERS["evidence"](text)
        taken.append(1000 * (time.thread_time() - began))
    return min(taken)
