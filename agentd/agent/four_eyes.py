"""Four-eyes rule: decides when one officer's yes is not enough and a second officer must agree. Pure.

That is so when the officer proposed the call or changed whom it is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from agentd.errors import Forbidden
from agentd.messages import Agreement, Caller, Json, canonical

IDENTITY_FORMATS = frozenset({"nik", "kk", "person-name", "date"})
"""JSON Schema formats whose values identify a person."""
IDENTITY = "x-agentd-identity"
"""A schema key: true marks a field of another format (such as a place of birth) as identifying, too."""


@dataclass(frozen=True, slots=True)
class Yes:
    """The effect of an officer's yes: who has agreed to these arguments so far, and whether that is enough."""

    approvals: tuple[Agreement, ...]
    enough: bool


def identity_fields(schema: Mapping[str, Json]) -> list[str]:
    """The sorted names of the arguments that identify a person or contain such a field at any depth."""
    return sorted(name for name, prop in schema.get("properties", {}).items() if _identifies(prop))


def _identifies(schema: Json) -> bool:
    if isinstance(schema, list):
        return any(_identifies(each) for each in schema)
    if not isinstance(schema, Mapping):
        return False
    itself = schema.get("format") in IDENTITY_FORMATS or schema.get(IDENTITY) is True
    return itself or _identifies(list(schema.values()))


def differing(proposed: Mapping[str, Json], final: Mapping[str, Json]) -> list[str]:
    """The sorted names of the arguments that differ; 1, true and "1" all differ, at any depth."""
    before, after = ({name: canonical(value) for name, value in one.items()} for one in (proposed, final))
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def judged(approval: Mapping[str, Json], proposer: str, caller: Caller, final: Mapping[str, Json], at: str) -> Yes:
    """Apply the caller's yes to `final` at an approval {arguments, four_eyes, identity, proposed?, approvals?}.

    Earlier approvals count only if `final` is about the same person as `arguments`. Raises Forbidden when the same
    officer agrees twice.
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
