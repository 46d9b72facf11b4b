"""`agentd purge` beside a daemon that erases by itself: what has gone meanwhile ends nothing."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.cli.client import Refused
from clients.purge import _erased


class Daemon:
    """Refuses to delete what is not there, and what it may not."""

    async def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        kinds = {"gone": "not_found", "another's": "forbidden"}
        if (session := params["session_id"]) in kinds:
            raise Refused({"code": -32010, "message": "no", "data": {"type": kinds[session]}})
        return {"runs": 3, "pending": []}


async def test_a_conversation_that_has_gone_meanwhile_is_passed_over() -> None:
    here = {"runs": 3, "pending": []}
    assert [await _erased(Daemon(), session) for session in ("here", "gone", "here")] == [here, {}, here]


async def test_any_other_refusal_ends_it() -> None:
    with pytest.raises(Refused):
        await _erased(Daemon(), "another's")
