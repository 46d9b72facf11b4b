"""Conversations, honest and not, against grounding: issue 5, "Grounding" (at least 40 of each)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from agentd.apps.letters.evidence.reading.readings import Readings
from agentd.apps.letters.policies.grounding import ungrounded
from tests.agentd.apps.letters.letters import PROPERTIES, call


def cases(name: str) -> list[Any]:
    rows = tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))["case"]
    return [pytest.param(row, id=row.get("name") or " / ".join(row["said"])[:60]) for row in rows]


HONEST = cases("grounding_honest.toml")
NEAR_MISSES = cases("grounding_near_misses.toml")


@pytest.mark.parametrize("row", HONEST)
def test_what_the_citizen_said_passes(row: dict[str, Any]) -> None:
    assert [field.path for field in ungrounded(call(row["call"], *row["said"]))] == []


@pytest.mark.parametrize("row", NEAR_MISSES)
def test_what_only_looks_said_is_missing(row: dict[str, Any]) -> None:
    assert [field.path for field in ungrounded(call(row["call"], *row["said"]))] == row["missing"]


@pytest.mark.slow
def test_no_honest_value_passes_as_another_field() -> None:
    """Each value of each honest session, tried in every other field (an address said to be the same stays the same)."""
    passed = []
    for row in (param.values[0] for param in HONEST):
        own = {name: str(value).casefold() for name, value in row["call"].items()}
        same = any("sama" in line for line in row["said"])
        readings = Readings()  # of the session, as the daemon keeps them
        for name in PROPERTIES:
            for other, value in row["call"].items():
                addresses = name.startswith("alamat") and other.startswith("alamat") and same
                mother = name == "nama_ibu" and any(
                    f"{word} ibu saya" in line for word in ("untuk", "buat") for line in row["said"]
                )
                if name == other or own.get(name) == str(value).casefold() or other == "kewarganegaraan" or addresses:
                    continue
                if not mother and not ungrounded(call({name: value}, *row["said"]), readings):
                    passed.append((name, other, value, row["said"]))
    assert passed == []


def test_there_are_forty_of_each() -> None:
    assert len(NEAR_MISSES) >= 40
    assert len(HONEST) >= 40
