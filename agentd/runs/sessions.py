"""Creates, lists, reads, forks, exports and completely deletes conversations. Their runs are elsewhere."""

from __future__ import annotations

import asyncio
import builtins
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from agentd.audit import AuditTrail
from agentd.clock import iso
from agentd.errors import Conflict, InvalidParams
from agentd.messages import Caller, folder_of_run
from agentd.ports import Clock
from agentd.runs.engine import Engine
from agentd.runs.records import RunRecord, SessionRecord
from agentd.runs.run_database import empty_journal
from agentd.runs.store import RunStore
from agentd.runs.visibility import is_one_of, kept_of_new, new_key, owned_session

BY_HAND, INTERNAL = "call-", "internal-"
"""Id prefixes of calls outside runs: somebody's Tools.call, and the daemon's own calls for its pages."""


class SessionData:
    """What an app or the servers store about sessions: nothing, unless a subclass says otherwise."""

    async def session_shown(self, session_id: str) -> dict[str, Any]:  # noqa: ARG002 - for those that need it
        """What `Session.get` shows of it, in addition to the session's turns."""
        return {}

    async def owes(self, session_id: str) -> bool:  # noqa: ARG002 - for those that need it
        """Whether somebody still waits for something of an expired session."""
        return False

    async def leaving(self, session_id: str) -> None:
        """Called before the runs of a session are removed."""

    async def forget(self, session_id: str) -> None:
        """Delete what is stored about a deleted session (the graph's episodes, drafts)."""


@dataclass(frozen=True, slots=True)
class SessionService:
    """Conversations. Methods take the caller; an id of somebody else raises NotFound, as if it did not exist."""

    store: RunStore
    engine: Engine
    clock: Clock
    audit: AuditTrail
    artifacts: Path
    elsewhere: Sequence[SessionData]
    """Who else stores data of sessions, in the order in which they are asked."""
    unfinished: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while a deletion is unfinished because a file could not be cleaned yet."""

    async def create(self, caller: Caller, title: str | None = None) -> dict[str, Any]:
        key = caller.session_key or new_key()
        row = self._row(caller, title, key)
        await self.store.sessions.add(row)
        return {**_shown(row), "session_key": key}

    async def list(self, caller: Caller, limit: int = 50, before: str | None = None) -> dict[str, Any]:
        """Return {"sessions": […], "next": cursor or None}, newest first: the caller's own, all for an admin, none for
        a visitor."""
        cursor = _cursor(before)
        if caller.is_visitor:  # a list would show the other visitors of the same token
            return {"sessions": [], "next": None}
        rows = await self.store.sessions.of(None if caller.may() else caller.id, limit + 1, cursor)
        page = rows[:limit]
        following = f"{page[-1].updated_at} {page[-1].session_id}" if len(rows) > limit else None
        return {"sessions": [_shown(row) for row in page], "next": following}

    async def get(self, session_id: str, caller: Caller) -> dict[str, Any]:
        row = owned_session(await self.store.sessions.get(session_id), caller)
        turns = await self.store.sessions.turns(session_id)
        shown = _shown(row)
        for data in self.elsewhere:
            shown |= await data.session_shown(session_id)
        return {**shown, "history": [_turn(turn) for turn in turns]}

    async def fork(self, session_id: str, caller: Caller) -> dict[str, Any]:
        """Create a conversation with the same past and its own key."""
        owned_session(await self.store.sessions.get(session_id), caller)
        key = new_key()
        row = self._row(caller, None, key)
        await self.store.sessions.fork(row, session_id)
        forked = await self.store.sessions.get(row.session_id)
        assert forked is not None
        return {**_shown(forked), "session_key": key}

    async def delete(self, session_id: str, caller: Caller) -> dict[str, Any]:
        """Stop the session's runs, then remove all its data; issued letters stay with the office.

        The key's SHA-256 as `session_key` also allows the deletion, but no reading: a page may keep it for cleanup.
        """
        row = await self.store.sessions.get(session_id)
        if not (row and caller.session_key and is_one_of(caller.session_key, [row.key_hash])):
            owned_session(row, caller)
        await self.audit.arecord("session.deleted", actor=caller.id, subject=session_id)
        removed = await self.erase(session_id)
        pending = await self.finish()
        return {"session_id": session_id, "deleted": True, "runs": removed, "pending": pending}

    async def finish(self) -> builtins.list[str]:
        """Clean deleted data from the database files; returns the names of files that another program blocks.

        `agentd.runs.retention` retries those, also at the next start.
        """
        tried = [await asyncio.to_thread(empty_journal, one) for one in (self.store.engine, self.engine.node.database)]
        pending = [name for name in tried if name is not None]
        (self.unfinished.set if pending else self.unfinished.clear)()
        return pending

    async def purge(self, session_id: str) -> None:
        await self.audit.arecord("session.deleted", actor="retention", subject=session_id)
        await self.erase(session_id)

    async def owes(self, session_id: str) -> bool:
        """Whether somebody still waits for something of the session that is stored elsewhere."""
        return any([await data.owes(session_id) for data in self.elsewhere])

    async def sweep(self, before: datetime) -> int:
        """Delete the files of deleted runs and those of single calls older than `before`; returns how many folders.

        A run is stored before its tools create a file, so an unknown run was deleted.
        """
        found = await asyncio.to_thread(_folders, self.artifacts, before.timestamp())
        known = {folder_of_run(run_id) for run_id in await self.store.run_ids()} if found else set()
        gone = [folder for folder in found if folder.name not in known]
        for folder in gone:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        return len(gone)

    async def erase(self, session_id: str) -> int:
        """Remove one session from every table; returns how many runs were removed.

        A citizen's request that waits for an officer continues without the conversation that led to it.
        """
        now = iso(self.clock.now())
        for run in await self.store.runs_where(session_id=session_id, limit=1000):
            if run.awaits_staff(now) and run.approval is not None and run.approval.request is not None:
                await self.store.sessions.detach(run, now)
                continue
            with suppress(Conflict):
                await self.engine.cancel(run.run_id)
        for data in self.elsewhere:
            await data.leaving(session_id)
        removed = await self.store.sessions.delete(session_id)
        await self.engine.workflows.erase(removed)
        for run_id in removed:
            await asyncio.to_thread(shutil.rmtree, self.artifacts / folder_of_run(run_id), ignore_errors=True)
        for data in self.elsewhere:
            await data.forget(session_id)
        return len(removed)

    async def export(self, session_id: str, caller: Caller) -> dict[str, Any]:
        """Everything stored of the session."""
        row = owned_session(await self.store.sessions.get(session_id), caller)
        turns = await self.store.sessions.turns(session_id)
        runs = [{**_turn(turn), "outcome": turn.outcome, "events": turn.events or []} for turn in turns]
        return {"format": "agentd-session/1", "session": _shown(row), "runs": runs}

    def _row(self, caller: Caller, title: str | None, key: str) -> SessionRecord:
        now = iso(self.clock.now())
        return SessionRecord(uuid4().hex, caller.id, now, now, title=title, key_hash=kept_of_new(key))


def _folders(folder: Path, before: float) -> list[Path]:
    """The folders of runs, and those of single calls not written to since `before`."""
    calls = (BY_HAND, INTERNAL)
    return [one for one in folder.glob("*/") if not one.name.startswith(calls) or one.stat().st_mtime < before]


def _shown(row: SessionRecord) -> dict[str, Any]:
    keys = ("session_id", "title", "created_at", "updated_at", "turns", "forked_from")
    return {key: getattr(row, key) for key in keys}


def _turn(row: RunRecord) -> dict[str, Any]:
    outcome = row.outcome or {}
    return {
        "run_id": row.run_id,
        "status": row.status,
        "at": row.created_at,
        "prompt": row.prompt,
        "response": outcome.get("response", ""),
        "steps": [{key: step[key] for key in ("tool", "success", "message")} for step in outcome.get("steps", [])],
        "artifacts": [{key: one[key] for key in one if key != "path"} for one in outcome.get("artifacts", [])],
    }


def _cursor(text: str | None) -> tuple[str, str] | None:
    """Parse a cursor: (updated_at, session_id) of the previous page's last session. Raises InvalidParams."""
    if text is None:
        return None
    updated_at, between, session_id = text.partition(" ")
    if not between:
        raise InvalidParams("`before` is not a cursor that Session.list gave", field="before")
    return updated_at, session_id
