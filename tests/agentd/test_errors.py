"""Errors of plug-ins: a class that names no code, type or status of its own has those of its parent."""

from __future__ import annotations

import pytest

from agentd.errors import BY_TYPE, AgentdError, Conflict, raised


@pytest.fixture
def taken() -> type[AgentdError]:
    class Taken(Conflict):
        """The hour is taken."""

    return Taken


def test_a_plug_ins_error_answers_as_its_parent_does(taken: type[AgentdError]) -> None:
    error = taken(hour="09:00")
    assert (error.code, error.type, error.status) == (-32011, "conflict", 409)
    assert error.json() == {"type": "conflict", "message": "The hour is taken.", "data": {"hour": "09:00"}}


@pytest.mark.parametrize("kind", sorted(BY_TYPE))
def test_a_record_makes_the_error_again(kind: str) -> None:
    error = BY_TYPE[kind]("Why.", retry_after_s=2.0)
    again = raised(error.json())
    assert (type(again), again.message, again.data) == (type(error), "Why.", {"retry_after_s": 2.0})
    assert raised({"type": "of_a_later_version", "message": "Why."}).code == -32603
