"""Correction.list and Correction.resolve on the wire: params and answers. corrections.py keeps them."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agentd.apps.residents.corrections import Corrections
from agentd.audit import AuditTrail
from agentd.errors import NotFound
from agentd.messages import Caller, Message
from agentd.rpc.method import STAFF, method
from agentd.rpc.params import Params
from agentd.rpc.services import Services


class CorrectionsParams(Params):
    """Params of Correction.list."""

    resolved: bool = Field(False, description="Those that are resolved, in place of the open ones.")
    limit: int = Field(200, ge=1, le=1000, description="Requests at most, newest first.")


class ResolveParams(Params):
    """Params of Correction.resolve."""

    correction_id: str = Field(min_length=1, max_length=100)
    note: str | None = Field(None, max_length=500, description="What was done.")


class CorrectionShown(Message):
    """What a resident says differs from the register. The words of a resolved one are gone."""

    correction_id: str
    session_id: str
    nik: str
    field: str
    title: str
    registered: str = Field(description="What the register holds.")
    said: str = Field(description="The resident's own sentence.")
    created_at: str
    resolved_at: str | None
    resolved_by: str | None
    note: str | None


class CorrectionList(Message):
    """Requests to correct the register, newest first."""

    corrections: list[CorrectionShown]


@method(
    "Correction.list",
    result=CorrectionList,
    scopes=STAFF,
)
async def list_corrections(services: Services, _caller: Caller, params: CorrectionsParams) -> dict[str, Any]:
    """What residents say differs from the register."""
    found = await services.part(Corrections).list(resolved=params.resolved, limit=params.limit)
    return {"corrections": [one.shown() for one in found]}


@method(
    "Correction.resolve",
    result=CorrectionShown,
    scopes=STAFF,
    errors=(NotFound,),
)
async def resolve(services: Services, caller: Caller, params: ResolveParams) -> dict[str, Any]:
    """An officer has corrected the register, or found it right; what was said is removed."""
    await services.part(AuditTrail).arecord("correction.resolved", actor=caller.id, subject=params.correction_id)
    return (await services.part(Corrections).resolve(params.correction_id, params.note, caller)).shown()
