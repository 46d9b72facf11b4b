"""Prints a turn of the demonstration's conversation, an officer's approval, and the resulting letters."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

from lab.demo.daemon import AGENTD, Person, text_of
from lab.demo.screen import indented, say


def talk(person: Person, prompt: str, **more: Any) -> dict[str, Any]:
    """Run one turn, print it, and return the outcome."""
    print(f"\nperson  {prompt}", flush=True)
    began = time.monotonic()
    outcome: dict[str, Any] = person.call("Agent.run", prompt=prompt, session_id=person.session_id, **more)
    by = f"{outcome['provider']}/{outcome['model']}" if outcome["provider"] else "no model"
    print(f"agentd  {indented(outcome['response'], 8).strip()}   [{by}, {time.monotonic() - began:.1f} s]", flush=True)
    return outcome


def decide(officer: Person, person: Person, waiting: dict[str, Any]) -> None:
    """The officer checks off each requirement, then approves the person's only request."""
    (request,) = person.call("Request.list")["requests"]
    say(f"The officer: {request['queue_number']}, {request['level']}; saw the card, says yes")
    for one in request["requirements"]:
        print(f"   ☑ {one['requirement']}")
        officer.call("Request.check", request_id=request["request_id"], requirement=one["requirement"], seen=True)
    decided = {"run_id": waiting["run_id"], "approval_id": waiting["approval"]["approval_id"], "approved": True}
    outcome = officer.call("Agent.approve", **decided)
    print(f"   {outcome['response']}")
    if not outcome["artifacts"]:
        raise SystemExit("No letter was issued: the answer above says why.")


def show_letters(state: Path, number: int, config: Path) -> None:
    """Print the text of the newest letters and whether they are genuine."""
    for file in sorted(state.glob("letters/2*/*.pdf"), key=lambda file: file.stat().st_mtime)[-number:]:
        say(f"The letter: {file} ({file.stat().st_size} bytes)")
        print(indented(text_of(file)))
        subprocess.run([AGENTD, "letters", "--config", config, "verify", file, "--state", state], check=True)
