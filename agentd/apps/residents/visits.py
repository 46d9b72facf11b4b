"""What the register means for the forms of a visitor who signed in: what is left to ask, whom they may name.

For a page, before a form is begun; the calls themselves are judged by policy.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agentd.apps.residents.conditions import Unmet, unmet
from agentd.apps.residents.family import described
from agentd.apps.residents.filling import offered
from agentd.apps.residents.policy import Visitors
from agentd.messages import Caller, ToolInfo
from agentd.runs.store import RunStore
from agentd.runs.visibility import owned_session


@dataclass(frozen=True, slots=True)
class Visit:
    """`members`: (name, relation, what to say to mean them); `forms`: {tool: the fields that are left to ask};
    `withheld`: letters with the condition not met."""

    members: tuple[tuple[str, str, str], ...] = ()
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    withheld: tuple[tuple[str, Unmet], ...] = ()


@dataclass(frozen=True, slots=True)
class Visits:
    """The sessions whose visitors have signed in."""

    store: RunStore
    visitors: Visitors

    async def of(self, session_id: str, caller: Caller, tools: Iterable[ToolInfo]) -> Visit:
        """Empty for who is not verified, and while the register can't be read. Raises NotFound."""
        owned_session(await self.store.sessions.get(session_id), caller)
        known = await self.visitors.known(session_id)
        if known is None:
            return Visit()
        others = [one for one in known.family if one["nik"] != known.resident["nik"]]
        members = tuple((str(one["nama"]), one["hubungan"] or "", described(one, "id")) for one in others)
        official = [tool for tool in tools if tool.official]
        forms = {tool.name: tuple(offered(tool, known).input_schema.get("properties", ())) for tool in official}
        judged = ((tool.name, unmet(tool, known.resident)) for tool in official)
        return Visit(members, forms, tuple((name, found) for name, found in judged if found is not None))
