"""In-memory twin of Sessions, to test the wire without a database. It stores no turns. Not a test."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from agentd.errors import InvalidParams, NotFound
from agentd.messages import Caller
from agentd.runs.visibility import kept_of_new, new_key, owns


class MemorySessions:
    """Sessions in a dict: only their owners and titles, no turns."""

    def __init__(self) -> None:
        self._sessions: dict[str, tuple[str, str, dict[str, Any]]] = {}

    async def create(self, caller: Caller, title: str | None = None) -> dict[str, Any]:
        session_id = f"session-{len(self._sessions) + 1}"
        created = {"session_id": session_id, "created_at": datetime.now(UTC).isoformat(), "title": title}
        key = caller.session_key or new_key()
        self._sessions[session_id] = (caller.id, kept_of_new(key), created)
        return {**created, "session_key": key}

    async def list(self, caller: Caller, limit: int = 50, before: str | None = None) -> dict[str, Any]:
        """The sessions, newest first; the cursor is the last session_id of the page."""
        seen = [] if caller.is_visitor else list(reversed(self._sessions.values()))
        mine = [one for owner, key_hash, one in seen if owns(owner, caller, (key_hash,))]
        if before is not None:
            names = [one["session_id"] for one in mine]
            if before not in names:
                raise InvalidParams("`before` is not a cursor that Session.list gave", field="before")
            mine = mine[names.index(before) + 1 :]
        page = mine[:limit]
        return {"sessions": page, "next": page[-1]["session_id"] if len(mine) > limit else None}

    async def get(self, session_id: str, caller: Caller) -> dict[str, Any]:
        """The session, without turns."""
        return {**self._seen(session_id, caller), "turns": []}

    async def fork(self, session_id: str, caller: Caller) -> dict[str, Any]:
        """Create another session with the same title."""
        title = self._seen(session_id, caller)["title"]
        return await self.create(caller.model_copy(update={"session_key": None}), title)

    async def delete(self, session_id: str, caller: Caller) -> dict[str, Any]:
        self._seen(session_id, caller)
        del self._sessions[session_id]
        return {"session_id": session_id, "deleted": True}

    async def export(self, session_id: str, caller: Caller) -> dict[str, Any]:
        return {"format": "agentd-session/1", "session": await self.get(session_id, caller), "runs": []}

    def _seen(self, session_id: str, caller: Caller) -> dict[str, Any]:
        owner, key_hash, session = self._sessions.get(session_id, ("", "", {}))
        if not session or not owns(owner, caller, (key_hash,)):
            raise NotFound("No session of this id is here")
        return session
