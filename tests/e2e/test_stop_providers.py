"""A stop while weights load or a model reads, and reloads in mid-turn."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bridges.wires import Answer, OpenAIWire
from tests.daemon import HEAD, call, final, running
from tests.e2e.test_stop import Office, office, refusal, until_there
from tests.waiting import until
from tests.weights import weights

__all__ = ["weights"]

HOLDS_THE_INTERPRETER = """
import ctypes, pathlib, types
__version__ = "0"

class CommonParams(types.SimpleNamespace):
    def __init__(self):
        super().__init__(model=types.SimpleNamespace(), cpuparams=types.SimpleNamespace(),
                         cpuparams_batch=types.SimpleNamespace())

class Server:
    def __init__(self, params):
        (pathlib.Path(__file__).parent / "loading").touch()
        ctypes.PyDLL(None).sleep({seconds})  # a C call that keeps the GIL, as the library's own loading does

    def handle_chat_completions(self, request, callback):
        return {{"error": {{"code": 500, "message": "no weights"}}}}
"""


ASKED = "Kapan jalan di depan rumah saya diperbaiki?"
"""No greeting, which the office answers itself where a model is held to a schema."""


STAND_IN = """
[[providers]]
id = "embedded"
type = "llamacpp"
path = "weights.gguf"
"""


@contextmanager
def loading(folder: Path, seconds: int) -> Iterator[Office]:
    """An office whose embedded model holds the interpreter so long when it loads."""
    (folder / "weights.gguf").touch()
    (folder / "lib").mkdir()
    (folder / "lib" / "xllamacpp.py").write_text(HOLDS_THE_INTERPRETER.format(seconds=seconds))
    env = {"PYTHONPATH": str(folder / "lib"), "AGENTD_MODELS": str(folder / "models")}
    with running(folder, final("Baik."), config=HEAD + STAND_IN, env=env) as daemon:
        yield Office(daemon, folder / "none")


def test_a_stop_while_weights_load_ends_the_process_at_once_and_the_run_goes_on(tmp_path: Path) -> None:
    with loading(tmp_path, seconds=60) as here:
        here.daemon.call("Agent.start", prompt=ASKED, run_id="r1", options={"provider": "embedded"})
        until((tmp_path / "lib" / "loading").exists, "weights that load")
        here.stop(codes=(-signal.SIGTERM,))
        (tmp_path / "lib" / "xllamacpp.py").write_text(HOLDS_THE_INTERPRETER.format(seconds=0))
        here.daemon.start()
        assert here.ended("r1", ASKED)["response"] == "Baik."


def test_after_weights_have_loaded_a_stop_is_an_ordinary_one(tmp_path: Path) -> None:
    with loading(tmp_path, seconds=0) as here:
        outcome = here.daemon.call("Agent.run", prompt=ASKED, options={"provider": "embedded"})
        assert (outcome["response"], outcome["fallbacks"][0]["provider"]) == ("Baik.", "embedded")
        here.stop()


EMBEDDED = """\
default_provider = "embedded"
prompt_template = "Layani warga. {{{{custom_instruction}}}} {{{{language_guidance}}}} {{{{tool_guidance}}}} {long}"

[[providers]]
id = "embedded"
type = "llamacpp"
"""


@pytest.mark.model
def test_a_stop_while_the_embedded_model_reads_its_prompt_is_as_quiet(tmp_path: Path, weights: Path) -> None:
    """The prompt is so long and so much its own that reading it takes minutes."""
    long = " ".join(f"Aturan {number}: dahulukan warga nomor {number * 7919}." for number in range(250))
    with running(tmp_path, final("x"), config=EMBEDDED.format(long=long)) as daemon, ThreadPoolExecutor(1) as client:
        here = Office(daemon, tmp_path / "none")
        waiting = client.submit(daemon.call, "Agent.run", prompt=ASKED, run_id="r1", session_id="s1")
        until_there(daemon, "r1")
        here.wait_until_asked("r1")
        time.sleep(8)  # until its weights are loaded and it reads; nothing shows that from outside
        here.stop(codes=(0, -signal.SIGTERM))  # where weights are still being loaded, the signal ends it
        if here.daemon.process is not None and here.daemon.process.returncode == 0:
            assert refusal(waiting)["data"]["run_id"] == "r1"
        daemon.config.write_text(HEAD)
        daemon.script(final("Baik."))
        daemon.start()
        assert here.ended("r1", ASKED)["response"] == "Baik."


# ── reloads ──────────────────────────────────────────────────────────────────────────────────────────────────────────

PROVIDER = """
[[providers]]
id = "wire"
type = "openai"
endpoint = "{endpoint}"
models = ["m-1"]
"""


async def test_a_reload_that_replaces_the_provider_in_mid_turn_lets_the_turn_end(tmp_path: Path) -> None:
    reloaded = asyncio.Event()
    async with OpenAIWire(Answer(text='{"action":"final","response":"Baik."}', held=reloaded)) as wire:
        config = PROVIDER.format(endpoint=wire.endpoint)
        with office(tmp_path, final("another"), more=config) as here:
            options = {"provider": "wire"}
            run = asyncio.to_thread(here.daemon.call, "Agent.run", prompt=ASKED, run_id="r1", options=options)
            running_ = asyncio.create_task(run)
            await asyncio.to_thread(until_there, here.daemon, "r1")
            await asyncio.to_thread(wire.asked.wait)
            here.daemon.config.write_text(here.daemon.config.read_text().replace('"m-1"', '"m-1", "m-2"'))
            await asyncio.to_thread(here.daemon.call, "Config.reload")
            reloaded.set()
            outcome = await running_
            assert (outcome["response"], outcome["provider"], outcome["fallbacks"]) == ("Baik.", "wire", [])


@pytest.mark.parametrize("tool", ["pay", "look"])
def test_a_reload_that_replaces_the_server_in_mid_call_lets_the_call_end(tmp_path: Path, tool: str) -> None:
    asked = call("pay", amount=5) if tool == "pay" else call("look")
    with office(tmp_path, asked, final("Baik."), pay_s=2.0, look_s=2.0) as here:
        here.daemon.call("Agent.start", prompt="Halo", run_id="r1")
        here.wait_for(tool)
        here.daemon.config.write_text(here.daemon.config.read_text().replace('look_s = "2.0"', 'look_s = "2.1"'))
        assert here.daemon.process is not None
        here.daemon.process.send_signal(signal.SIGHUP)
        outcome = here.ended("r1")
        assert [step["success"] for step in outcome["steps"]] == [True]
        assert here.done(tool) == 1
        assert here.daemon.call("Config.reload")["servers"]["changed"] == []
        here.is_quiet()
