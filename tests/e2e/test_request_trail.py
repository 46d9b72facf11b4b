"""What the audit trail of a real daemon holds of a request: what was done with it, recorded before it was done."""

from __future__ import annotations

from pathlib import Path

from agentd.audit import AuditTrail
from agentd.clock import SystemClock
from tests.daemon import call, final, running
from tests.e2e.register import arrived, person
from tests.e2e.test_requests import CONFIG, KTP, SAID, WORDS, request_of


def test_the_trail_of_a_request_has_what_was_done_and_nothing_else(tmp_path: Path) -> None:
    with running(tmp_path, call("generate_surat_alamat", **SAID), final("Selesai."), config=CONFIG) as daemon:
        officer, visitor = person(daemon, "siti", "staff"), arrived(daemon)
        visitor.says(WORDS)
        visitor.says("ya")
        (withdrawn,) = officer.call("Request.list")["requests"]
        for _ in range(2):
            visitor.call("Request.cancel", request_id=withdrawn["request_id"])
        visitor.arrive()
        visitor.says(WORDS)
        waiting = visitor.says("ya")
        ids = {"request_id": request_of(officer, waiting["run_id"])["request_id"]}
        assert officer.refused("Request.check", request_id="none", requirement=KTP, seen=True) == "not_found"
        assert officer.refused("Request.check", **ids, requirement="SIM", seen=True) == "invalid_params"
        officer.call("Request.check", **ids, requirement=KTP, seen=True)
        officer.approve(waiting)
        trail = daemon.state / "audit.jsonl"
        aside = trail.rename(daemon.state / "aside")
        trail.mkdir()
        assert officer.refused("Request.hand_over", **ids) == "busy", "what can't be recorded is not done"
        trail.rmdir()
        aside.rename(trail)
        for _ in range(2):
            assert officer.call("Request.hand_over", **ids)["status"] == "fetched"
        entries = AuditTrail(daemon.state, SystemClock()).entries()
        acts = [(entry.action, entry.subject) for entry in entries if entry.action.startswith("request.")]
        assert acts == [
            ("request.cancelled", withdrawn["request_id"]),
            ("request.checked", ids["request_id"]),
            ("request.handed_over", ids["request_id"]),
        ]
