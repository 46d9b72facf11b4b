"""The daemon as its operator meets it: reload, metrics, health, stop (issue: a service that can be operated)."""

from __future__ import annotations

import http.client
import json
import resource
import signal
import subprocess
from pathlib import Path

import pytest

from clients.top import usage
from tests import warm
from tests.daemon import AGENTD, HEAD, SERVERS, TOKEN, Daemon, RpcFailed, call, final, one_daemon, running
from tests.e2e.test_main_job import LETTER, WORDS
from tests.waiting import until

daemon = one_daemon(call("get_current_time"), final("Selamat siang"), config=HEAD + SERVERS["time"])


def of_metrics(daemon: Daemon) -> str:
    with daemon.request("/metrics") as response:
        return str(response.read().decode())


def test_metrics_count_runs_tools_models_and_calls(daemon: Daemon) -> None:
    daemon.call("Agent.run", prompt="Halo")
    text = of_metrics(daemon)
    assert 'agentd_runs_total{kind="agent",status="completed"}' in text
    assert 'agentd_steps_total{server="time",success="true",tool="get_current_time"}' in text
    assert 'agentd_server_up{server="time"} 1.0' in text
    assert 'agentd_rpc_calls_total{code="0",method="Agent.run"}' in text
    assert usage(text)[0][-1] == "unknown", "no price, no cost"


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
    data = refused.value.error["data"]
    assert "did you mean `agent`?" in json.dumps(data["problems"])
    assert (data["type"], data["user_message"]) == ("invalid_params", "Konfigurasi keliru; tidak ada yang diubah.")
    assert str(daemon.config.parent) not in json.dumps(refused.value.error), "no path of this machine is told"
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


def test_a_server_is_visible_once_its_lines_are_saved_and_a_mistake_changes_nothing(tmp_path: Path) -> None:
    """Issue 21: three lines, and nobody has to say that they are there."""
    daemon = Daemon(tmp_path, [final("Halo")], HEAD + SERVERS["time"])
    daemon.words = ("--watch",)
    log = tmp_path / "stderr.log"
    try:
        right = daemon.start().config.read_text()
        daemon.config.write_text(right + "[agnet]\n")
        until(lambda: "config.refused" in log.read_text(), "the refusal in the log")
        assert servers_of(daemon) == {"time"}
        saved = tmp_path / "saved"  # as editors do: another file, put in its place
        saved.write_text(right + SERVERS["certificate"])
        saved.replace(daemon.config)
        until(lambda: servers_of(daemon) == {"time", "certificate"}, "the new server")
        until(lambda: "list_letters" in {tool["name"] for tool in daemon.call("Tools.list")["tools"]}, "its tools")
        assert daemon.call("Tools.call", tool="list_letters")["success"]
    finally:
        daemon.kill(signal.SIGTERM)


def servers_of(daemon: Daemon) -> set[str]:
    return {server["name"] for server in daemon.call("Tools.list")["servers"]}


def test_a_stop_ends_cleanly_and_the_state_is_readable_by_the_next(tmp_path: Path) -> None:
    priced = HEAD.replace(
        'type = "scripted"', 'type = "scripted"\nprice = { currency = "USD", input = 1e6, output = 0 }'
    )
    with running(tmp_path, final("Halo"), config=priced + SERVERS["time"]) as first:
        run = first.call("Agent.run", prompt="Halo")
        read = run["usage"]["input_tokens"]
        [before] = usage(of_metrics(first))
        assert before[1:] == ("scripted/scripted", "1", f"{read}/{run['usage']['output_tokens']}", f"USD {read:.4f}")
        assert first.kill(signal.SIGTERM) == 0
        first.start()
        assert first.call("Agent.get", run_id=run["run_id"])["response"] == "Halo"
        assert usage(of_metrics(first)) == [before], "what was used stays"
        first.call("Agent.run", prompt="Halo")
        assert usage(of_metrics(first))[0][2] == "2"


def test_without_a_free_descriptor_an_error_is_still_said_in_words(tmp_path: Path) -> None:
    with running(tmp_path, final("Halo"), config=HEAD) as daemon:
        line = http.client.HTTPConnection(daemon.url.removeprefix("http://"))

        def asked() -> tuple[int, bytes]:
            body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "Agent.get", "params": {"run_id": "none"}})
            line.request("POST", "/rpc", body, {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
            with line.getresponse() as response:
                return response.status, response.read()

        line.request("GET", "/healthz")
        line.getresponse().read()
        assert daemon.process is not None
        pid, before = daemon.process.pid, resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()), before[1]))
        status, body = asked()
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        assert (status, json.loads(body)["error"]["data"]["type"]) == (200, "not_found")


def test_a_second_daemon_leaves_the_folder_of_a_running_one_alone(daemon: Daemon) -> None:
    words = ["--config", daemon.config, "--state", daemon.state, "--listen", "127.0.0.1:0"]
    for command in (["serve"], ["ask", "Halo"]):
        second = subprocess.run([warm.command(), *command, *words], capture_output=True, text=True, timeout=300)
        assert (second.returncode, second.stdout) == (1, "")
        assert f"state folder {daemon.state}: another daemon works in it" in second.stderr
    assert daemon.call("Agent.run", prompt="Jam berapa?")["status"] == "completed"


def test_a_letter_is_issued_without_standard_error_a_known_time_zone_or_a_service_manager(tmp_path: Path) -> None:
    rule = f'[[tools]]\nname = "{LETTER["tool"]}"\nserver = "certificate"\napproval = "never"\n'
    poor = {"TZ": "Nowhere/Else", "NOTIFY_SOCKET": str(tmp_path / "gone"), "WATCHDOG_USEC": "2000000"}
    daemon = Daemon(tmp_path, [LETTER, final("Baik.")], HEAD + SERVERS["certificate"] + rule, poor)
    daemon.program = tmp_path / "closed"
    daemon.program.write_text(f'#!/bin/sh\nexec {AGENTD} "$@" 2>&-\n')
    daemon.program.chmod(0o700)
    daemon.start()
    try:
        assert daemon.call("Agent.run", prompt=WORDS)["artifacts"]
    finally:
        assert daemon.kill(signal.SIGTERM) == 0


@pytest.mark.cold
def test_a_file_of_the_working_folder_is_no_module_of_a_server_or_of_a_servers_command(tmp_path: Path) -> None:
    here = tmp_path / "downloads"
    (here / "servers").mkdir(parents=True)
    for name in ("json", "mcp", "servers/__init__"):
        (here / f"{name}.py").write_text("raise SystemExit('a stranger was imported')\n")
    daemon = Daemon(tmp_path, [final("Halo")], HEAD + SERVERS["certificate"]).start(cwd=here)
    try:
        assert [one["state"] for one in daemon.call("Tools.list")["servers"]] == ["up"]
    finally:
        daemon.kill(signal.SIGTERM)
    words = [AGENTD, "letters", "list", "--config", daemon.config, "--state", daemon.state]
    listed = subprocess.run(words, cwd=here, capture_output=True, text=True, check=False)
    assert (listed.returncode, "stranger" in listed.stderr) == (0, False)
