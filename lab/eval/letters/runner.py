"""Runs the conversations one after the other and writes the record after each. Does not judge or render.

The record is the JSON report. A stopped run resumes where it was, and conversations measured with another prompt are
measured again after all others have been measured once.
"""

from __future__ import annotations

import lzma
import os
import time
from collections.abc import Callable, Iterable, Sequence
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
    """A completed conversation. `prompt` identifies its prompt, `at` is its end time in ISO 8601, `load` is the
    machine's load average at that time."""

    model_config = ConfigDict(frozen=True)

    id: str
    digest: str
    prompt: str
    at: str
    turns: tuple[Turn, ...]
    letters: tuple[IssuedLetter, ...]
    verdict: Verdict
    load: float | None = None


class Record(BaseModel):
    """All conversations completed so far, by id; stored between runs."""

    prompt: str = ""
    held: dict[str, Held] = {}

    @classmethod
    def read(cls, file: Path) -> Record:
        """Read the record; empty when the file is missing."""
        if not file.exists():
            return cls()
        return cls.model_validate_json(lzma.decompress(file.read_bytes()))

    def write(self, file: Path) -> None:
        """Replace the file atomically."""
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(".tmp")
        beside.write_bytes(lzma.compress(self.model_dump_json().encode()))
        beside.replace(file)

    def judged_again(self, scripts: Iterable[Conversation]) -> Record:
        """The record with every verdict recomputed by the current judge, so that all are judged alike."""
        held = dict(self.held)
        for script in scripts:
            known = held.get(script.id)
            if known is not None and known.digest == script.digest:
                verdict = judge(script, known.letters, known.turns[-1].answer, _spoken(known.turns))
                held[script.id] = known.model_copy(update={"verdict": verdict})
        return self.model_copy(update={"held": held})

    def of(self, scripts: Sequence[Conversation]) -> list[tuple[Conversation, Held]]:
        """The conversations completed with exactly this script."""
        return [
            (script, self.held[script.id])
            for script in scripts
            if script.id in self.held and self.held[script.id].digest == script.digest
        ]


def still_to_hold(scripts: Sequence[Conversation], record: Record) -> list[Conversation]:
    """First scripts never run in this wording, then those run with another prompt, each in order."""
    held = {script.id: conversation for script, conversation in record.of(scripts)}
    new = [script for script in scripts if script.id not in held]
    stale = [script for script in scripts if script.id in held and held[script.id].prompt != record.prompt]
    return [*new, *stale]


async def hold_all(
    counter: Counter,
    scripts: Sequence[Conversation],
    record: Record,
    kept: Callable[[Held], None],
    *,
    limit: int | None = None,
    seconds: float | None = None,
) -> None:
    """Run the remaining conversations, at most `limit`, starting none after `seconds`; call `kept` with each."""
    began = time.monotonic()
    for script in still_to_hold(scripts, record)[:limit]:
        if seconds is not None and time.monotonic() - began >= seconds:
            return
        held = await hold(counter, script, record.prompt)
        record.held[script.id] = held
        kept(held)


async def hold(counter: Counter, script: Conversation, prompt: str = "") -> Held:
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
        prompt=prompt,
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
