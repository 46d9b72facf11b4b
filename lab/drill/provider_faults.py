"""Part of the drill: providers that fail in different ways, over real HTTP (tests/bridges/wires.py)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

from lab.drill.beside import SETTLE_S, Act, Matrix, Row, warmed_up
from tests.bridges.wires import Answer, OpenAIWire
from tests.daemon import HEAD, SERVERS, Daemon

PROVIDER = """
[[providers]]
id = "{id}"
type = "openai"
endpoint = "{endpoint}"
models = ["m-1"]
timeout_s = {timeout_s}
"""
NOBODY = "http://127.0.0.1:1"
HTTP_FAULTS: dict[str, tuple[str, Answer]] = {
    "429, too many requests": ("rate_limit", Answer(status=429)),
    "503, out of order": ("unavailable", Answer(status=503)),
    "401, wrong key": ("auth", Answer(status=401)),
    "the answer breaks off": ("unavailable", Answer(ending="cut")),
    "no JSON": ("unavailable", Answer(ending="garbage")),
    "an error inside the stream": ("unavailable", Answer(ending="error_line")),
    "silence in mid-answer": ("timeout", Answer(ending="hang")),
    "an answer that is no action": ("bad_output", Answer(text="Saya tidak tahu.")),
}
"""{fault: (the kind agentd must report, the provider's answer)}."""


def provider_faults(folder: Path) -> list[Row]:
    """Let each provider fail in its own way; the next one must answer the run, and the outcome must say so."""
    with _wires([answer for _, answer in HTTP_FAULTS.values()]) as endpoints:
        kinds = {"nobody listens": "connect"} | {tried: kind for tried, (kind, _) in HTTP_FAULTS.items()}
        entries = "".join(
            PROVIDER.format(id=kinds[tried] + str(number), endpoint=url, timeout_s=3.0 if "silence" in tried else 30.0)
            for number, (tried, url) in enumerate(zip(kinds, [NOBODY, *endpoints], strict=True))
        )
        with warmed_up(folder, HEAD + entries + SERVERS["time"]) as daemon:
            matrix = Matrix(daemon)
            return [
                matrix.row(f"provider: {tried}", _ask(f"{kind}{number}", kind), own_runs=1)
                for number, (tried, kind) in enumerate(kinds.items())
            ]


def _ask(provider: str, kind: str) -> Act:
    def act(daemon: Daemon) -> str:
        outcome = daemon.call("Agent.run", prompt="Halo", options={"provider": provider})
        assert outcome["status"] == "completed", outcome["status"]
        kinds = [one["kind"] for one in outcome["fallbacks"] if one["provider"] == provider]
        assert kinds == [kind], f"passed over: {kinds}"
        return f"`{outcome['provider']}` answers, and that it was passed over: {kind}"

    return act


@contextmanager
def _wires(answers: list[Answer]) -> Iterator[list[str]]:
    """Run the failing providers on a separate event loop; yield their addresses."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="providers")
    thread.start()

    def do(work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(SETTLE_S)

    stack = AsyncExitStack()
    try:
        yield [do(stack.enter_async_context(OpenAIWire(answer))).endpoint for answer in answers]
    finally:
        do(stack.aclose())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
