"""Durable runs of any kind on DBOS: taken on, queued by session, run, recovered, stopped, followed. What a run *does*
is its executor's business (the agent's loop, the analytics workflow, the graph question).

A run is a DBOS workflow for each segment: from its start, or from an approval, to its end or the next approval.
"""

from __future__ import annotations

import asyncio
import logging
from bisect import insort
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from uuid import uuid4

import structlog
from dbos import DBOS, SetWorkflowID
from sqlalchemy.engine import Engine as Database
from sqlalchemy.exc import SQLAlchemyError

from agentd.agent.four_eyes import differing
from agentd.errors import (
    AgentdError,
    BudgetExceeded,
    Busy,
    Cancelled,
    Conflict,
    Draining,
    InternalError,
    InvalidParams,
    Language,
)
from agentd.messages import LIVE_ONLY, Basis, Consent, Event, EventType
from agentd.ports import Clock, Journal
from agentd.runs.cluster import Cluster
from agentd.runs.databases import empty_journal
from agentd.runs.events import EventLog
from agentd.runs.journal import JsonSerializer, Steps, StoreJournal, TakenOver
from agentd.runs.leases import mark_of
from agentd.runs.records import (
    Json,
    PendingApproval,
    RunChanges,
    RunError,
    RunRecord,
    SessionRecord,
    StepRecord,
)
from agentd.runs.retries import wait_in_dbos, waiting_for_the_database
from agentd.runs.store import RunStore

ENDED = frozenset({"completed", "cancelled", "failed"})
SETTLE_S = 1.0
"""How long a cancelled run may take to end when the daemon stops."""
FOLLOW_S = 0.1
"""How often the events of another node's run are looked for."""
APPLICATION_VERSION = "agentd-1"
"""Constant on purpose: DBOS recovers only runs of its own version, and ours must survive an update."""

T = TypeVar("T")
Publish = Callable[[EventType, dict[str, Any]], None]
Workflow = Callable[[str, int], Coroutine[Any, Any, str]]
"""(run id, segment)."""

log = structlog.get_logger("agentd.runs")


@dataclass(frozen=True, slots=True)
class RunContext:
    """What an executor gets: the run's row, where it records, whom it tells."""

    row: RunRecord
    journal: Journal
    publish: Publish
    opens: bool = False
    """True when it is known to be the first turn of its session, so that there is no past to look for."""

    def consent(self) -> Consent | None:
        """Tell of the human's decision, if there is one: the consent to go on with, None without a yes."""
        decision = self.row.decision
        if decision is None:
            return None
        self.publish(
            "approval.decided", {key: getattr(decision, key) for key in ("approval_id", "approved", "by", "at")}
        )
        if not decision.approved:
            return None
        pending = (self.row.record or {})["pending"]
        basis = Basis.model_validate(pending["basis"]) if pending.get("basis") else None
        changed = differing(decision.proposed, decision.arguments) if decision.proposed is not None else ()
        return Consent(
            approval_id=decision.approval_id,
            tool=pending["tool"],
            basis=basis and basis.changed(changed),
            arguments=decision.arguments,
            by=decision.by,
            approvals=decision.approvals,
            proposed=decision.proposed,
            by_staff=decision.by_staff,
        )


@dataclass(frozen=True, slots=True)
class Result:
    """What an executor came to. `outcome` is the wire form.

    `approval` {tool, arguments, summary, rule} waits for a human, with the `record` to go on from.
    """

    status: str
    outcome: dict[str, Any]
    attempts: int = 0
    error: AgentdError | None = None
    record: dict[str, Any] | None = None
    approval: Json | None = None


Executor = Callable[[RunContext], Awaitable[Result]]


@dataclass(slots=True)
class _Live:
    """A run that this process is working on, or has in its queue."""

    row: RunRecord
    """As this process wrote or read it last."""
    number: int
    """Of its turn in the session; 0 when the run was taken on by another process."""
    log: EventLog
    steps: Steps = field(default_factory=Steps)
    turn: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it is this run's turn in its session."""
    done: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when there is nothing to wait for any more in this process."""
    task: asyncio.Task[Any] | None = None
    """Its workflow's, once that has begun."""


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """How much work at once."""

    concurrency: int = 256
    queue_limit: int = 1000
    deadline_s: float = 300.0
    approval_ttl_s: float = 900.0
    max_recoveries: int = 2
    """A run begun again that often without a finished step is parked: it may be what ends the daemon."""


@dataclass(frozen=True, slots=True)
class Node:
    """This process among those that may share the runs."""

    database: Database
    """DBOS's, for its own records."""
    name: str = "local"
    cluster: Cluster | None = None
    """Its part in several nodes' work; None: it is alone."""


class Engine:
    """The daemon's runs. `async with` it inside the running loop; recovery begins when it is entered."""

    def __init__(
        self,
        store: RunStore,
        node: Node,
        executors: Mapping[str, Executor],
        clock: Clock,
        limits: EngineLimits = EngineLimits(),
        observe: Callable[[RunRecord, Result], None] = lambda *_: None,
    ) -> None:
        self._store = store
        self._database = node.database
        self._executors = executors
        self._clock = clock
        self._limits = limits
        self._node = node.name
        self._cluster = node.cluster
        self._observe = observe
        self._live: dict[str, _Live] = {}
        self._queues: dict[str, list[tuple[int, str]]] = {}
        """The runs of each session in this process, (turn, run id) in order: the first one's turn it is."""
        self._places = asyncio.Semaphore(limits.concurrency)
        self._draining = False
        self._passing: dict[asyncio.Task[Any], bool] = {}
        """Work of no run that somebody waits for, and whether it has effects."""

    async def __aenter__(self) -> Engine:
        logging.getLogger("dbos").setLevel(logging.CRITICAL)
        wait_in_dbos(self._database)
        DBOS(
            config={
                "name": "agentd",
                "system_database_url": self._database.url.render_as_string(hide_password=False),
                "system_database_engine": self._database,
                "application_version": APPLICATION_VERSION,
                "executor_id": self._node,
                "serializer": JsonSerializer(),
                "log_level": "CRITICAL",
                # SQLite has one writer: more threads only wait for it, each with a connection's memory
                "max_executor_threads": 8 if self._cluster is None else None,
            }
        )
        self._workflow = self._registered()
        DBOS.launch()
        if self._cluster is not None:
            await self._cluster.start(self._stop, lambda: list(self._live))
        else:
            for row in await self._store.open_runs():
                await self._begin(row)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop without losing anything: what has not ended goes on at the next start."""
        await self.leave(0.0)
        if self._cluster is not None:
            await self._cluster.stop()
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor())  # DBOS put its own there, and is about to shut it down
        with ThreadPoolExecutor(1) as aside:
            await loop.run_in_executor(aside, DBOS.destroy)
        if self._cluster is not None:
            with suppress(Busy, OSError, SQLAlchemyError):  # without its database the lease ends by itself
                await self._cluster.hand_over()

    def _registered(self) -> Workflow:
        """The workflow of this engine at DBOS, which finds it by its name; the latest engine of a process has it."""

        @DBOS.workflow(name="agentd.run")
        async def run(run_id: str, segment: int) -> str:
            with waiting_for_the_database():
                return await self._execute(run_id, segment)

        return run

    async def leave(self, grace_s: float) -> None:
        """Let go of every run as a kill would, but for calls with effects: those have so long to end and be recorded.

        Nothing that the stop causes is recorded. Who waits for a run hears Draining at once, who follows one is let go.
        """
        if self._draining:
            return
        self._draining = True
        begun = list(self._live)
        for live in self._live.values():
            live.steps.leave()
            live.log.end()
            live.done.set()
        tasks = [(live.task, live.steps.acting) for live in self._live.values() if live.task is not None]
        tasks += self._passing.items()
        await asyncio.gather(*(_let_go(task, grace_s if acting else 0.0) for task, acting in tasks))
        with suppress(Busy, OSError, SQLAlchemyError):
            await self._store.stopped(begun)

    async def unless_stopped(self, work: Coroutine[Any, Any, T], *, effects: bool) -> T:
        """What the work comes to. Raises Draining when the daemon stops before, and cancels it: after the stop's grace
        where it has effects, else at once."""
        task = asyncio.create_task(work)
        self._passing[task] = effects
        try:
            return await task
        except asyncio.CancelledError:
            task.cancel()
            current = asyncio.current_task()
            if self._draining and not (current is not None and current.cancelling()):
                raise Draining() from None
            raise
        finally:
            del self._passing[task]

    @property
    def max_recoveries(self) -> int:
        """After how many recoveries without a finished step a run is parked."""
        return self._limits.max_recoveries

    @property
    def cluster(self) -> dict[str, Any] | None:
        """This node among several: its name, and how far its clock is ahead of the database's."""
        return None if self._cluster is None else {"node": self._node, "clock_skew_s": self._cluster.clock_skew_s}

    @property
    def active(self) -> int:
        """Runs queued or running in this process."""
        return len(self._live)

    # ── from outside ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def submit(self, row: RunRecord, session: SessionRecord) -> RunRecord | None:
        """Take a run on. Answers the existing row when the run_id was taken before. Raises Busy or Draining."""
        if self._draining:
            raise Draining()
        waiting = len(self._live) if self._cluster is None else await self._store.queued()
        if waiting >= self._limits.queue_limit:
            raise Busy(f"{waiting} runs wait already", retry_after_s=1.0)
        taken = await self._store.add_run(row, session)
        if isinstance(taken, RunRecord):
            return taken
        if self._cluster is None:
            self._enter(row, taken)
        await self._begin(row)
        return None

    async def go_on(self, row: RunRecord, changes: RunChanges) -> None:
        """Continue a run that waits for an approval with its next segment. Raises Conflict when it does not wait."""
        changes = {**changes, "status": "queued", "segment": row.segment + 1}
        self.check_open(row)
        if not await self._store.change(row.run_id, "needs_approval", changes, row.segment):
            raise Conflict("the run does not wait for an approval")
        await self._begin(replace(row, **changes))

    async def ask_another(self, row: RunRecord, approval: PendingApproval) -> None:
        """Let a run wait on, now for another person: under a new approval id, with its whole time again.

        Raises Conflict when it does not wait.
        """
        now = self._clock.now()
        expires_at = iso(now + timedelta(seconds=self._limits.approval_ttl_s))
        renewed = replace(approval, approval_id=uuid4().hex, expires_at=expires_at)
        stored = list(row.events or ())
        event = Event(
            seq=len(stored) + 1,
            run_id=row.run_id,
            session_id=row.session_id,
            type="approval.requested",
            at=iso(now),
            data=renewed.shown(),
        )
        changes: RunChanges = {
            "approval": renewed,
            "outcome": {**(row.outcome or {}), "response": renewed.summary, "approval": renewed.shown()},
            "events": [*stored, event.model_dump(mode="json")],
        }
        if not await self._store.change(row.run_id, "needs_approval", changes, row.segment):
            raise Conflict("the run does not wait for an approval")

    def check_open(self, row: RunRecord) -> None:
        """Raises Draining, with the run's ids, when the daemon stops: then nothing of it is decided."""
        if self._draining:
            raise Draining(run_id=row.run_id, session_id=row.session_id)

    async def wait(self, run_id: str) -> RunRecord | None:
        """The run's row once it has ended or waits for an approval. Raises Draining when the daemon stops before."""
        pause = 0.01
        while True:
            live = self._live.get(run_id)
            if live is not None:
                await live.done.wait()
            row = live.row if live is not None and _rests(live.row) else await self._store.run(run_id)
            if row is None or _rests(row):
                return row
            if self._draining:
                message = "the daemon is stopping; the run goes on after its next start, and can be asked for by its id"
                raise Draining(message, run_id=run_id, session_id=row.session_id)
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.5)

    async def cancel(self, run_id: str) -> None:
        """Stop a run within its step. Raises Conflict when it has ended."""
        for status in ("running", "queued", "needs_approval"):
            if await self._store.change(run_id, status, {"status": "cancelled"}):
                break
        else:
            raise Conflict("the run has ended already")
        live = self._live.get(run_id)
        if status != "running":
            await self._close(run_id)
        elif live is not None:
            self._stop(run_id)
            await live.done.wait()
        else:
            await self._cancelled_elsewhere(run_id)

    def _stop(self, run_id: str) -> None:
        """A run of this process is cancelled: end its step."""
        if (live := self._live.get(run_id)) is not None:
            live.steps.stop(Cancelled("the run was cancelled"))

    async def _cancelled_elsewhere(self, run_id: str) -> None:
        """Wait, bounded, until the node that has the run has noticed."""
        for _ in range(40):
            row = await self._store.run(run_id)
            if row is None or row.finished_at is not None:
                return
            await asyncio.sleep(0.05)

    async def erase(self, segments: Mapping[str, int]) -> None:
        """Remove what DBOS recorded of these runs, {run_id: its last segment}."""
        ids = [workflow_id(run_id, number) for run_id, last in segments.items() for number in range(last + 1)]
        if ids:
            await DBOS.delete_workflows_async(ids, delete_children=True)

    async def empty_journal(self) -> str | None:
        """As the store's, for what DBOS keeps."""
        return await asyncio.to_thread(empty_journal, self._database)

    async def events(self, run_id: str, after: int) -> AsyncIterator[Event]:
        """Events after `after`: those stored, then those to come until the run ends or waits for an approval."""
        if (live := self._live.get(run_id)) is not None:
            async for event in live.log.follow(after):
                yield event
            return
        row = await self._store.run(run_id)
        while self._follows_others(row):
            for event in await self._store.events_after(run_id, after):
                after = event.seq
                yield event
            await asyncio.sleep(FOLLOW_S)
            row = await self._store.run(run_id)
        if self._draining and row is not None and not _rests(row):
            return  # its reader comes again, at the next daemon
        stored = (row and row.events) or []
        if row is not None and row.status in ENDED and after > len(stored):
            raise InvalidParams(f"`after` is {after}, beyond the run's last event {len(stored)}", field="after")
        for value in stored[after:]:
            yield Event.model_validate(value)

    def _follows_others(self, row: RunRecord | None) -> bool:
        """Whether another node may be at work on the run."""
        return (
            row is not None and row.status in ("queued", "running") and self._cluster is not None and not self._draining
        )

    # ── inside ───────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _begin(self, row: RunRecord) -> None:
        """Start the workflow of the run's segment (one that is there already is joined)."""
        name = workflow_id(row.run_id, row.segment)
        if self._cluster is not None:
            await self._cluster.begin(self._workflow, name, row, row.segment)
            return
        self._enter(row)
        with SetWorkflowID(name):
            await DBOS.start_workflow_async(self._workflow, row.run_id, row.segment)

    def _enter(self, row: RunRecord, number: int = 0) -> _Live:
        """The run as this process holds it, in its place in the session's queue."""
        live = self._live.get(row.run_id)
        if live is None:
            stored = [Event.model_validate(value) for value in row.events or ()]
            log = EventLog(row.run_id, row.session_id, stored)
            live = self._live[row.run_id] = _Live(row, number, log)
            if self._draining:
                live.log.end()
                live.done.set()
            queue = self._queues.setdefault(row.session_id, [])
            insort(queue, (number, row.run_id))
            if not any(self._live[waiting].turn.is_set() for _, waiting in queue):
                self._live[queue[0][1]].turn.set()
        return live

    async def _execute(self, run_id: str, segment: int) -> str:
        """The workflow: one segment of a run, its turn in the session awaited.

        It ends cancelled when the daemon stops: DBOS then takes it for unfinished, as after a kill.
        """
        if self._draining:
            raise asyncio.CancelledError
        live = self._live.get(run_id)
        if live is not None and live.task is not None:
            await _let_go(live.task, 0.0)  # it was taken over while this process stood still, and has come back
            live = None
        if live is None or live.row.segment != segment:
            row = await self._store.run(run_id)
            if row is None or row.segment != segment or row.status not in ("queued", "running"):
                return "over"
            live = self._enter(row)
        live.task = asyncio.current_task()
        try:
            await live.turn.wait()
            async with self._places:
                if begun := await self._store.begin(run_id, mark_of(self._node)):
                    live.row, recorded, recoveries = begun
                    await self._work(live, recorded, parked=recoveries >= self._limits.max_recoveries)
        except TakenOver:
            log.warning("run.taken_over", run_id=run_id)
        finally:
            self._leave(live)
        return "done"

    async def _work(self, live: _Live, recorded: list[StepRecord], *, parked: bool) -> None:
        row = live.row
        shipping: asyncio.Queue[Event] = asyncio.Queue()

        def publish(kind: EventType, data: dict[str, Any]) -> None:
            at = data.pop("at", None) or iso(self._clock.now())
            event = live.log.publish(kind, data, at)
            if self._cluster is not None and kind not in LIVE_ONLY:
                shipping.put_nowait(event)

        if not live.log.stored:
            started = {"kind": row.kind, "prompt_length": len(row.prompt), "at": row.created_at}
            publish("run.started", started)
        fence = None if self._cluster is None else self._cluster.holds
        journal = StoreJournal(self._store, row, recorded, live.steps, fence)
        context = RunContext(row, journal, publish, opens=live.number == 1)
        deadline_s = row.brief.deadline_s or self._limits.deadline_s
        late = BudgetExceeded(f"the run used up its {deadline_s:g} s")
        timer = asyncio.get_running_loop().call_later(deadline_s, live.steps.stop, late)
        try:
            with structlog.contextvars.bound_contextvars(run_id=row.run_id, session_id=row.session_id):
                async with self._shown_to_others(row.run_id, shipping):
                    result = _parked(row) if parked else await self._carried_out(context)
        finally:
            timer.cancel()
        if self._draining and result.error is not None and live.steps.stopped is None:
            raise asyncio.CancelledError  # the stop may be why it failed: it goes on at the next start
        live.steps.acting = True
        await self._keep(result, live, publish)

    @asynccontextmanager
    async def _shown_to_others(self, run_id: str, shipping: asyncio.Queue[Event]) -> AsyncIterator[None]:
        """Within it, the run's stored events go to the other nodes of a cluster as they come."""
        if self._cluster is None:
            yield
            return
        shipper = asyncio.create_task(self._ship(run_id, shipping), name=f"ship {run_id}")
        try:
            yield
        finally:
            shipper.cancel()

    async def _ship(self, run_id: str, shipping: asyncio.Queue[Event]) -> None:
        while True:
            batch = [await shipping.get()]
            while not shipping.empty():
                batch.append(shipping.get_nowait())
            with suppress(OSError, SQLAlchemyError):
                await self._store.add_events(run_id, batch)

    async def _carried_out(self, context: RunContext) -> Result:
        try:
            return await self._executors[context.row.kind](context)
        except TakenOver:
            raise
        except AgentdError as error:
            return Result("failed", {}, error=error)
        except Exception as error:
            log.exception("run.broke", kind=context.row.kind, error=type(error).__name__)
            return Result("failed", {}, error=InternalError("the run broke; the daemon's log says where"))

    async def _keep(self, result: Result, live: _Live, publish: Publish) -> None:
        """Write the result where it lasts, then tell it: nobody hears of an end that could be lost.

        Raises TakenOver.
        """
        status = "cancelled" if isinstance(result.error, Cancelled) else result.status
        error = None
        if result.error is not None and status == "failed":
            error = RunError(result.error.type, result.error.message, result.error.data)
        now = self._clock.now()
        at, outcome, approval = iso(now), {**result.outcome, "status": status}, None
        if result.approval is not None:
            expires_at = iso(now + timedelta(seconds=self._limits.approval_ttl_s))
            approval = PendingApproval.read({"approval_id": uuid4().hex, **result.approval, "expires_at": expires_at})
            outcome["approval"] = approval.shown()
            last: tuple[EventType, dict[str, Any]] = ("approval.requested", outcome["approval"])
        else:
            finished = {"status": status, "response": outcome.get("response", "")}
            last = ("run.finished", finished | ({"error": error.json()} if error else {}))
        ending = live.log.next(*last, at)
        row = replace(
            live.row,
            status=status,
            outcome=outcome,
            error=error,
            record=result.record if approval is not None else None,
            approval=approval,
            finished_at=at if status in ENDED else None,
            events=[event.model_dump(mode="json") for event in (*live.log.stored, ending)],
            attempts=result.attempts,
        )
        if not await self._store.finish(row, at):
            raise TakenOver(row.run_id)
        live.row = row
        publish(last[0], {**last[1], "at": at})
        self._observe(live.row, result)

    async def _close(self, run_id: str) -> None:
        """End a run that was cancelled while it waited: in the queue, or for an approval."""
        row = await self._store.run(run_id)
        if row is None:
            return
        stored = list(row.events or ())
        at = iso(self._clock.now())
        event = Event(
            seq=len(stored) + 1,
            run_id=run_id,
            session_id=row.session_id,
            type="run.finished",
            at=at,
            data={"status": "cancelled", "response": ""},
        )
        outcome = {**(row.outcome or {}), "status": "cancelled", "approval": None}
        ended = replace(
            row,
            status="cancelled",
            outcome=outcome,
            record=None,
            approval=None,
            finished_at=at,
            events=[*stored, event.model_dump(mode="json")],
        )
        await self._store.finish(ended, at)
        if (live := self._live.get(run_id)) is not None:
            self._leave(live)

    def _leave(self, live: _Live) -> None:
        """Let the run's followers go, and the next run of its session begin."""
        row = live.row
        if self._live.get(row.run_id) is not live:
            return
        del self._live[row.run_id]
        live.log.end()
        live.done.set()
        queue = self._queues[row.session_id]
        queue[:] = [place for place in queue if place[1] != row.run_id]
        if queue:
            self._live[queue[0][1]].turn.set()
        else:
            del self._queues[row.session_id]


async def _let_go(task: asyncio.Task[Any], grace_s: float) -> None:
    """Wait, bounded, until it has ended by itself; then cancel it, and wait once more."""
    await asyncio.wait((task,), timeout=grace_s)
    if not task.done():
        task.cancel()
        await asyncio.wait((task,), timeout=SETTLE_S)


def _rests(row: RunRecord) -> bool:
    """Whether a run has ended, or waits for an approval."""
    return row.status in ENDED or row.status == "needs_approval"


def _parked(row: RunRecord) -> Result:
    """The end of a run that was never seen to finish a step; staff find it in `Agent.list` with `parked`."""
    log.error("run.parked", kind=row.kind)
    message = (
        "parked: the daemon ended again and again while this run was at the same step; "
        "see in the daemon's log what ended it, then let it be asked again"
    )
    user_message = _PARKED[row.brief.language]
    return Result("failed", {}, error=InternalError(message, parked=True, user_message=user_message))


_PARKED: dict[Language, str] = {
    "id": "Maaf, permintaan ini tidak dapat kami selesaikan. Petugas sudah diberi tahu; silakan hubungi petugas.",
    "en": "Sorry, we could not finish this request. The office has been told; please ask an officer.",
}


def workflow_id(run_id: str, segment: int) -> str:
    """A segment's name at DBOS."""
    return run_id if segment == 0 else f"{run_id}#{segment}"


def iso(moment: datetime) -> str:
    """A time as rows keep it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
