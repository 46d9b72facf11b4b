"""The Journal on DBOS: each step of a run is checkpointed once and answered from the record ever after."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from dbos import DBOS, Serializer

from agentd.errors import BY_TYPE, AgentdError

Act = Callable[[], Awaitable[dict[str, Any]]]


class JsonSerializer(Serializer):
    """Records as JSON, never pickled: a record can be read, and reading one runs nothing."""

    def serialize(self, data: Any) -> str:
        """Exceptions become their type's name and text."""
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=_plain)

    def deserialize(self, serialized_data: str) -> Any:
        """Back to JSON values; a recorded exception comes back as one."""
        value = json.loads(serialized_data)
        if isinstance(value, dict) and set(value) == {"$exception", "text"}:
            return RuntimeError(f"{value['$exception']}: {value['text']}")
        return value

    def name(self) -> str:
        """As DBOS notes it beside each record."""
        return "agentd_json"


def _plain(value: Any) -> Any:
    if isinstance(value, BaseException):
        return {"$exception": type(value).__name__, "text": str(value)}
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot be recorded")


class Steps:
    """What a run is doing right now, so that it can be stopped within its step."""

    def __init__(self) -> None:
        self._task: asyncio.Task[dict[str, Any]] | None = None
        self._stopped: AgentdError | None = None

    @property
    def stopped(self) -> AgentdError | None:
        """Why the run was stopped, when it was."""
        return self._stopped

    def stop(self, reason: AgentdError) -> None:
        """End the step under way, and let no other begin."""
        if self._stopped is None:
            self._stopped = reason
            if self._task is not None:
                self._task.cancel()

    async def run(self, act: Act) -> dict[str, Any]:
        """Run one step; a stopped one answers with the reason as its record."""
        if self._stopped is not None:
            return _stop_record(self._stopped)
        self._task = asyncio.ensure_future(act())
        try:
            return await self._task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if self._stopped is None or (current is not None and current.cancelling()):
                self._task.cancel()
                raise
            return _stop_record(self._stopped)
        finally:
            self._task = None


class DbosJournal:
    """Journal of one run; must be used inside its DBOS workflow. A stopped run raises its reason, now and on replay."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    async def step(self, name: str, act: Act) -> dict[str, Any]:
        """Run `act` once and record its JSON result."""
        record = await DBOS.run_step_async({"name": name}, self._steps.run, act)
        if reason := record.get("$stopped"):
            raise BY_TYPE.get(reason["type"], AgentdError)(reason["message"])
        return record


def _stop_record(reason: AgentdError) -> dict[str, Any]:
    return {"$stopped": {"type": reason.type, "message": reason.message}}
