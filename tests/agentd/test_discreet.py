"""The log's words: what a citizen said is in none of them, however it got there."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from agentd.observability.logging import discreet
from hardening.logs import DiscreetFormatter, failures

CRASHES = Path(__file__).with_name("crashes.py")
PLANTED = ("Budi", "Santoso", "3175064508900001", "Melati")


def test_values_lose_what_was_said_at_every_depth() -> None:
    nested = {"calls": [{"input": {"nama": "Budi Santoso"}, "took": 3}], "note": "NIK 3175064508900001"}
    assert discreet(nested) == {"calls": [{"input": "[24 characters]", "took": 3}], "note": "NIK 31••••"}
    assert discreet([ValueError("Budi"), {"at": Path("/x")}, (1, None)]) == ["ValueError", {"at": "/x"}, [1, None]]


def test_the_daemons_own_ids_stay_whole_and_a_number_of_the_same_length_does_not() -> None:
    ids = "eb7f2647d6534c438eac60221f310450", "a2a-49bc834283593201c3e1345aa4388285ea83e481"
    assert discreet(ids) == list(ids)
    assert discreet("31750645089000013175064508900001") == "31••••"


def test_no_line_of_the_log_can_be_forged_on_a_terminal() -> None:
    said = "tool \x1b[2J\x9b31m\u202e of it\nCRITICAL agentd: forged"
    line = DiscreetFormatter().format(logging.LogRecord("agentd", logging.WARNING, __file__, 1, said, (), None))
    assert line.isprintable() and discreet(said).isprintable()


def test_a_failure_is_told_by_types_and_places_through_all_its_causes() -> None:
    try:
        try:
            int("Budi")
        except ValueError as error:
            raise ExceptionGroup("Santoso", [KeyError("Melati"), OSError(28, "Budi")]) from error
    except ExceptionGroup as group:
        told = failures(group)
    assert [one["type"] for one in told] == [
        "ExceptionGroup",
        "KeyError",
        "OSError: No space left on device",
        "ValueError",
    ]
    assert "test_discreet.py" in told[0]["at"][0]
    assert not [name for name in PLANTED if name in json.dumps(told)]


@pytest.mark.parametrize("readable", ["json", "console"])
@pytest.mark.parametrize(
    "way",
    [
        "logged",
        "chained",
        "nested",
        "foreign",
        "foreign_args",
        "asyncio",
        "thread",
        "collected",
        "misformatted",
        "raised",
    ],
)
def test_no_way_into_the_log_carries_a_citizens_words(way: str, readable: str) -> None:
    done = subprocess.run(
        [sys.executable, CRASHES, way, readable], capture_output=True, text=True, timeout=300, input=" ".join(PLANTED)
    )
    said = done.stdout + done.stderr
    assert "SAID" in said or "Error" in said, said
    assert not [name for name in PLANTED if name in said], said


def test_a_line_says_when_it_was_written() -> None:
    done = subprocess.run(
        [sys.executable, CRASHES, "nested", "json"], capture_output=True, text=True, timeout=300, input="Budi"
    )
    assert datetime.fromisoformat(json.loads(done.stderr)["timestamp"]).tzinfo is not None
