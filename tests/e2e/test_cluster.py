"""Three daemons share one PostgreSQL: one is killed under load, and every run ends exactly once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, call, final
from tests.postgresql import postgresql

SHARED = '\n[store]\nurl = "{url}"\nnode = "{node}"\nlease_s = 1.5\nconcurrency = 8\n'
TURNS = (
    call("get_current_time"),
    {"text": '{"action":"final","response":"Selesai"}', "after_ms": 150},
    final("Selesai"),
)


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Daemon]]:
    with postgresql() as url:
        daemons: list[Daemon] = []
        for number in range(3):
            folder = tmp_path_factory.mktemp(f"node{number}")
            config = HEAD + SERVERS["time"] + SHARED.format(url=url, node=f"node{number}")
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
    assert {outcome["response"] for outcome in ended} == {"Selesai"}
    for run_id in ids:
        kinds = [event["type"] for event in nodes[1].events(run_id)]
        assert kinds.count("run.started") == kinds.count("run.finished") == 1
    for number in range(12):
        history = nodes[1].call("Session.get", session_id=f"s{number}")["history"]
        assert [turn["run_id"] for turn in history] == [f"run-{turn}" for turn in range(number, 36, 12)]


def test_a_run_is_followed_and_cancelled_through_another_node(nodes: list[Daemon]) -> None:
    slow = {"text": '{"action":"final","response":"x"}', "after_ms": 20_000}
    for node in nodes[:2]:
        node.script(slow)
        node.call("Config.reload")
        node.kill()
        node.start()
    nodes[0].call("Agent.start", prompt="Halo", run_id="slow", session_id="slow")
    for node in nodes[:2]:
        assert node.call("Agent.get", run_id="slow")["status"] in ("queued", "running")
    assert nodes[1].call("Agent.cancel", run_id="slow")["status"] == "cancelled"
    with pytest.raises(RpcFailed) as twice:
        nodes[0].call("Agent.cancel", run_id="slow")
    assert twice.value.type == "conflict"
    assert nodes[0].events("slow")[-1]["data"]["status"] == "cancelled"


def test_a_shared_queue_with_a_local_register_of_letters_does_not_start(tmp_path: Path) -> None:
    config = HEAD + SERVERS["certificate"] + SHARED.format(url="postgresql://x/y", node="n")
    with pytest.raises(AssertionError, match="set letters_url"):
        Daemon(tmp_path, [final("x")], config).start()
