"""Replies of a model that are recorded and said again: the same words, and what is not recorded is counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentd.errors import ProviderFailure
from agentd.messages import ChatMessage, ModelRequest
from agentd.testing import ScriptedModel
from lab.eval.replies import Replies


def _request(said: str, attempt: int) -> ModelRequest:
    return ModelRequest(messages=(ChatMessage(role="user", content=said),), attempt=attempt)


async def test_what_was_recorded_is_said_again_and_what_was_not_fails(tmp_path: Path) -> None:
    file = tmp_path / "replies.json"
    recording = Replies(file, ScriptedModel.of('{"intent": "a"}', '{"plan": 1}'))
    recording.ask("Berapa?")
    for attempt in (0, 1):
        await recording.turn(_request("Berapa?", attempt))
    again = Replies(file)
    again.ask("Berapa?")
    assert [(await again.turn(_request("Berapa?", each))).text for each in (0, 1)] == ['{"intent": "a"}', '{"plan": 1}']
    assert (again.said, again.changed, again.lacking) == (2, 0, 0)
    await again.turn(_request("with other tables", 1))
    with pytest.raises(ProviderFailure, match="not recorded"):
        await again.turn(_request("put right", 2))
    assert (again.said, again.changed, again.lacking) == (3, 1, 1)
