"""The Journal of one run: records each step once in the run's database, and replays it from the record afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from agentd.errors import AgentdError, InternalError, raised
from agentd.ports import Act, IsLast, Record
from agentd.runs.records import RunRecord, StepRecord
from agentd.runs.store import RunStore

Fence = Callable[[str, str], Awaitable[bool]]
"""Whether the execution of this mark surely owns the run of this id. Checked before each step with effects."""


SETTLE_S = 5.0
"""Seconds that a call with effects gets to end when its run is stopped, so that its result is known."""


class Steps:
    """The current step of a run, so that the run can be stopped within it."""

    def __init__(self) -> None:
        self._task: asyncio.Task[Record] | None = None
        self.stopped: AgentdError | None = None
        """Why the run was stopped, or None."""
        self._leaving = False
        self.acting = False
        """Whether the current work (a call with effects, or storing the result) should finish and be recorded."""

    def stop(self, reason: AgentdError) -> None:
        """Cancel the current step (a call with effects only after SETTLE_S) and let no other begin."""
        if self.stopped is None:
            self.stopped = reason
            if self._task is not None and self.acting:
                asyncio.get_running_loop().call_later(SETTLE_S, self._task.cancel)
            elif self._task is not None:
                self._task.cancel()

    def leave(self) -> None:
        """Let no other step begin and no failure be recorded from now on, because the process stops."""
        self._leaving = True

    async def run(self, act: Act) -> Record:
        """Run one step; if stopped, return the reason as its record. Raises CancelledError when leaving."""
        if self.stopped is not None:
            return {"$stopped": self.stopped.json()}
        if self._leaving:
            raise asyncio.CancelledError
        self._task = asyncio.ensure_future(act())
        try:
            record = await self._task
            if self._leaving and record.get("success") is False:  # perhaps due to the stop: it is repeated later
                raise asyncio.CancelledError
            return record
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if self.stopped is None or (current is not None and current.cancelling()):
                self._task.cancel()
                raise
            return {"$stopped": self.stopped.json()}
        finally:
            self._task = None


class TakenOver(Exception):
    """Another node now owns the run; this one must not change it."""


@dataclass
class StoreJournal:
    """The journal of one run on this node. A stopped run raises its reason, now and on replay."""

    store: RunStore
    row: RunRecord
    recorded: list[StepRecord]
    steps: Steps
    fence: Fence | None = None
    number: int = field(default=0, init=False)
    """The next step's."""

    async def step(self, name: str, act: Act, *, effects: bool = False, is_last: IsLast = lambda _: False) -> Record:
        """Run `act` once and record its JSON result, unless `is_last` (the run's end stores it). Raises TakenOver."""
        number = self.number
        self.number += 1
        if number < len(self.recorded):
            known = self.recorded[number]
            if known.name != name:
                raise InternalError(f"step {number} of the run is recorded as {known.name}, and it wants {name}")
            record = known.record
        else:
            record = await self._made(number, name, act, effects, is_last)
        if reason := record.get("$stopped"):
            raise raised(reason)
        return record

    async def _made(self, number: int, name: str, act: Act, effects: bool, is_last: IsLast) -> Record:
        run_id, node = self.row.run_id, self.row.node
        assert node is not None, "only a run that was begun is recorded"
        self.steps.acting = effects
        try:
            if effects and self.fence is not None and not await self.fence(run_id, node):
                raise TakenOver(run_id)
            record = await self.steps.run(act)
            if not is_last(record) and not await self.store.add_step(run_id, node, number, name, record):
                raise TakenOver(run_id)
            return record
        finally:
            self.steps.acting = False
