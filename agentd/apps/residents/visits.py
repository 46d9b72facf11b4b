"""What the register means for a signed-in visitor's forms: the fields left to ask, the members they may name.

It is for a page, before a form is begun; policy.py judges the calls.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from pydantic import Field

from agentd.apps.residents.conditions import unmet
from agentd.apps.residents.family import described
from agentd.apps.residents.filling import offered
from agentd.apps.residents.policy import Visitors
from agentd.errors import Language
from agentd.messages import Caller, Message, ToolInfo
from agentd.runs.store import RunStore
from agentd.runs.visibility import owned_session


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


@dataclass(frozen=True, slots=True)
class Visits:
    """The sessions whose visitors have signed in."""

    store: RunStore
    visitors: Visitors

    async def of(self, session_id: str, caller: Caller, tools: Iterable[ToolInfo]) -> VisitShown:
        """Empty for an unverified visitor or if the register can't be read. Raises NotFound."""
        owned_session(await self.store.sessions.get(session_id), caller)
        known = await self.visitors.known(session_id)
        if known is None:
            return VisitShown(members=[], forms={}, withheld=[])
        others = [one for one in known.family if one["nik"] != known.resident["nik"]]
        members = [
            MemberShown(nama=str(one["nama"]), hubungan=one["hubungan"] or "", value=described(one, "id"))
            for one in others
        ]
        official = [tool for tool in tools if tool.official]
        forms = {tool.name: list(offered(tool, known).input_schema.get("properties", ())) for tool in official}
        withheld = [
            WithheldLetter(tool=tool.name, message={language: why.words(language) for language in get_args(Language)})
            for tool in official
            if (why := unmet(tool, known.resident)) is not None
        ]
        return VisitShown(members=members, forms=forms, withheld=withheld)
