"""Session.*: conversations as their owner sees them. `Services.sessions` does the work."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from agentd.errors import NotFound
from agentd.messages import Caller
from agentd.rpc.method import ANYONE, Services, method
from agentd.rpc.params import Params, SessionId, SessionKey, Title


class CreateParams(Params):
    title: Title | None = None
    session_key: SessionKey | None = None


class ListParams(Params):
    limit: int = Field(50, ge=1, le=500, description="Sessions at most, newest first.")
    before: str | None = Field(None, max_length=500, description="`next` of the page before.")
    session_key: SessionKey | None = None


class SessionParams(Params):
    """Params of Session.get, fork, delete and export."""

    session_id: SessionId
    session_key: SessionKey | None = None


class Session(BaseModel, extra="allow"):
    """A conversation; get adds its turns."""

    session_id: str
    created_at: str
    title: str | None = None


class NewSession(Session):
    """A conversation that begins, with its key: it is given this once."""

    session_key: str


class SessionExport(BaseModel):
    """A conversation as a file of its own: each run with its outcome and its events."""

    format: str
    """`agentd-session/1`."""
    session: Session
    runs: list[dict[str, Any]]


class SessionPage(BaseModel, extra="allow"):
    """Sessions, newest first; `next` goes into `before` for the page after."""

    sessions: list[Session]
    next: str | None = None


@method("Session.create", result=NewSession, scopes=ANYONE)
async def create(services: Services, caller: Caller, params: CreateParams) -> dict[str, Any]:
    """Begin a conversation; its session_key is given once, and kiosk and chat callers need it from then on."""
    return await services.sessions.create(caller, params.title)


@method("Session.list", result=SessionPage, scopes=ANYONE)
async def list_sessions(services: Services, caller: Caller, params: ListParams) -> dict[str, Any]:
    """The caller's conversations, newest first, a page at a time; none for kiosk and chat callers."""
    return await services.sessions.list(caller, params.limit, params.before)


@method("Session.get", result=Session, scopes=ANYONE, errors=(NotFound,))
async def get(services: Services, caller: Caller, params: SessionParams) -> dict[str, Any]:
    """A conversation with its turns."""
    return await services.sessions.get(params.session_id, caller)


@method("Session.fork", result=NewSession, scopes=ANYONE, errors=(NotFound,))
async def fork(services: Services, caller: Caller, params: SessionParams) -> dict[str, Any]:
    """A copy of this conversation as it is now, with its own key; later turns of either are not in the other."""
    return await services.sessions.fork(params.session_id, caller)


@method("Session.delete", result=dict[str, Any], scopes=ANYONE, errors=(NotFound,))
async def delete(services: Services, caller: Caller, params: SessionParams) -> dict[str, Any]:
    """Cancel what is pending and remove every word that was said; issued letters stay.

    `pending` names databases that another program holds: they are cleaned as soon as it has let go.
    """
    return await services.sessions.delete(params.session_id, caller)


@method("Session.export", result=SessionExport, scopes=ANYONE, errors=(NotFound,))
async def export(services: Services, caller: Caller, params: SessionParams) -> dict[str, Any]:
    """All that is stored of a conversation."""
    return await services.sessions.export(params.session_id, caller)


METHODS = (create, list_sessions, get, fork, delete, export)
