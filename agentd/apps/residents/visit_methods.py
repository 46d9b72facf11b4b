"""Residents.status and Residents.visit on the wire: params and answers. It asks no register."""

from __future__ import annotations

from typing import Any

from agentd.apps.residents.register import Register
from agentd.apps.residents.visits import Visits, VisitShown
from agentd.errors import NotFound
from agentd.messages import Caller, Message
from agentd.rpc.method import ANYONE, Services, method
from agentd.rpc.params import Params, SessionId, SessionKey


class RegisterParams(Params):
    session_key: SessionKey | None = None


class RegisterStatus(Message):
    """Whether this office has a register of residents at all; it may still be unreadable for a while."""

    configured: bool


class VisitParams(Params):
    session_id: SessionId
    session_key: SessionKey | None = None


@method("Residents.status", result=RegisterStatus, scopes=ANYONE)
def status(services: Services, _caller: Caller, _params: RegisterParams) -> dict[str, Any]:
    """Whether visitors can sign in here by NIK and PIN: a page offers that or goes straight to the letters."""
    return {"configured": services.part(Register).configured}


@method("Residents.visit", result=VisitShown, scopes=ANYONE, errors=(NotFound,))
async def visit(services: Services, caller: Caller, params: VisitParams) -> VisitShown:
    """What a form leaves to ask a visitor who signed in, whom it may name, and which letters they can't have."""
    return await services.part(Visits).of(params.session_id, caller, services.tools.catalogue(caller).tools)
