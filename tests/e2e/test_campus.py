"""The university's counter: an office by configuration alone, from greeting to letter in English, on a real daemon."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from agentd.config.shipped import PROFILES
from tests.daemon import Daemon, RpcFailed, call, final, running
from tests.e2e.register import person
from tests.e2e.test_true_letters import printed

SAID = {
    "name": "Maya Hartono",
    "student_number": "2106731402",
    "study_programme": "Computer Science",
    "semester": "5",
    "academic_year": "2026/2027",
    "purpose": "a scholarship",
}
WORDS = (
    "I need an active-student letter. My name is Maya Hartono, student number 2106731402, study programme Computer "
    "Science, semester 5, academic year 2026/2027. The purpose is a scholarship."
)
HOURS = "We are open Monday to Friday, 09:00 to 16:00, and closed on public holidays."


def office(folder: Path) -> str:
    """The shipped folder beside its client.toml, which asks a scripted model instead of its providers."""
    shutil.copytree(PROFILES / "campus", folder, dirs_exist_ok=True)
    before, _, after = (folder / "client.toml").read_text(encoding="utf-8").partition("[[providers]]")
    scripted = '[[providers]]\nid = "scripted"\ntype = "scripted"\nscript = "script.jsonl"\n\n[[servers]]'
    asked = re.sub(r"^default_provider = .*\nmodel = .*$", 'default_provider = "scripted"', before, flags=re.MULTILINE)
    return asked + scripted + after.partition("[[servers]]")[2]


def letters_of(daemon: Daemon) -> set[str]:
    return {tool["name"] for tool in daemon.call("Tools.list")["tools"] if tool["name"].startswith("generate_")}


def test_a_student_gets_a_letter_in_english_by_configuration_alone(tmp_path: Path) -> None:
    asks = call("get_letter_requirements", letter_type="active student letter")
    told = final("Please bring your student card and the receipt of this semester's tuition.")
    wants = call("generate_active_student_letter", **SAID)
    with running(tmp_path, final(HOURS), asks, told, wants, final("Done."), config=office(tmp_path)) as daemon:
        assert letters_of(daemon) == {"generate_active_student_letter", "generate_transcript_request"}
        with pytest.raises(RpcFailed, match=re.escape("Semester: write the number alone, such as 3 or 2,5.")):
            wrong = {"letter_type": "active_student_letter", "data": {**SAID, "semester": "the fifth"}}
            daemon.call("Tools.call", tool="preview_letter", input=wrong)
        student, officer = person(daemon, "screen", "kiosk"), person(daemon, "registrar", "staff")
        student.arrive()
        assert student.says("Good morning, what are your office hours?")["response"] == HOURS
        needed = student.says("What do I need for an active-student letter?")
        assert needed["steps"][0]["output"]["hours"] == "Monday to Friday, 09:00 to 16:00"
        assert "Student card" in needed["steps"][0]["message"] and "Fee: Free." in needed["steps"][0]["message"]
        asked = student.says(WORDS)
        assert (asked["status"], asked["approval"]["arguments"]) == ("needs_approval", SAID)
        waiting = student.says("yes")
        (request,) = officer.call("Request.list")["requests"]
        for each in request["requirements"]:
            officer.call("Request.check", request_id=request["request_id"], requirement=each["requirement"], seen=True)
        done = officer.approve(waiting)
        assert done["steps"][-1]["success"], done["steps"][-1]["message"]
        paper = printed(daemon, done)
        code = re.search(r"\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}\b", paper)
        assert code is not None
        verified = daemon.call("Tools.call", tool="verify_letter", input={"code": code[0]})
        assert "is genuine and valid." in verified["message"]
    assert (done["status"], done["steps"][-1]["success"]) == ("completed", True), done["steps"]
    assert re.fullmatch(
        r"Active-Student Letter number 001/ASL/.* is issued as PDF \(.*\.pdf\)\.", done["steps"][-1]["message"]
    )
    basis = "the statement of the student, with student card and receipt of this semester's tuition shown to an officer"
    for words in (
        *SAID.values(),
        "EXAMPLE UNIVERSITY",
        "Number: 001/ASL/",
        f"According to {basis}",
        "Scan and compare",
    ):
        assert words in paper, (words, paper)
    assert not re.search(r"\b(surat|nomor|berdasarkan|keterangan|asli|pindai)\b", paper, re.IGNORECASE)
