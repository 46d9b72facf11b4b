"""The rubric for an opening: the right tool or none, the required text, nothing invented. It asks nobody."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from agentd.agent.language import detect
from agentd.messages import AgentStep

FILE = Path(__file__).with_name("openings.toml")
MOST_TURNS, MOST_READ = 2, 500
REQUIREMENTS, TIME = "get_letter_requirements", "get_current_time"
_RUBRIC = tomllib.loads(FILE.with_name("rubric.toml").read_text(encoding="utf-8"))
_NUMBER = re.compile(r"\d{2,}")


class Opening(BaseModel):
    """A visitor's first message; `letter` is the letter it is about, if any."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    text: str
    letter: str | None = None
    language: str = "id"


class Reply(NamedTuple):
    """The result. `turns` counts turns in which the model wrote anything, `read` the prompt tokens not cached."""

    text: str
    steps: Sequence[AgentStep]
    turns: int
    read: int
    written: int


def load(file: Path = FILE) -> list[Opening]:
    """All openings, in order; every second one is only reported."""
    return [Opening.model_validate(row) for row in tomllib.loads(file.read_text(encoding="utf-8"))["opening"]]


def faults(opening: Opening, reply: Reply) -> list[str]:
    """The faults of a reply; empty when it is good."""
    wanted = _RUBRIC[opening.kind]
    called = {step.tool for step in reply.steps}
    own = {f"generate_{opening.letter}"} if opening.letter and opening.kind == "may_i" else set[str]()
    found = [f"called {name}" for name in sorted(called - {*wanted.get("tools", ()), TIME} - own)]
    if not re.search(wanted.get("says", ""), reply.text, re.I):
        found.append("doesn't say what it must")
    if opening.letter and opening.kind in ("need", "cost") and not _of_letter(opening.letter, reply.steps):
        found.append("no requirements of that letter")
    if opening.letter and any(step.tool == REQUIREMENTS and not step.success for step in reply.steps):
        found.append("says that there is no such letter")
    known = " ".join((opening.text, *(f"{step.message} {json.dumps(step.output)}" for step in reply.steps)))
    found += [f"invented {number}" for number in _NUMBER.findall(reply.text) if number not in known]
    copied = any(step.message and step.message in reply.text for step in reply.steps)
    if not copied and detect(reply.text, opening.language) != opening.language:
        found.append(f"not in {opening.language}")
    if not copied and opening.kind == "how_long":
        found.append("says how long, which the service doesn't")
    if reply.turns > MOST_TURNS:
        found.append(f"{reply.turns} model turns")
    if reply.read > MOST_READ:
        found.append(f"{reply.read} tokens read")
    return found


def _of_letter(letter: str, steps: Sequence[AgentStep]) -> bool:
    outputs: list[Any] = [step.output for step in steps if step.tool == REQUIREMENTS and step.success]
    return any(isinstance(output, dict) and output.get("letter_type") == letter for output in outputs)
