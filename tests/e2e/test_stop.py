"""An ordinary stop costs no more than a kill: runs go on after the start, who waits hears it, no error is logged."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.bridges.mcp.conftest import HERE as BRIDGE_TESTS
from tests.daemon import HEAD, TOKEN, Daemon, RpcFailed, call, final, running, server_entry
from tests.e2e.till import CONFIG
from tests.waiting import until

NOISE = ("Traceback", "run.broke", "shutdown", "never awaited", "never retrieved")


SLOW = {"text": '{"action":"final","response":"Baik."}', "after_ms": 600_000}
"""An answer that no stop waits for."""


class Office:
    """A daemon with a till, whose file shows what was really done."""

    def __init__(self, daemon: Daemon, book: Path) -> None:
        self.daemon = daemon
        self.book = book

    def wait_for(self, word: str, times: int = 1) -> None:
        """Until the till has written it so often."""
        until(lambda: self.done(word) >= times, f"`{word}` {times} times in the till's book")

    def done(self, word: str) -> int:
        return [line.split()[0] for line in self.book.read_text().splitlines()].count(word)

    def wait_until_asked(self, run_id: str) -> None:
        """Until the run's model was asked."""
        with self.daemon.request(f"/events?run_id={run_id}") as response:
            for line in response:
                if b'"model.started"' in line:
                    return
        raise AssertionError("the model was not asked")

    def stop(self, codes: tuple[int, ...] = (0,)) -> None:
        """An ordinary stop, which says nothing of an error; one that takes too long ends by SIGALRM."""
        assert self.daemon.kill(signal.SIGTERM) in codes
        self.is_quiet()

    def is_quiet(self) -> None:
        log = (self.daemon.folder / "stderr.log").read_text()
        assert not [word for word in NOISE if word in log], log[-4000:]

    def ended(self, run_id: str, prompt: str = "Halo") -> dict[str, Any]:
        """The run once it has ended, by joining it; its events number without a gap."""
        outcome: dict[str, Any] = self.daemon.call("Agent.run", prompt=prompt, run_id=run_id)
        kinds = [event["type"] for event in self.daemon.events(run_id)]
        assert kinds.count("run.started") == kinds.count("run.finished") == 1
        assert [event["seq"] for event in self.daemon.events(run_id)] == list(range(1, len(kinds) + 1))
        return outcome


Begin = Callable[..., Any]


@contextmanager
def office(
    folder: Path, *turns: Any, pay_s: float = 0.0, look_s: float = 0.0, approval: str = "never", more: str = ""
) -> Iterator[Office]:
    book = folder / "till.txt"
    book.touch()
    config = HEAD + CONFIG.format(file=book, pay_s=pay_s, look_s=look_s, approval=approval) + more
    with running(folder, *turns, config=config) as daemon:
        yield Office(daemon, book)


def refusal(waiting: Future[Any]) -> dict[str, Any]:
    with pytest.raises(RpcFailed) as told:
        waiting.result(300)
    return told.value.error


def test_a_stop_in_mid_turn_tells_every_waiter_and_the_run_goes_on_after_the_start(tmp_path: Path) -> None:
    with office(tmp_path, SLOW) as here, ThreadPoolExecutor(5) as clients:

        def run() -> Any:
            return here.daemon.call("Agent.run", prompt="Halo", run_id="r1", session_id="s1")

        first = clients.submit(run)
        until_there(here.daemon, "r1")
        here.wait_until_asked("r1")
        others = [clients.submit(run) for _ in range(2)]
        followed = clients.submit(here.daemon.events, "r1")
        until(lambda: connections(here.daemon) == 4, "all four to be connected")
        time.sleep(0.3)  # until they wait too; nothing shows that from outside
        here.stop()
        for waiting in (first, *others):
            error = refusal(waiting)
            assert (error["code"], error["data"]["run_id"], error["data"]["session_id"]) == (-32016, "r1", "s1")
        seen = followed.result(300)
        assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
        here.daemon.script(final("Baik."))
        here.daemon.start()
        assert here.ended("r1")["response"] == "Baik."
        assert here.daemon.events("r1")[: len(seen)] == seen or here.daemon.events("r1", after=len(seen))
        here.is_quiet()


def connections(daemon: Daemon) -> int:
    """How many clients the daemon's port has now."""
    established = rf" 0100007F:{int(daemon.url.rpartition(':')[2]):04X} \w+:\w+ 01 "
    return len(re.findall(established, Path("/proc/net/tcp").read_text()))


def until_there(daemon: Daemon, run_id: str) -> None:
    def there() -> bool:
        with suppress(RpcFailed):
            return bool(daemon.call("Agent.get", run_id=run_id))
        return False

    until(there, f"the run {run_id}")


def test_a_call_with_effects_that_ends_soon_is_made_once(tmp_path: Path) -> None:
    with office(tmp_path, call("pay", amount=5), final("Lunas"), pay_s=1.0) as here:
        here.daemon.call("Agent.start", prompt="Halo", run_id="r1")
        here.wait_for("pay")
        here.stop()
        assert here.done("paid") == 1
        here.daemon.start()
        outcome = here.ended("r1")
        assert (outcome["response"], here.done("pay")) == ("Lunas", 1)
        assert [step["success"] for step in outcome["steps"]] == [True]
        here.is_quiet()


def test_a_call_with_effects_that_outlasts_the_stop_is_made_again_under_its_key(tmp_path: Path) -> None:
    with office(tmp_path, call("pay", amount=5), final("Lunas"), pay_s=12.0) as here:
        here.daemon.call("Agent.start", prompt="Halo", run_id="r1")
        here.wait_for("pay")
        here.stop()
        here.daemon.config.write_text(here.daemon.config.read_text().replace('pay_s = "12.0"', 'pay_s = "0.0"'))
        here.daemon.start()
        outcome = here.ended("r1")
        assert [step["success"] for step in outcome["steps"]] == [True]
        keys = [line.split()[1] for line in here.book.read_text().splitlines()]
        assert len(set(keys)) == 1
        here.is_quiet()


def test_a_call_without_effects_is_let_go_and_made_again(tmp_path: Path) -> None:
    with office(tmp_path, call("look"), final("Kosong"), look_s=600.0) as here, ThreadPoolExecutor(1) as client:
        here.daemon.call("Agent.start", prompt="Halo", run_id="r1")
        here.wait_for("look")
        direct = client.submit(here.daemon.call, "Tools.call", tool="look")
        here.wait_for("look", 2)
        here.stop()
        assert refusal(direct)["code"] == -32016
        with here.book.open("a") as book:
            book.write("seen\n")
        here.daemon.start()
        outcome = here.ended("r1")
        assert [step["success"] for step in outcome["steps"]] == [True]
        here.is_quiet()


def test_an_approval_goes_on_waiting_and_a_stop_after_the_yes_pays_once(tmp_path: Path) -> None:
    turns = (call("pay", amount=5), final("Lunas"))
    with office(tmp_path, *turns, pay_s=1.0, approval="staff") as here, ThreadPoolExecutor(1) as client:
        waiting = here.daemon.call("Agent.run", prompt="Halo", run_id="r1")
        assert waiting["status"] == "needs_approval"
        here.stop()
        here.daemon.start()
        approval = here.daemon.call("Agent.get", run_id="r1")["approval"]
        approving = client.submit(
            here.daemon.call, "Agent.approve", run_id="r1", approval_id=approval["approval_id"], approved=True
        )
        here.wait_for("pay")
        here.stop()
        error = refusal(approving)
        assert (error["code"], error["data"]["run_id"]) == (-32016, "r1")
        here.daemon.start()
        assert (here.ended("r1")["response"], here.done("pay"), here.done("paid")) == ("Lunas", 1, 1)


def test_a_second_sigterm_changes_nothing(tmp_path: Path) -> None:
    with office(tmp_path, call("pay", amount=5), final("Lunas"), pay_s=1.0) as here:
        here.daemon.call("Agent.start", prompt="Halo", run_id="r1")
        here.wait_for("pay")
        assert here.daemon.process is not None
        here.daemon.process.send_signal(signal.SIGTERM)
        here.stop()
        here.daemon.start()
        assert (here.ended("r1")["response"], here.done("pay")) == ("Lunas", 1)


def test_queued_runs_of_a_session_do_not_begin_while_it_stops(tmp_path: Path) -> None:
    with office(tmp_path, SLOW) as here:
        for number in range(4):
            here.daemon.call("Agent.start", prompt="Halo", run_id=f"r{number}", session_id="s")
        here.stop()
        here.daemon.script(final("Baik."))
        here.daemon.start()
        for number in range(4):
            assert here.ended(f"r{number}")["response"] == "Baik."
        here.is_quiet()


async def test_a_client_on_a_websocket_hears_it_before_the_socket_closes(tmp_path: Path) -> None:
    with office(tmp_path, SLOW) as here:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with aiohttp.ClientSession(headers=headers) as http, http.ws_connect(here.daemon.url + "/ws") as socket:
            for number in (1, 2):
                params = {"prompt": "Halo", "run_id": f"r{number}"}
                await socket.send_json({"jsonrpc": "2.0", "id": number, "method": "Agent.run", "params": params})
                await asyncio.to_thread(until_there, here.daemon, f"r{number}")
                await asyncio.to_thread(here.wait_until_asked, f"r{number}")
            stopping = threading.Thread(target=here.stop)
            stopping.start()
            told = {}
            async for message in socket:
                answer = json.loads(message.data)
                if "error" in answer:
                    told[answer["id"]] = answer["error"]
            stopping.join()
        assert {number: (error["code"], error["data"]["run_id"]) for number, error in told.items()} == {
            1: (-32016, "r1"),
            2: (-32016, "r2"),
        }


def test_a_stubborn_server_does_not_hold_the_stop_up(tmp_path: Path) -> None:
    path = BRIDGE_TESTS / "hostile" / "stubborn.py"
    more = server_entry("stubborn", path) + '[[tools]]\nname = "do"\nserver = "stubborn"\napproval = "never"\n'
    with office(tmp_path, SLOW, more=more) as here:
        here.daemon.call("Tools.call", tool="do", server="stubborn", input={})
        here.daemon.call("Agent.start", prompt="Halo", run_id="r1")
        here.stop()


def test_a_stop_while_servers_start_ends_the_process_at_once_and_them_with_it(tmp_path: Path) -> None:
    began = tmp_path / "began"
    program = f"import os, sys; open({str(began)!r}, 'w').write(f'{{os.getpid()}}.'); sys.stdin.read()"
    daemon = Daemon(tmp_path, [SLOW], HEAD + server_entry("mute", "-c", program))

    def stop(pid: int) -> None:
        until(lambda: began.exists() and began.read_text().endswith("."), "the server to begin")
        os.kill(pid, signal.SIGTERM)

    daemon.started = stop
    with pytest.raises(AssertionError, match="no ready line but ''"):
        daemon.start()
    assert daemon.process is not None and daemon.process.wait(300) == -signal.SIGTERM
    until(lambda: not Path("/proc", began.read_text()[:-1]).exists(), "the server's end")
