"""A request that is withdrawn, or whose session ends, while its letter is being made, on a real daemon."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agentd.audit import AuditTrail
from agentd.clock import SystemClock
from tests.daemon import Daemon, call, final, running
from tests.e2e.register import FORMS, WITH_OFFICERS, Person, arrived, person
from tests.waiting import until

WANTS = call("generate_surat_lambat", nama="Sari Wulandari", keperluan="melamar kerja")
ASKS = "Saya perlu surat lambat. Nama saya Sari Wulandari, untuk keperluan melamar kerja"


def withdraw(visitor: Person, request_id: str) -> None:
    assert visitor.refused("Request.cancel", request_id=request_id) == "conflict", "the letter is issued"


def leave(visitor: Person, _request_id: str) -> None:
    visitor.call("Session.delete", session_id=visitor.session_id)


@pytest.mark.parametrize("ending", [withdraw, leave])
def test_a_letter_that_was_being_made_is_ready_whatever_its_visitor_did_meanwhile(
    ending: Callable[[Person, str], None], tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    gate.touch()
    config = WITH_OFFICERS + FORMS + f'forms_gate = "{gate}"\n'
    with (
        running(tmp_path / "state", WANTS, final("Surat selesai."), config=config) as daemon,
        ThreadPoolExecutor() as pool,
    ):
        one, officer = arrived(daemon), person(daemon, "siti", "staff")
        one.says(ASKS)
        asked = one.says("ya")
        (request,) = officer.call("Request.list")["requests"]
        approving = pool.submit(officer.approve, asked)
        until(gate.with_suffix(".begun").exists, "the letter is being made")
        ended = pool.submit(ending, one, request["request_id"])
        until(lambda: stopped(daemon, asked["run_id"]), "the run is stopped")
        gate.unlink()
        ended.result()
        assert approving.result()["steps"][0]["success"]
        (request,) = officer.call("Request.list")["requests"]
        assert (request["status"], request["letter"]) == ("ready", "001/SL/2026")
        entries = AuditTrail(daemon.state, SystemClock()).entries()
        recorded = [entry.action for entry in entries if entry.subject == request["request_id"]]
        assert recorded == (["request.cancelled", "request.overtaken"] if ending is withdraw else [])


def stopped(daemon: Daemon, run_id: str) -> bool:
    return bool(daemon.call("Agent.get", run_id=run_id)["status"] == "cancelled")
