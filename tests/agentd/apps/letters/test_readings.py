"""What was read of a citizen's words is kept for that session, and goes with it."""

from __future__ import annotations

import functools
import gc
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agentd.application import Wiring
from agentd.apps.letters.app import Letters
from agentd.apps.letters.evidence.claims import parts
from agentd.apps.letters.evidence.reading import readings
from agentd.apps.letters.policies.grounding import ungrounded
from agentd.messages import ToolCall
from tests.agentd.apps.letters.letters import call

ARGUMENTS = {"nama": "Budi Santoso", "tempat_lahir": "Bandung", "pekerjaan": "guru"}
WORDS = "nama saya Budi Santoso, lahir di Bandung, pekerjaan guru, alamat Jl. Melati 5 RT 3"


def of_session(session_id: str, words: str = WORDS) -> ToolCall:
    return call(ARGUMENTS, words).model_copy(update={"session_id": session_id})


def process_wide() -> dict[str, int]:
    """How many answers each lru_cache of the daemon keeps."""
    gc.unfreeze()  # what the tests' warm start froze isn't listed
    caches = [each for each in gc.get_objects() if type(each) is functools._lru_cache_wrapper]
    gc.freeze()  # again, or each later collection looks through it
    mine = (each for each in caches if str(getattr(each, "__module__", "")).startswith("agentd."))
    return {f"{each.__module__}.{each.__qualname__}": each.cache_info().currsize for each in mine}


def test_no_cache_of_the_process_keeps_what_a_citizen_says() -> None:
    ungrounded(of_session("first"))
    before = process_wide()
    other = {"nama": "Siti Aminah", "tempat_lahir": "Magelang", "pekerjaan": "perawat"}
    ungrounded(call(other, "nama saya Siti Aminah, lahir di Magelang, pekerjaan perawat, alamat Jl. Kenanga 7 RT 4"))
    ungrounded(call({"keperluan": "melamar pekerjaan"}, "suratnya keperluannya melamar pekerjaan di Magelang"))
    assert process_wide() == before


async def test_forgetting_a_session_leaves_what_was_read_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    reader = parts.lines

    def counted(*arguments: Any) -> Any:
        read.append(arguments)
        return reader(*arguments)

    monkeypatch.setattr(parts, "lines", counted)
    app = Letters(cast("Wiring", SimpleNamespace(meaning=None)))
    for session in ("a", "b", "a", "b"):
        assert app.turns.supports(of_session(session))
    assert len(read) == 2
    await app.forget("a")
    assert app.turns.supports(of_session("b")) and len(read) == 2
    assert app.turns.supports(of_session("a")) and len(read) == 3


def test_readings_are_bounded_in_a_session_and_in_sessions() -> None:
    sessions = readings.SessionReadings()
    first = sessions.of("first")
    for number in range(readings.MOST_READINGS + 1):
        first.remember(number, lambda: "read before")
    assert first.remember(0, lambda: "read again") == "read again"
    for number in range(readings.MOST_SESSIONS):
        sessions.of(str(number))
    assert sessions.of("first") is not first


def test_readings_of_all_sessions_together_are_bounded_and_the_last_sessions_stay() -> None:
    sessions = readings.SessionReadings()
    each = [sessions.of(name) for name in ("first", "second", "third")]
    for of_one, number in product(each, range(readings.MOST_TOGETHER // 3 + 1)):
        of_one.remember(number, lambda: "read")
    assert sessions.of("third") is each[2]
    assert sessions.of("second") is each[1]
    assert sessions.of("first") is not each[0]
