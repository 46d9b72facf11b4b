"""Runs non-agent questions (to the books, to the graph) as durable runs with the same ids, events and rights."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from agentd.clock import iso
from agentd.errors import Conflict, NotFound
from agentd.messages import Caller
from agentd.ports import Clock
from agentd.runs.engine import Engine
from agentd.runs.records import RunBrief, RunRecord
from agentd.runs.store import RunStore
from agentd.runs.visibility import kept_of, owned, owned_session


@dataclass(frozen=True, slots=True)
class Questions:
    """Submits questions of one kind as runs; the engine's executor of that kind answers them."""

    kind: str
    store: RunStore
    engine: Engine
    clock: Clock
    brief: RunBrief = field(default_factory=RunBrief)
    """The brief of each of these runs, without options and caller."""

    async def ask(
        self, question: str, *, caller: Caller, session_id: str | None, run_id: str | None, **options: Any
    ) -> dict[str, Any]:
        """Return the executor's answer with run_id, session_id and status. Raises the error that failed the run.

        A failure that the answer itself explains, without an error, is returned and not raised.
        """
        session = None if session_id is None else await self.store.sessions.get(session_id)
        if session is not None:
            owned_session(session, caller)
        row = RunRecord(
            run_id=run_id or uuid4().hex,
            session_id=session_id or uuid4().hex,
            owner=caller.id,
            kind=self.kind,
            prompt=question,
            brief=replace(self.brief, options=options, caller=caller),
            status="queued",
            created_at=iso(self.clock.now()),
        )
        existing = await self.engine.submit(row, kept_of(caller, session))
        if existing is not None:
            owned(existing, caller, "run", await self.store.keys_of(existing.run_id))
            same = (existing.prompt, existing.kind, existing.brief.options) == (question, self.kind, options)
            if not same or session_id not in (None, existing.session_id):
                raise Conflict("this run_id was used for something else", run_id=existing.run_id)
        ended = await self.engine.wait(row.run_id)
        if ended is None:
            raise NotFound("there is no such run any more")
        ids = {"run_id": ended.run_id, "session_id": ended.session_id}
        if ended.status == "failed" and (error := ended.error) is not None:
            raise error.raised(**ids)
        return {**ids, "status": ended.status, **(ended.outcome or {})}
