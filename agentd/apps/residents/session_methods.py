"""Session.verify, Session.forget and Session.vouch on the wire: params and answers. It verifies nobody."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

from pydantic import Field, SecretStr, model_validator

from agentd.apps.residents.verifying import VerificationResult, Verifications
from agentd.errors import Conflict, NotFound, RateLimited, ToolExecution
from agentd.messages import Caller, Message
from agentd.rpc.method import ANYONE, STAFF, Services, method
from agentd.rpc.params import Params, SessionId, SessionKey

Nik = Annotated[str, Field(max_length=100, description="The 16 digits of the resident's number.")]


class VerifyParams(Params):
    """Params of Session.verify: either `nik` or `card`."""

    session_id: SessionId
    nik: Nik | None = None
    card: str | None = Field(None, max_length=200, description="The identity card's tag, as the reader types it.")
    pin: SecretStr = Field(max_length=100, description="Six digits. Anything else is answered as a wrong PIN.")
    session_key: SessionKey | None = None

    @model_validator(mode="after")
    def _names_one(self) -> VerifyParams:
        if (self.nik is None) == (self.card is None):
            raise ValueError("give exactly one of nik and card")
        return self


class ForgetParams(Params):
    session_id: SessionId
    session_key: SessionKey | None = None


class VouchParams(Params):
    session_id: SessionId
    nik: Nik


class Forgotten(Message):
    """Nobody is verified in the session now."""

    verified: bool


@method(
    "Session.verify", result=VerificationResult, scopes=ANYONE, errors=(NotFound, Conflict, RateLimited, ToolExecution)
)
async def verify(services: Services, caller: Caller, params: VerifyParams) -> VerificationResult:
    """Prove who the visitor is, by NIK or card and PIN; the third wrong PIN locks for 15 minutes."""
    return await services.part(Verifications).verify(
        params.session_id, nik=params.nik, card=params.card, pin=params.pin.get_secret_value(), caller=caller
    )


@method("Session.forget", result=Forgotten, scopes=ANYONE, errors=(NotFound,))
async def forget(services: Services, caller: Caller, params: ForgetParams) -> dict[str, Any]:
    """End the session's proof of identity, and cancel what waits on it."""
    for run_id in await services.part(Verifications).forget(params.session_id, caller):
        with suppress(Conflict):  # it was decided meanwhile
            await services.runs.cancel(run_id, caller)
    return {"verified": False}


@method("Session.vouch", result=VerificationResult, scopes=STAFF, errors=(NotFound, Conflict, ToolExecution))
async def vouch(services: Services, caller: Caller, params: VouchParams) -> VerificationResult:
    """An officer who saw the visitor's card says who they are (level officer)."""
    return await services.part(Verifications).vouch(params.session_id, params.nik, caller)
