"""Part of the drill: a run kills the daemon repeatedly, so that every start would end in it."""

from __future__ import annotations

from pathlib import Path

from agentd.audit import AuditTrail
from agentd.clock import SystemClock
from lab.drill.attacks import Attack
from tests.daemon import HEAD, SERVERS, RpcFailed, running
from tests.e2e.test_parked import ENDLESS, reached

DEATHS = 2
RUN = "deadly"


def deadly(folder: Path) -> list[Attack]:
    """Kill the daemon with -9 whenever the run is in its step; the next start must park the run and report it."""
    with running(folder, ENDLESS, config=HEAD + SERVERS["time"]) as daemon:
        daemon.call("Agent.start", prompt="Halo", run_id=RUN, session_id="s1")
        for _ in range(DEATHS):
            reached(daemon, RUN)
            daemon.kill()
            daemon.start()
        try:
            heard = daemon.call("Agent.run", prompt="Halo", run_id=RUN, session_id="s1")["status"]
        except RpcFailed as refused:  # answered after recovery has decided about the run
            heard = "parked" if refused.error["data"].get("parked") else refused.type
        parked = [run["run_id"] for run in daemon.call("Agent.list", parked=True)["runs"]]
        named = [one.subject for one in AuditTrail(daemon.state, SystemClock()).entries() if one.action == "run.parked"]
    lost = int(heard != "parked") + int(parked != [RUN]) + int(named != [RUN])
    return [Attack("a run at which the daemon dies", DEATHS, f"{heard}, named to the office", lost)]
