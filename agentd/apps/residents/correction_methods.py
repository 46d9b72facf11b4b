"""Correction.list and Correction.resolve on the wire: params and answers. corrections.py keeps them."""

from __future__ import annotations

from pydantic import Field

from agentd.apps.residents.corrections import Corrections, CorrectionShown
from agentd.audit import AuditTrail
from agentd.errors import NotFound
from agentd.messages import Caller, Message
from agentd.rpc.method import STAFF, Services, method
from agentd.rpc.params import Params


class CorrectionsParams(Params):
    resolved: bool = Field(False, description="Those that are resolved, in place of the open ones.")
    limit: int = Field(200, ge=1, le=1000, description="Corrections at most, newest first.")


class ResolveParams(Params):
    correction_id: str = Field(min_length=1, max_length=100)
    note: str | None = Field(None, max_length=500, description="What was done.")


class CorrectionList(Message):
    """Requests to correct the register, newest first."""

    corrections: list[CorrectionShown]


@method("Correction.list", result=CorrectionList, scopes=STAFF)
async def list_corrections(services: Services, _caller: Caller, params: CorrectionsParams) -> CorrectionList:
    """What residents say differs from the register."""
    found = await services.part(Corrections).list(resolved=params.resolved, limit=params.limit)
    return CorrectionList(corrections=found)


@method("Correction.resolve", result=CorrectionShown, scopes=STAFF, errors=(NotFound,))
async def resolve(services: Services, caller: Caller, params: ResolveParams) -> CorrectionShown:
    """An officer has corrected the register, or found it right; what was said is removed."""
    corrections = services.part(Corrections)
    if await corrections.is_open(params.correction_id):
        await services.part(AuditTrail).arecord("correction.resolved", actor=caller.id, subject=params.correction_id)
    return await corrections.resolve(params.correction_id, params.note, caller)
