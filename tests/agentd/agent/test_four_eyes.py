"""Four eyes as rules: whose yes is enough, who may not say it twice."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.agent.four_eyes import differing, identity_fields, judged
from agentd.errors import Forbidden
from agentd.messages import Caller
from tests.agentd.apps.letters.letters import letter

KIOSK = Caller(id="kiosk", scopes=frozenset({"kiosk"}))
SITI, RINA, BOSS = (
    Caller(id=name, scopes=frozenset({scope}))
    for name, scope in (("siti", "staff"), ("rina", "staff"), ("admin", "admin"))
)
ASKED = {"nama": "Budi Santoso", "nik": "1", "rt": "003"}
RENAMED = {**ASKED, "nama": "Budi Hartono"}
MOVED = {**ASKED, "rt": "004"}
PENDING = {"arguments": ASKED, "four_eyes": True, "identity": ["nama", "nik"]}
BY_SITI = {"approvals": [{"by": "siti", "at": "t"}]}


def test_identity_is_read_from_the_schema() -> None:
    properties = {
        "a": {"format": "nik"},
        "b": {"format": "person-name"},
        "c": {"format": "date"},
        "d": {"type": "string", "x-agentd-identity": True},
        "e": {"type": "object", "properties": {"inner": {"format": "kk"}}},
        "f": {"type": "array", "items": {"anyOf": [{"format": "nik"}]}},
        "g": {"type": "string", "format": "text"},
        "h": {"format": "address"},
        "nama": {"type": "string"},
    }
    assert identity_fields({"properties": properties}) == ["a", "b", "c", "d", "e", "f"]
    assert identity_fields({}) == []
    assert {"nama", "nik", "tanggal_lahir"} <= set(identity_fields(letter().input_schema))


def test_values_of_another_type_differ() -> None:
    assert differing({"a": 1, "b": "1", "c": None}, {"a": True, "b": 1}) == ["a", "b", "c"]
    assert differing({"anak": {"ke": 1}}, {"anak": {"ke": True}}) == ["anak"]


@pytest.mark.parametrize(
    ("pending", "proposer", "caller", "final", "enough", "approvals"),
    [
        ({}, "kiosk", SITI, ASKED, True, ["siti"]),
        ({}, "kiosk", SITI, MOVED, True, ["siti"]),
        ({}, "kiosk", SITI, RENAMED, False, ["siti"]),
        ({}, "kiosk", BOSS, RENAMED, False, ["admin"]),
        ({}, "kiosk", KIOSK, ASKED, True, ["kiosk"]),
        ({}, "siti", SITI, ASKED, False, ["siti"]),
        ({}, "admin", BOSS, ASKED, False, ["admin"]),
        ({}, "siti", RINA, ASKED, True, ["rina"]),
        ({"arguments": RENAMED, "proposed": ASKED, **BY_SITI}, "kiosk", RINA, RENAMED, True, ["siti", "rina"]),
        ({"arguments": RENAMED, "proposed": ASKED, **BY_SITI}, "rina", RINA, RENAMED, True, ["siti", "rina"]),
        (BY_SITI, "siti", RINA, ASKED, True, ["siti", "rina"]),
        # whoever names another person again is the first to agree to that one
        ({"arguments": RENAMED, "proposed": ASKED, **BY_SITI}, "kiosk", RINA, {**ASKED, "nik": "2"}, False, ["rina"]),
        ({"arguments": RENAMED, "proposed": ASKED, **BY_SITI}, "kiosk", SITI, {**ASKED, "nik": "2"}, False, ["siti"]),
        ({"arguments": RENAMED, "proposed": ASKED, **BY_SITI}, "kiosk", RINA, ASKED, True, ["rina"]),
        ({"four_eyes": False}, "siti", SITI, RENAMED, True, ["siti"]),
    ],
)
def test_when_one_yes_is_enough(
    pending: dict[str, Any], proposer: str, caller: Caller, final: dict[str, Any], enough: bool, approvals: list[str]
) -> None:
    yes = judged({**PENDING, **pending}, proposer, caller, final, "t")
    assert (yes.enough, [agreement.by for agreement in yes.approvals]) == (enough, approvals)


def test_the_same_officer_is_not_two() -> None:
    with pytest.raises(Forbidden, match="another officer"):
        judged({**PENDING, **BY_SITI}, "siti", SITI, ASKED, "t")
    with pytest.raises(Forbidden, match="another officer"):
        judged({**PENDING, **BY_SITI}, "siti", SITI, MOVED, "t")
