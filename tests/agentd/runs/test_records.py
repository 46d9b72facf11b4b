"""The JSON columns of older state folders: read whole, and written again with the same keys."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.runs.records import Decision, PendingApproval, RunBrief

AGREED = {"by": "siti", "at": "2026-01-05T02:00:00.000+00:00"}
BRIEF = {
    "options": {"provider": "llamacpp"},
    "language": "en",
    "spoken": "fr",
    "caller": {"id": "kiosk-1", "scopes": ["kiosk"]},
    "deadline_s": 60.0,
    "told": {"start": ["a"], "added": [], "before": ["b"], "named": []},
    "decisions": [{"approval_id": "a1", "approved": True}],
}
APPROVAL = {
    "approval_id": "a1",
    "tool": "make_letter",
    "arguments": {"nik": "3276"},
    "summary": "?",
    "rule": "staff",
    "four_eyes": True,
    "identity": ["nik"],
    "expires_at": "2026-01-05T02:15:00.000+00:00",
}


def test_a_brief_is_written_as_it_was_read() -> None:
    written = RunBrief.read(BRIEF).json()
    caller = written.pop("caller")
    assert written == {key: value for key, value in BRIEF.items() if key != "caller"}
    assert caller.items() >= {"id": "kiosk-1", "scopes": ["kiosk"]}.items()


@pytest.mark.parametrize("brief", [{}, {"answers": "r1"}, {"options": {}, "told": None}])
def test_a_brief_with_less_in_it_has_a_caller_for_none_and_every_tool(brief: dict[str, Any]) -> None:
    read = RunBrief.read(brief)
    assert (read.caller, read.prompt_tools, read.language, read.answers) == (None, None, "id", brief.get("answers"))


@pytest.mark.parametrize("more", [{}, {"proposed": {"nik": "1"}, "approvals": [AGREED]}])
def test_an_approval_is_written_as_it_was_read_and_shows_no_rules(more: dict[str, Any]) -> None:
    approval = PendingApproval.read({**APPROVAL, **more})
    assert approval.json() == {**APPROVAL, **more}
    assert approval.json().keys() - approval.shown().keys() == {"rule", "four_eyes", "identity"}


def test_a_decision_is_written_as_it_was_read() -> None:
    stored = {"approval_id": "a1", "approved": True, "by": "siti", "at": AGREED["at"], "changed": True}
    stored |= {"approvals": [AGREED], "arguments": {"nik": "3276"}, "proposed": {"nik": "1"}}
    decision = Decision.read(stored)
    assert decision is not None
    assert decision.json() == stored
