"""A run that the daemon dies at again and again is given up, and its office sees which (issue 15)."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from agentd.audit import AuditTrail
from agentd.clock import SystemClock
from tests import warm
from tests.daemon import HEAD, SERVERS, TOKEN, Daemon, RpcFailed, running

ENDLESS = '{"text": "", "after_ms": 600000}'


def reached(daemon: Daemon, run_id: str) -> None:
    """The run is in its step."""
    with daemon.request(f"/events?run_id={run_id}") as events:
        next(line for line in events if b"model.started" in line)


def test_a_run_at_which_the_daemon_died_twice_is_parked_and_named_to_its_office(tmp_path: Path) -> None:
    with running(tmp_path, ENDLESS, config=HEAD + SERVERS["time"]) as daemon:
        daemon.call("Agent.start", prompt="Halo", run_id="deadly", session_id="s1")
        for end in (signal.SIGTERM, signal.SIGKILL, signal.SIGKILL):
            reached(daemon, "deadly")
            daemon.kill(end)
            daemon.start()
        try:
            daemon.call("Agent.run", prompt="Halo", run_id="deadly", session_id="s1")
            raise AssertionError("it was not parked")
        except RpcFailed as refused:
            assert refused.type == "internal"
            assert refused.error["data"]["parked"]
            assert "Petugas sudah diberi tahu" in refused.error["data"]["user_message"]
        [listed] = daemon.call("Agent.list", parked=True)["runs"]
        assert (listed["run_id"], listed["status"], listed["parked"]) == ("deadly", "failed", True)
        assert [event["type"] for event in daemon.events("deadly")] == ["run.started", "run.finished"]
        [recorded] = [
            entry for entry in AuditTrail(daemon.state, SystemClock()).entries() if entry.action == "run.parked"
        ]
        assert (recorded.actor, recorded.subject) == ("recovery", "deadly")
        shown = subprocess.run(
            [
                warm.command(),
                "top",
                "--once",
                "--config",
                daemon.config,
                "--listen",
                daemon.url.removeprefix("http://"),
            ],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "AGENTD_TOKEN": TOKEN, "COLUMNS": "160"},
        ).stdout
        assert "parked deadly" in shown
