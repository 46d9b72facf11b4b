"""Starts, queues, recovers and erases a run's segments as DBOS workflows; the engine executes them. Importing DBOS
takes as long as the rest of the daemon, so only a starting daemon imports this module."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from dbos import DBOS, Serializer, SetEnqueueOptions, SetWorkflowID
from sqlalchemy.exc import SQLAlchemyError

from agentd.errors import Busy
from agentd.runs.cluster import Node
from agentd.runs.records import RunRecord
from agentd.runs.transactions import patient, wait_in_dbos

APPLICATION_VERSION = "agentd-1"
"""Constant, because DBOS recovers only workflows of its own version and ours must survive an update."""
QUEUE = "agentd.runs"
POLL_S = 0.05

Execute = Callable[[str, int], Awaitable[str]]
"""Executes (run id, segment)."""


class Workflows:
    """DBOS in this process; only the latest object is active. Call `launch` inside the running loop."""

    def __init__(self, node: Node, execute: Execute) -> None:
        self._cluster, database = node.cluster, node.database
        log = logging.getLogger("dbos")
        log.setLevel(logging.CRITICAL)
        log.handlers.clear()  # an earlier daemon's handler in this process may write to a closed stream
        wait_in_dbos(database)
        DBOS(
            config={
                "name": "agentd",
                "system_database_url": database.url.render_as_string(hide_password=False),
                "system_database_engine": database,
                "application_version": APPLICATION_VERSION,
                "executor_id": node.name,
                "serializer": JsonSerializer(),
                "log_level": "CRITICAL",
                # agentd uses no notifications, but a stop waits for the listener's next poll
                "notification_listener_polling_interval_sec": 0.1,
                # SQLite has one writer, so more threads would only wait (docs/benchmarks.md)
                "max_executor_threads": 4 if node.cluster is None else None,
            }
        )

        @DBOS.workflow(name="agentd.run")
        async def run(run_id: str, segment: int) -> str:
            patient.set(True)  # only for this task, which DBOS created for the workflow
            return await execute(run_id, segment)

        self._run = run

    async def launch(self, cancelled: Callable[[str], None], mine: Callable[[], list[str]]) -> None:
        """Start DBOS and join the cluster; this node then continues runs that another node or process left."""
        DBOS.launch()
        if self._cluster is not None:
            await DBOS.register_queue_async(
                QUEUE,
                worker_concurrency=self._cluster.node_concurrency,
                global_concurrency=self._cluster.global_concurrency,
                partition_concurrency=1,
                polling_interval_sec=POLL_S,
            )
            await self._cluster.start(cancelled, mine, self._take_over)

    async def destroy(self) -> None:
        """Stop DBOS. The next start or another node recovers the unfinished workflows."""
        if self._cluster is not None:
            await self._cluster.stop()
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor())  # DBOS set its own, which it is about to shut down
        with ThreadPoolExecutor(1) as aside:
            await loop.run_in_executor(aside, DBOS.destroy)
        if self._cluster is not None:
            with suppress(Busy, OSError, SQLAlchemyError):  # without the database the lease expires by itself
                await self._cluster.hand_over()

    async def begin(self, row: RunRecord) -> None:
        """Start the workflow of the run's segment, or put it on the cluster's queue; joins an existing one."""
        with SetWorkflowID(workflow_id(row.run_id, row.segment)):
            if self._cluster is None:
                await DBOS.start_workflow_async(self._run, row.run_id, row.segment)
                return
            with SetEnqueueOptions(queue_partition_key=row.session_id):  # one run of a session at a time, on any node
                await DBOS.enqueue_workflow_async(QUEUE, self._run, row.run_id, row.segment)

    async def erase(self, segments: Mapping[str, int]) -> None:
        """Remove DBOS's records of these runs {run_id: its last segment}."""
        ids = [workflow_id(run_id, number) for run_id, last in segments.items() for number in range(last + 1)]
        if ids:
            await DBOS.delete_workflows_async(ids, delete_children=True)

    @staticmethod
    async def _take_over(node: str) -> int:
        return len(await asyncio.to_thread(DBOS._recover_pending_workflows, [node]))


class JsonSerializer(Serializer):
    """Records as JSON, never pickled: records are readable, and reading one executes no code."""

    def serialize(self, data: Any) -> str:
        """Convert to JSON; an exception becomes its type's name and text."""
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=_plain)

    def deserialize(self, serialized_data: str) -> Any:
        """Read the JSON value; a recorded exception becomes a RuntimeError."""
        value = json.loads(serialized_data)
        if isinstance(value, dict) and set(value) == {"$exception", "text"}:
            return RuntimeError(f"{value['$exception']}: {value['text']}")
        return value

    def name(self) -> str:
        """The serializer's name, which DBOS stores with each record."""
        return "agentd_json"


def workflow_id(run_id: str, segment: int) -> str:
    """The DBOS id of a segment's workflow."""
    return run_id if segment == 0 else f"{run_id}#{segment}"


def _plain(value: Any) -> Any:
    if isinstance(value, BaseException):
        return {"$exception": type(value).__name__, "text": str(value)}
    raise TypeError(f"{type(value).__name__} cannot be recorded")
