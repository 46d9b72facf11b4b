"""Residents.status and Residents.visit on the wire: params and answers. It asks no register."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import Field

from agentd.apps.residents.register import Register
from agentd.apps.residents.visits import Visits
from agentd.errors import Language, NotFound
from agentd.messages import Caller, Message
from agentd.rpc.method import ANYONE, method
from agentd.rpc.params import Params, SessionId, SessionKey
from agentd.rpc.services import Services


class RegisterParams(Params):
    """Params of Residents.status."""

    session_key: SessionKey | None = None


class RegisterStatus(Message):
    """Whether this office has a register of residents at all; it may still be unreadable for a while."""

    configured: bool


class VisitParams(Params):
    """Params of Residents.visit."""

    session_id: SessionId
    session_key: SessionKey | None = None


class MemberShown(Message):
    """A member of the visitor's own family card, never the visitor; no NIK."""

    nama: str
    hubungan: str
    value: str = Field(description="What a field of the source `family` takes for this member and no other.")


class WithheldLetter(Message):
    """A letter that the register's values of the visitor don't allow."""

    tool: str
    message: dict[str, str] = Field(description="Why, for the visitor, by language.")


class VisitShown(Message):
    """Empty for who is not verified, and while the register can't be read."""

    members: list[MemberShown]
    forms: dict[str, list[str]] = Field(description="By tool the fields that the register leaves to ask.")
    withheld: list[WithheldLetter]


@method(
    "Residents.status",
    result=RegisterStatus,
    scopes=ANYONE,
)
def status(services: Services, _caller: Caller, _params: RegisterParams) -> dict[str, Any]:
    """Whether visitors can sign in here by NIK and PIN: a page offers that or goes straight to the letters."""
    return {"configured": services.part(Register).configured}


@method(
    "Residents.visit",
    result=VisitShown,
    scopes=ANYONE,
    errors=(NotFound,),
)
async def visit(services: Services, caller: Caller, params: VisitParams) -> dict[str, Any]:
    """What a form leaves to ask a visitor who signed in, whom it may name, and which letters they can't have."""
    found = await services.part(Visits).of(params.session_id, caller, services.tools.catalogue(caller).tools)
    members = [{"nama": name, "hubungan": relation, "value": value} for name, relation, value in found.members]
    said = [(tool, {language: why.words(language) for language in get_args(Language)}) for tool, why in found.withheld]
    forms = {tool: list(left) for tool, left in found.forms.items()}
    return {
        "members": members,
        "forms": forms,
        "withheld": [{"tool": tool, "message": message} for tool, message in said],
    }
