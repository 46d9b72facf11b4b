"""`make demo OFFICE=campus`: a student at a university's counter, in English, from a greeting to a letter on disk.

The office is the shipped folder and the model the embedded one; a machine that can't run it uses a script instead.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from agentd.config.shipped import PROFILES
from lab.demo.daemon import AGENTD, Person, daemon, token
from lab.demo.screen import say
from lab.demo.talk import decide, show_letters, talk

HOURS = "What are your office hours?"
WISH = (
    "I need an active-student letter. My name is Maya Hartono, student number 2106731402, study programme Computer "
    "Science, semester 5, academic year 2026/2027. The purpose is a scholarship."
)
SCRIPT = (
    {"action": "final", "response": "We are open Monday to Friday, 09:00 to 16:00, and closed on public holidays."},
    {
        "action": "call_tool",
        "tool": "generate_active_student_letter",
        "input": {
            "name": "Maya Hartono",
            "student_number": "2106731402",
            "study_programme": "Computer Science",
            "semester": "5",
            "academic_year": "2026/2027",
            "purpose": "a scholarship",
        },
    },
    {"action": "final", "response": "Your letter is issued."},
)
"""The model's turns when it is a script."""
_PROVIDERS = re.compile(r"^\[\[providers\]\]\n.*?(?=^\[\[servers\]\])", re.MULTILINE | re.DOTALL)


def show(state: Path) -> None:
    """Show a question about hours, a letter, and the officer's approval."""
    config = PROFILES / "campus" / "client.toml"
    say("The embedded model (fetched once, checked by sha256)")
    if subprocess.run([AGENTD, "models", "pull"], check=False).returncode:
        say("No embedded model on this machine: a script says what a model would")
        config = scripted(state / "office")
    say("The daemon, with the university's office")
    screen, desk = token(state, f"kiosk-{os.getpid()}", "kiosk"), token(state, f"ana-{os.getpid()}", "staff")
    with daemon(state, config) as url:
        student, officer = Person(url, screen), Person(url, desk)
        student.arrive()
        talk(student, HOURS)
        if talk(student, WISH)["status"] != "needs_approval":
            raise SystemExit("No letter was asked for: the conversation above shows why.")
        decide(officer, student, talk(student, "yes"))
    show_letters(state, 1, config)


def scripted(folder: Path) -> Path:
    """Copy the office with a script instead of its models; return its client.toml."""
    shutil.copytree(PROFILES / "campus", folder)
    (folder / "script.jsonl").write_text("".join(f"{json.dumps(turn)}\n" for turn in SCRIPT), encoding="utf-8")
    config = folder / "client.toml"
    config.write_text(without_models(config.read_text(encoding="utf-8")), encoding="utf-8")
    return config


def without_models(text: str) -> str:
    """Replace all providers of a client.toml by one that reads script.jsonl."""
    script = '[[providers]]\nid = "scripted"\ntype = "scripted"\nscript = "script.jsonl"\n\n'
    asked = re.sub(r"^default_provider = .*\nmodel = .*$", 'default_provider = "scripted"', text, flags=re.MULTILINE)
    return _PROVIDERS.sub(script, asked)
