"""Runs a conversation and keeps the record of all. Does not judge or render."""

from __future__ import annotations

import lzma
import os
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from agentd.messages import AgentStep
from lab.eval.letters.citizen import Citizen
from lab.eval.letters.claims import Said
from lab.eval.letters.judge import IssuedLetter, Verdict, judge
from lab.eval.letters.script import Conversation

GENERATE = "generate_"


class Answer(BaseModel):
    """agentd's answer to one message of the citizen."""

    model_config = ConfigDict(frozen=True)

    text: str
    waiting: bool = False
    """A letter waits for the citizen's yes."""
    steps: tuple[AgentStep, ...] = ()
    error: str | None = None
    """The stable error type when the run failed."""
    provider: str | None = None


class Counter(Protocol):
    """The interface over which a citizen talks to agentd."""

    async def say(self, session_id: str, words: str) -> Answer:
        """Send one message and return its answer; a failed run is an answer too."""
        ...


class Turn(BaseModel):
    """One message, its answer, the tools called for it, and its duration."""

    model_config = ConfigDict(frozen=True)

    citizen: str
    answer: str
    steps: tuple[dict[str, Any], ...] = ()
    error: str | None = None
    provider: str | None = None
    seconds: float = 0.0


class Held(BaseModel):
    """A completed conversation. `digest` is its script's, `at` its end time in ISO 8601, `load` the machine's load
    average at that time."""

    model_config = ConfigDict(frozen=True)

    id: str
    digest: str
    at: str
    turns: tuple[Turn, ...]
    letters: tuple[IssuedLetter, ...]
    verdict: Verdict
    load: float | None = None


class Record(BaseModel):
    """The conversations of one run, by id."""

    held: dict[str, Held] = {}

    @classmethod
    def read(cls, file: Path) -> Record:
        """Read a record that `write` left."""
        return cls.model_validate_json(lzma.decompress(file.read_bytes()))

    def write(self, file: Path) -> None:
        """Replace the file atomically."""
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(".tmp")
        beside.write_bytes(lzma.compress(self.model_dump_json().encode()))
        beside.replace(file)

    def of(self, scripts: Sequence[Conversation]) -> list[tuple[Conversation, Held]]:
        """The conversations completed with exactly this script."""
        return [
            (script, self.held[script.id])
            for script in scripts
            if script.id in self.held and self.held[script.id].digest == script.digest
        ]


async def hold(counter: Counter, script: Conversation) -> Held:
    """Run one conversation from the citizen's first message to the last."""
    citizen = Citizen(script)
    session = f"{script.id}-{time.time_ns():x}"
    turns: list[Turn] = []
    letters: dict[str, IssuedLetter] = {}
    answer = Answer(text="")
    while (words := citizen.next(answer.text, waiting=answer.waiting, issued=bool(letters))) is not None:
        began = time.monotonic()
        answer = await counter.say(session, words)
        letters |= {letter.number: letter for letter in issued_by(answer.steps)}
        turns.append(
            Turn(
                citizen=words,
                answer=answer.text,
                steps=tuple(_shown(step) for step in answer.steps),
                error=answer.error,
                provider=answer.provider,
                seconds=round(time.monotonic() - began, 2),
            )
        )
    return Held(
        id=script.id,
        digest=script.digest,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        turns=tuple(turns),
        letters=tuple(letters.values()),
        verdict=judge(script, letters.values(), answer.text, _spoken(turns)),
        load=round(os.getloadavg()[0], 1),
    )


def issued_by(steps: Iterable[AgentStep]) -> list[IssuedLetter]:
    """The letters these steps issued; a letter issued again has its old number."""
    return [
        IssuedLetter(letter=step.tool.removeprefix(GENERATE), arguments=dict(step.input), number=_number(step))
        for step in steps
        if step.success and step.tool.startswith(GENERATE)
    ]


def _spoken(turns: Iterable[Turn]) -> list[Said]:
    return [Said(turn.citizen, turn.answer, turn.steps) for turn in turns]


def _number(step: AgentStep) -> str:
    output = step.output if isinstance(step.output, dict) else {}
    return str(output.get("number") or f"{step.tool} {sorted(step.input.items())}")


def _shown(step: AgentStep) -> dict[str, Any]:
    return {"tool": step.tool, "input": step.input, "success": step.success, "message": step.message}
