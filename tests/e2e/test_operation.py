"""The daemon as its operator meets it: reload, metrics, health, stop (issue: a service that can be operated)."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, call, final, running


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("operated")
    with running(folder, call("get_current_time"), final("Selamat siang"), config=HEAD + SERVERS["time"]) as started:
        yield started


def test_metrics_count_runs_tools_models_and_calls(daemon: Daemon) -> None:
    daemon.call("Agent.run", prompt="Halo")
    with daemon.request("/metrics") as response:
        text = response.read().decode()
    assert 'agentd_runs_total{kind="agent",status="completed"}' in text
    assert 'agentd_steps_total{server="time",success="true",tool="get_current_time"}' in text
    assert 'agentd_server_up{server="time"} 1.0' in text
    assert 'agentd_rpc_calls_total{code="0",method="Agent.run"}' in text


def test_health_names_servers_and_providers(daemon: Daemon) -> None:
    health = daemon.call("System.health")
    assert health["status"] == "ok"
    assert [(server["name"], server["state"]) for server in health["servers"]] == [("time", "up")]
    assert health["providers"][0]["id"] == "scripted"


def test_a_wrong_file_changes_nothing_and_says_why(daemon: Daemon) -> None:
    right = daemon.config.read_text()
    daemon.config.write_text(right + "\n[agnet]\n")
    with pytest.raises(RpcFailed) as refused:
        daemon.call("Config.reload")
    daemon.config.write_text(right)
    assert "did you mean `agent`?" in json.dumps(refused.value.error["data"]["problems"])
    assert daemon.call("Agent.run", prompt="Halo")["status"] == "completed"


def test_a_reload_adds_and_removes_servers_and_leaves_the_others_running(daemon: Daemon) -> None:
    before = daemon.call("Tools.call", tool="get_current_time")
    right = daemon.config.read_text()
    daemon.config.write_text(right + SERVERS["certificate"])
    changes = daemon.call("Config.reload")
    assert changes["servers"] == {"added": ["certificate"], "removed": [], "changed": []}
    states = {server["name"] for server in daemon.call("Tools.list")["servers"]}
    assert states == {"time", "certificate"}
    daemon.config.write_text(right)
    assert daemon.call("Config.reload")["servers"]["removed"] == ["certificate"]
    assert before["success"]
    assert daemon.call("System.health")["servers"][0]["restarts"] == 0


def test_a_stop_ends_cleanly_and_the_state_is_readable_by_the_next(tmp_path: Path) -> None:
    with running(tmp_path, final("Halo"), config=HEAD + SERVERS["time"]) as first:
        run_id = first.call("Agent.run", prompt="Halo")["run_id"]
        assert first.kill(signal.SIGTERM) == 0
        first.start()
        assert first.call("Agent.get", run_id=run_id)["response"] == "Halo"
