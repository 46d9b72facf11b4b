"""Four eyes through a real daemon with two officers: what one of them alone can't issue."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests import warm
from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, final, running
from tests.e2e.register import Person, person
from tests.e2e.test_main_job import LETTER, WORDS

TOOL = LETTER["tool"]
STAFF_RULE = f"""
[[tools]]
name = "{TOOL}"
server = "certificate"
approval = "staff"
"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Daemon, Person, Person]]:
    config = HEAD + SERVERS["certificate"] + STAFF_RULE
    with running(tmp_path_factory.mktemp("eyes"), LETTER, final("Selesai."), config=config) as daemon:
        yield daemon, person(daemon, "siti", "staff"), person(daemon, "rina", "staff")


def letters(daemon: Daemon) -> int:
    return len(list(daemon.state.glob("letters/2*/*.pdf")))


def audited(daemon: Daemon, run_id: str) -> list[dict[str, Any]]:
    """The audit trail's entries about a run's approval."""
    words = ("audit", "--action", "approval", "--subject", run_id, "--json", "--state", daemon.state)
    told = subprocess.run([warm.command(), *words], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in told.splitlines()]


def test_an_officers_slip_is_said_and_the_request_goes_on(office: tuple[Daemon, Person, Person]) -> None:
    daemon, siti, rina = office
    asked = daemon.call("Agent.run", prompt=WORDS, session_id="salah ketik")
    right = asked["approval"]["arguments"]
    with pytest.raises(RpcFailed) as slip:
        siti.approve(asked, arguments={**right, "rt": "9999"})
    assert slip.value.type == "invalid_params"
    assert "RT: tulis satu nomor" in slip.value.error["data"]["user_message"]
    assert daemon.call("Agent.get", run_id=asked["run_id"])["approval"] == asked["approval"]
    assert rina.approve(asked, arguments={**right, "rt": "12"})["steps"][-1]["success"]


def test_another_name_at_approval_needs_a_second_officer(office: tuple[Daemon, Person, Person]) -> None:
    daemon, siti, rina = office
    before = letters(daemon)
    asked = daemon.call("Agent.run", prompt=WORDS, session_id="nama")
    changed = {**asked["approval"]["arguments"], "nama": "Budi Hartono"}
    waiting = siti.approve(asked, arguments=changed)
    approval = waiting["approval"]
    assert (waiting["status"], letters(daemon)) == ("needs_approval", before)
    assert approval["approval_id"] != asked["approval"]["approval_id"]
    assert (approval["arguments"], approval["proposed"]) == (changed, asked["approval"]["arguments"])
    assert [agreement["by"] for agreement in approval["approvals"]] == ["siti"]
    assert "Jawab “ya”" not in asked["response"] + waiting["response"]
    assert "Petugas memeriksa" in asked["response"] and "Petugas memeriksa" in waiting["response"]
    assert "Budi Hartono" in waiting["response"] and "Budi Santoso" not in waiting["response"]

    with pytest.raises(RpcFailed, match="another officer must agree") as twice:
        siti.approve(waiting)
    assert twice.value.type == "forbidden"
    with pytest.raises(RpcFailed, match="conflict:"):  # nobody agrees to what they have not seen
        rina.approve(asked)

    (seen,) = rina.call("Agent.list", status="needs_approval")["runs"]
    assert seen["approval"]["approvals"] == approval["approvals"]
    issued = rina.approve(waiting)
    assert (issued["status"], issued["steps"][0]["input"]["nama"], letters(daemon)) == (
        "completed",
        "Budi Hartono",
        before + 1,
    )
    entries = audited(daemon, asked["run_id"])
    assert [(entry["action"], entry["actor"], entry["facts"]["changed"]) for entry in entries] == [
        ("approval.agreed", "siti", ["nama"]),
        ("approval.approved", "rina", []),
    ]
    assert "Hartono" not in str(entries)


def test_of_two_decisions_at_one_instant_the_trail_says_which_was_overtaken(
    office: tuple[Daemon, Person, Person],
) -> None:
    daemon, siti, rina = office
    asked = daemon.call("Agent.run", prompt=WORDS, session_id="serentak")
    changed = {**asked["approval"]["arguments"], "rt": "014"}

    with ThreadPoolExecutor(2) as both:
        done = [both.submit(siti.approve, asked), both.submit(rina.approve, asked, arguments=changed)]
    first, second = (one.exception() for one in done)
    assert (first is None) != (second is None), "one of them decides"
    actors = Counter(e["actor"] for e in audited(daemon, asked["run_id"]) if e["action"] == "approval.approved")
    actors.subtract(e["actor"] for e in audited(daemon, asked["run_id"]) if e["action"] == "approval.overtaken")
    assert +actors == {"siti" if first is None else "rina": 1}


def test_an_officers_own_call_needs_another_officer(office: tuple[Daemon, Person, Person]) -> None:
    daemon, siti, rina = office
    before = letters(daemon)
    arguments = {**LETTER["input"], "keperluan": "Membuka rekening"}
    waiting = siti.call("Tools.call", tool=TOOL, input=arguments)["output"]
    again = siti.approve(waiting)
    assert (again["status"], letters(daemon)) == ("needs_approval", before)
    with pytest.raises(RpcFailed, match="forbidden:"):
        siti.approve(again)
    assert rina.approve(again)["status"] == "completed"
    assert letters(daemon) == before + 1

    own = siti.call("Agent.run", prompt=WORDS, session_id="sendiri")
    assert siti.call("Agent.run", prompt="ya", session_id="sendiri")["status"] == "needs_approval"
    (seen,) = rina.call("Agent.list", status="needs_approval")["runs"]
    assert rina.approve(seen)["run_id"] == own["run_id"]


def test_one_officer_is_enough_for_what_a_citizen_asked_and_for_an_address(
    office: tuple[Daemon, Person, Person],
) -> None:
    daemon, siti, _ = office
    asked = daemon.call("Agent.run", prompt=WORDS, session_id="biasa")
    issued = siti.approve(asked, arguments={**asked["approval"]["arguments"], "alamat_domisili": "Jl. Mawar No. 5"})
    assert (issued["status"], issued["approval"]) == ("completed", None)


def test_an_office_of_one_officer_may_switch_it_off(tmp_path: Path) -> None:
    config = HEAD + SERVERS["certificate"] + STAFF_RULE + "four_eyes = false\n"
    with running(tmp_path, LETTER, final("Selesai."), config=config) as daemon:
        waiting = daemon.call("Agent.run", prompt=WORDS, session_id="s")
        changed = {**waiting["approval"]["arguments"], "nama": "Budi Hartono"}
        assert daemon.approve(waiting, arguments=changed)["status"] == "completed"
