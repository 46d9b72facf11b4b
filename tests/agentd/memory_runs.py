"""In-memory twin of Runs, to test the wire without a model or a database. Not a test.

It is neither durable nor an agent: the test supplies a function that does a run's work.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from agentd.errors import AgentdError, Conflict, NotFound
from agentd.messages import AgentOptions, AgentOutcome, Artifact, Caller, Event, EventType, RunOutcome, RunStatus
from agentd.rpc.wire import error_object
from agentd.runs.events import EventLog
from agentd.runs.visibility import kept_of_new, keyed, owns


@dataclass(eq=False)
class MemoryRun:
    """A run that a test's function works on; it may `emit` events and set parts of the outcome."""

    owner: str
    key_hash: str | None
    prompt: str
    options: AgentOptions
    outcome: AgentOutcome
    error: AgentdError | None = None
    task: asyncio.Task[None] | None = None
    log: EventLog = field(init=False)
    broken: Exception | None = None
    readers: int = 0
    unread: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while no reader follows its events."""

    def __post_init__(self) -> None:
        self.log = EventLog(self.outcome.run_id, self.outcome.session_id)

    def emit(self, kind: EventType, data: dict[str, Any] | None = None) -> None:
        """Number an event, store it unless it is live-only, and pass it to every reader."""
        self.log.publish(kind, data or {}, datetime.now(UTC).isoformat())

    def break_off(self, error: Exception) -> None:
        """End every reader's stream with an error, as an engine does with a slow reader."""
        self.broken = error
        self.log.end()

    def update(self, **changes: Any) -> None:
        """Change parts of the outcome."""
        self.outcome = self.outcome.model_copy(update=changes)


Work = Callable[[MemoryRun], Awaitable[str]]
"""The work of a run; its result is the response. An AgentdError fails the run."""


async def echo(run: MemoryRun) -> str:
    """Answer with the prompt."""
    return run.prompt


class MemoryRuns:
    """Runs in a dict. Only a run's owner and admins can see it."""

    def __init__(self, work: Work = echo) -> None:
        self._work = work
        self._runs: dict[str, MemoryRun] = {}

    async def run(self, prompt: str, options: AgentOptions, caller: Caller) -> AgentOutcome:
        """Run to the end, or join the run with this id."""
        caller = keyed(caller)
        run = self._begin(prompt, options, caller)
        return _opened(await self._settled(run), caller)

    async def start(self, prompt: str, options: AgentOptions, caller: Caller) -> AgentOutcome:
        """Start a run and return at once."""
        caller = keyed(caller)
        return _opened(self._begin(prompt, options, caller).outcome, caller)

    async def get(self, run_id: str, caller: Caller) -> dict[str, Any]:
        """The run's current state."""
        run = self._seen(run_id, caller)
        state = run.outcome.model_dump(mode="json")
        if run.error is not None:
            state["error"] = error_object(run.error)
        return state

    async def status(self, run_id: str, caller: Caller) -> str:
        return str(self._seen(run_id, caller).outcome.status)

    async def answer(self, run_id: str, caller: Caller) -> dict[str, Any]:
        return self._seen(run_id, caller).outcome.model_dump(mode="json")

    async def events(self, run_id: str, caller: Caller, after: int = 0) -> AsyncIterator[Event]:
        """Stored events, then live ones until the run ends."""
        run = self._seen(run_id, caller)
        run.readers += 1
        run.unread.clear()
        try:
            async for event in run.log.follow(after):
                yield event
            if run.broken is not None:
                raise run.broken
        finally:
            run.readers -= 1
            if not run.readers:
                run.unread.set()

    async def artifact(self, run_id: str, name: str, caller: Caller) -> tuple[Artifact, Path]:
        """One file named in the outcome."""
        for artifact in self._seen(run_id, caller).outcome.artifacts:
            if artifact.name == name and artifact.path:
                return artifact, Path(artifact.path)
        raise NotFound("The run made no file of this name")

    def run_of(self, run_id: str) -> MemoryRun:
        """The run object, for tests to inspect."""
        return self._runs[run_id]

    def _begin(self, prompt: str, options: AgentOptions, caller: Caller) -> MemoryRun:
        run_id = options.run_id or f"run-{uuid4().hex}"
        known = self._runs.get(run_id)
        if known is not None:
            if not owns(known.owner, caller, (known.key_hash,)):
                raise NotFound("No run of this id is here")
            if known.prompt != prompt:
                raise Conflict("This run_id was used for another prompt; choose a new one")
            return known
        session_id = options.session_id or f"session-{uuid4().hex}"
        outcome = AgentOutcome(run_id=run_id, session_id=session_id, status="running")
        key_hash = kept_of_new(caller.session_key) if caller.is_visitor and caller.session_key else None
        if any(one.outcome.session_id == session_id and one.key_hash != key_hash for one in self._runs.values()):
            raise NotFound("No session of this id is here")
        run = self._runs[run_id] = MemoryRun(caller.id, key_hash, prompt, options, outcome)
        run.task = asyncio.create_task(self._work_on(run), name=f"memory run {run_id}")
        return run

    async def _work_on(self, run: MemoryRun) -> None:
        run.emit("run.started")
        try:
            run.update(response=await self._work(run))
        except asyncio.CancelledError:
            self._end(run, "cancelled")
        except AgentdError as error:
            run.error = error
            self._end(run, "failed")
        else:
            self._end(run, "completed")

    @staticmethod
    def _end(run: MemoryRun, status: RunStatus) -> None:
        run.update(status=status)
        run.emit("run.finished", {"status": status})
        run.log.end()

    async def _settled(self, run: MemoryRun) -> AgentOutcome:
        assert run.task is not None
        await asyncio.wait((run.task,))
        if run.error is not None:
            done = run.outcome
            run.error.data.setdefault("run_id", done.run_id)
            run.error.data.setdefault("session_id", done.session_id)
            run.error.data.setdefault("steps", [step.model_dump(mode="json") for step in done.steps])
            raise run.error
        return run.outcome

    def _seen(self, run_id: str, caller: Caller) -> MemoryRun:
        run = self._runs.get(run_id)
        if run is None or not owns(run.owner, caller, (run.key_hash,)):
            raise NotFound("No run of this id is here")
        return run


def _opened(outcome: AgentOutcome, caller: Caller) -> AgentOutcome:
    key = caller.session_key if caller.is_visitor else None
    return outcome if key is None else RunOutcome(**dict(outcome), session_key=key)
