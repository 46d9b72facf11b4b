"""Three daemons share one PostgreSQL: one is killed under load, and every run ends exactly once."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, call, final, running
from tests.e2e.till import CONFIG
from tests.postgresql import postgresql
from tests.waiting import until

SHARED = '\n[store]\nurl = "{url}"\nnode = "{node}"\nlease_s = {lease_s}\nconcurrency = 8\n'
TURNS = (
    call("get_current_time"),
    {"text": '{"action":"final","response":"Baik."}', "after_ms": 150},
    final("Baik."),
)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Daemon]]:
    with postgresql() as url:
        daemons: list[Daemon] = []
        for number in range(3):
            folder = tmp_path_factory.mktemp(f"node{number}")
            config = HEAD + SERVERS["time"] + SHARED.format(url=url, node=f"node{number}", lease_s=1.5)
            daemons.append(Daemon(folder, TURNS, config).start())
        yield daemons
        for daemon in daemons:
            if daemon.process is not None and daemon.process.poll() is None:
                daemon.kill()


def test_every_run_ends_once_while_a_node_is_killed_under_load(nodes: list[Daemon]) -> None:
    ids = [f"run-{number}" for number in range(36)]
    for number, run_id in enumerate(ids):
        nodes[number % 3].call("Agent.start", prompt="Halo", run_id=run_id, session_id=f"s{number % 12}")
    nodes[2].kill()
    with ThreadPoolExecutor(6) as several:
        ended = list(several.map(lambda run_id: nodes[0].call("Agent.run", prompt="Halo", run_id=run_id), ids))
    assert [outcome["status"] for outcome in ended] == ["completed"] * len(ids)
    assert {outcome["response"] for outcome in ended} == {"Baik."}
    for run_id in ids:
        kinds = [event["type"] for event in nodes[1].events(run_id)]
        assert kinds.count("run.started") == kinds.count("run.finished") == 1
    for number in range(12):
        history = nodes[1].call("Session.get", session_id=f"s{number}")["history"]
        assert [turn["run_id"] for turn in history] == [f"run-{turn}" for turn in range(number, 36, 12)]


def test_a_run_is_followed_and_cancelled_through_another_node(nodes: list[Daemon]) -> None:
    slow = {"text": '{"action":"final","response":"x"}', "after_ms": 600_000}
    for node in nodes[:2]:
        node.script(slow)
        node.call("Config.reload")
        node.kill()
        node.start()
    nodes[0].call("Agent.start", prompt="Halo", run_id="slow", session_id="slow")
    for node in nodes[:2]:
        assert node.call("Agent.get", run_id="slow")["status"] in ("queued", "running")
    assert nodes[1].call("Agent.cancel", run_id="slow")["status"] == "cancelled"
    with pytest.raises(RpcFailed, match="conflict:"):
        nodes[0].call("Agent.cancel", run_id="slow")
    assert nodes[0].events("slow")[-1]["data"]["status"] == "cancelled"


def test_a_shared_queue_with_a_local_register_of_letters_does_not_start(tmp_path: Path) -> None:
    config = HEAD + SERVERS["certificate"] + SHARED.format(url="postgresql://x/y", node="n", lease_s=1.5)
    with pytest.raises(AssertionError, match="set letters_url"):
        Daemon(tmp_path, [final("x")], config).start()


@pytest.fixture(scope="module")
def shared() -> Iterator[str]:
    with postgresql() as url:
        yield url


@contextmanager
def teller(
    folder: Path, url: str, book: Path, *turns: Any, pay_s: float = 0.0, ahead_s: float = 0.0, lease_s: float = 1.5
) -> Iterator[Daemon]:
    """A node with the till, whose clock is so far ahead of the machine's."""
    folder.mkdir()
    config = (
        HEAD
        + CONFIG.format(file=book, pay_s=pay_s, look_s="0", approval="never")
        + SHARED.format(url=url, node=folder.name, lease_s=lease_s)
    )
    clock = f"{(datetime.now(UTC) + timedelta(seconds=ahead_s)).isoformat()}+@{time.monotonic()}"
    with running(folder, *turns, config=config, env={"AGENTD_CLOCK": clock} if ahead_s else {}) as daemon:
        yield daemon


@pytest.mark.parametrize("ahead_s", [120.0, -120.0])
def test_a_node_with_another_clock_takes_over_no_run_of_a_live_one(shared: str, tmp_path: Path, ahead_s: float) -> None:
    book, turns = tmp_path / "till.txt", (call("pay", amount=5), final("Lunas"))
    book.touch()
    ids = [f"skew{ahead_s:.0f}-{number}" for number in range(4)]
    held = {"pay_s": 4.0, "lease_s": 9.0}  # each looks at the other's lease while it pays; a busy machine keeps its own
    with (
        teller(tmp_path / "right", shared, book, *turns, **held) as right,
        teller(tmp_path / "skewed", shared, book, *turns, **held, ahead_s=ahead_s) as skewed,
    ):
        for run_id in ids:
            right.call("Agent.start", prompt="Halo", run_id=run_id)
        ended = [right.call("Agent.run", prompt="Halo", run_id=run_id) for run_id in ids]
        assert {outcome["response"] for outcome in ended} == {"Lunas"}
        assert abs(skewed.call("System.health")["cluster"]["clock_skew_s"] - ahead_s) < 30
        assert abs(right.call("System.health")["cluster"]["clock_skew_s"]) < 30
        assert "cluster.clock_skew" in (skewed.folder / "stderr.log").read_text()
    assert sum(line.startswith("pay ") for line in book.read_text().splitlines()) == len(ids)


def test_a_frozen_node_whose_run_was_taken_over_pays_nothing_when_it_wakes(shared: str, tmp_path: Path) -> None:
    book = tmp_path / "till.txt"
    book.touch()
    slow = {"text": json.dumps(call("pay", amount=5)), "after_ms": 3000}
    with (
        teller(tmp_path / "one", shared, book, slow, final("Lunas")) as one,
        teller(tmp_path / "two", shared, book, slow, final("Lunas")) as two,
    ):
        one.call("Agent.start", prompt="Halo", run_id="frozen")
        frozen, other = (one, two) if _node_of(shared, "frozen") == "one" else (two, one)
        assert frozen.process is not None
        frozen.process.send_signal(signal.SIGSTOP)
        try:
            assert other.call("Agent.run", prompt="Halo", run_id="frozen")["response"] == "Lunas"
        finally:
            frozen.process.send_signal(signal.SIGCONT)
        log = frozen.folder / "stderr.log"
        until(lambda: "run.taken_over" in log.read_text(), "the frozen node's word of what was taken over")
        assert frozen.call("Agent.get", run_id="frozen")["status"] == "completed"
    assert [line.split()[0] for line in book.read_text().splitlines()] == ["pay", "paid"]


def _node_of(url: str, run_id: str) -> str:
    """The node that works on it, once there is one."""

    def node() -> str:
        with psycopg.connect(url) as db:
            row = db.execute("SELECT node FROM agentd_runs WHERE run_id = %s", (run_id,)).fetchone()
        return str((row and row[0]) or "").partition("#")[0]

    return until(node, f"a node that takes the run {run_id}")
