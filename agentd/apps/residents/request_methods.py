"""Request.* on the wire: params and answers. requests.py keeps them; Agent.approve decides them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from pydantic import Field

from agentd.apps.residents.comparing import Comparing, ComparisonShown
from agentd.apps.residents.requests import ENDED, Request, Requests, Status
from agentd.audit import AuditTrail
from agentd.errors import Conflict, InvalidParams, NotFound, ToolExecution
from agentd.messages import Caller, Message
from agentd.rpc.method import ANYONE, STAFF, Services, method
from agentd.rpc.params import Params, SessionKey

_ITSELF = Caller(id="requests", scopes=frozenset({"admin"}))
"""The caller that cancels a request's run, after the request checked the real caller's rights."""

_ISSUED = ("ready", "fetched")


class RequestsParams(Params):
    limit: int = Field(200, ge=1, le=1000, description="Requests at most, newest first.")
    status: Status | None = None
    session_key: SessionKey | None = None


class DecideParams(Params):
    request_id: str = Field(min_length=1, max_length=100)


class RequestParams(DecideParams):
    session_key: SessionKey | None = None


class CheckParams(DecideParams):
    requirement: str = Field(min_length=1, max_length=500, description="One of the request's requirements.")
    seen: bool = Field(description="Whether the officer saw it; false makes the request incomplete.")


class Requirement(Message):
    """What is to be shown, and whether an officer saw it."""

    requirement: str
    seen: bool


class RequestShown(Message):
    """One request; its run is what Agent.approve decides."""

    request_id: str
    code: str = Field(description="Of 79 random bits: /status/CODE shows its status.")
    tool: str
    title: str
    status: Status
    queue_number: str = Field(description="What is called out (SKD-014); it opens nothing.")
    level: str = Field(description="How sure it is who asks: declared, officer, pin or card+pin.")
    created_at: str
    run_id: str
    letter: str | None = Field(default=None, description="The number of the letter that is ready to be fetched.")
    requirements: list[Requirement]


class RequestList(Message):
    """Requests, newest first."""

    requests: list[RequestShown]


@method("Request.list", result=RequestList, scopes=ANYONE)
async def list_requests(services: Services, caller: Caller, params: RequestsParams) -> dict[str, Any]:
    """Requests that an officer decides: all for staff, a visitor's own by the session's key."""
    found = await services.part(Requests).list(caller, params.limit, params.status)
    return {"requests": [one.shown() for one in found]}


@method("Request.get", result=RequestShown, scopes=ANYONE, errors=(NotFound,))
async def get(services: Services, caller: Caller, params: RequestParams) -> dict[str, Any]:
    """The current state of one request."""
    return (await services.part(Requests).get(params.request_id, caller)).shown()


@method("Request.cancel", result=RequestShown, scopes=ANYONE, errors=(NotFound, Conflict))
async def cancel(services: Services, caller: Caller, params: RequestParams) -> dict[str, Any]:
    """Withdraw a request that is not decided yet."""
    found = await services.part(Requests).get(params.request_id, caller)
    if found.status not in ENDED:
        await _record(services, "request.cancelled", caller, found)
        with suppress(Conflict, NotFound):  # the run has already ended
            await services.runs.cancel(found.run_id, _ITSELF)
        found = await services.part(Requests).get(params.request_id, caller)
        if found.status in _ISSUED:  # a letter that was being made is finished
            await _record(services, "request.overtaken", caller, found)
    if found.status in _ISSUED:
        raise Conflict("the letter is issued; an officer can void it")
    return found.shown()


@method("Request.check", result=RequestShown, scopes=STAFF, errors=(NotFound, InvalidParams))
async def check(services: Services, caller: Caller, params: CheckParams) -> dict[str, Any]:
    """Tick what the officer saw: the letter's text names it."""
    found = await services.part(Requests).get(params.request_id, caller)
    if params.requirement not in found.requirements:
        known = "; ".join(found.requirements) or "none"
        raise InvalidParams(f"this request asks for no such thing; it asks for: {known}", field="requirement")
    await _record(services, "request.checked", caller, found)
    return (await services.part(Requests).check(found, params.requirement, seen=params.seen)).shown()


@method("Request.compare", result=ComparisonShown, scopes=STAFF, errors=(NotFound, ToolExecution))
async def compare(services: Services, caller: Caller, params: DecideParams) -> ComparisonShown:
    """What differs between the form of a request and the register; the audit trail records the look-up."""
    found = await services.part(Requests).get(params.request_id, caller)
    await _record(services, "request.compared", caller, found)
    return await services.part(Comparing).of(found)


@method("Request.hand_over", result=RequestShown, scopes=STAFF, errors=(NotFound, Conflict))
async def hand_over(services: Services, caller: Caller, params: DecideParams) -> dict[str, Any]:
    """Record that the citizen has the letter: a request that was `ready` becomes `fetched`."""
    found = await services.part(Requests).get(params.request_id, caller)
    if found.status not in _ISSUED:
        raise Conflict(f"the letter is not ready: the request is {found.status}")
    if found.status == "ready":
        await _record(services, "request.handed_over", caller, found)
        found = await services.part(Requests).hand_over(found)
    return found.shown()


async def _record(services: Services, action: str, caller: Caller, about: Request) -> None:
    await services.part(AuditTrail).arecord(action, actor=caller.id, subject=about.request_id)
