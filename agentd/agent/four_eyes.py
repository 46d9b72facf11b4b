"""Four eyes: when one officer's yes is not enough, and what counts as another's. Pure; it stores and asks nothing.

A yes by the officer who proposed the call, or by one who changed who it is about, needs a second officer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentd.errors import Forbidden
from agentd.messages import Agreement, Caller, Json

IDENTITY_FORMATS = frozenset({"nik", "kk", "person-name", "date"})
"""Formats of a JSON Schema whose values say who a person is."""
IDENTITY = "x-agentd-identity"
"""A schema's own key: true marks a field of another format as one of these (a place of birth)."""


@dataclass(frozen=True, slots=True)
class Yes:
    """The effect of an officer's yes: who agreed to these arguments so far, and whether that is enough."""

    approvals: tuple[Agreement, ...]
    enough: bool


def identity_fields(schema: Mapping[str, Json]) -> list[str]:
    """The names of a tool's arguments that say who it is about, or hold such a field anywhere inside."""
    return sorted(name for name, prop in schema.get("properties", {}).items() if _identifies(prop))


def _identifies(schema: Json) -> bool:
    if isinstance(schema, list):
        return any(_identifies(each) for each in schema)
    if not isinstance(schema, Mapping):
        return False
    return (
        schema.get("format") in IDENTITY_FORMATS or schema.get(IDENTITY) is True or _identifies(list(schema.values()))
    )


def differing(proposed: Mapping[str, Json], final: Mapping[str, Json]) -> list[str]:
    """The names of the arguments that are not the same in both; 1, true and "1" are not the same."""
    return sorted(name for name in proposed.keys() | final.keys() if not _same(proposed, final, name))


def _same(proposed: Mapping[str, Json], final: Mapping[str, Json], name: str) -> bool:
    before, after = proposed.get(name), final.get(name)
    return (name in proposed) == (name in final) and type(before) is type(after) and before == after


def judged(approval: Mapping[str, Json], proposer: str, caller: Caller, final: Mapping[str, Json], at: str) -> Yes:
    """The caller's yes to `final` at a pending approval: {arguments, four_eyes, identity, proposed?, approvals?}.

    Who agreed earlier agreed to the person in `arguments`: another person begins again. Raises Forbidden when the same
    officer would be both.
    """
    identity = set(approval.get("identity", ()))
    earlier = [Agreement.model_validate(each) for each in approval.get("approvals", ())]
    if identity.intersection(differing(approval["arguments"], final)):
        earlier = []
    if any(each.by == caller.id for each in earlier):
        raise Forbidden("you have agreed to this already; another officer must agree, too")
    approvals = (*earlier, Agreement(by=caller.id, at=at))
    own = caller.id == proposer and caller.may("staff")
    another_person = identity.intersection(differing(approval.get("proposed", approval["arguments"]), final))
    alone = not approval.get("four_eyes") or not (own or another_person)
    return Yes(approvals, enough=alone or len(approvals) > 1)
