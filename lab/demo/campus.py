"""`make demo OFFICE=campus`: a student at a university's counter, in English, from a greeting to a letter on disk.

The office is the shipped folder, the model the embedded one.
"""

from __future__ import annotations

import os
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


def show(state: Path) -> None:
    """Show a question about hours, a letter, and the officer's approval."""
    config = PROFILES / "campus" / "client.toml"
    say("The embedded model (fetched once, checked by sha256)")
    subprocess.run([AGENTD, "models", "pull"], check=True)
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
