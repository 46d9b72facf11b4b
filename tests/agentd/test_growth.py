"""Every reader of a person's text, over texts that nobody thought of: twice the text costs at most 2.5 times.

The texts come from a fixed seed (`derandomize`), so that each run tries the same ones.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentd.agent import history, prompts
from agentd.agent.history import PastTurn
from agentd.agent.text import fold
from agentd.agent.toolset import Toolset
from agentd.apps.analytics import vocabulary
from agentd.apps.analytics.planner import entries, examples
from agentd.apps.analytics.question import periods
from agentd.apps.letters.evidence.normalisers.texts import content
from agentd.errors import InvalidParams
from agentd.messages import AgentStep
from agentd.observability.logging import discreet
from agentd.rpc.methods.agent import RunParams
from agentd.rpc.params import read
from hardening.logs import DiscreetFormatter
from tests.agentd.apps.letters.hostile import PIECES, families
from tests.agentd.apps.letters.test_growth import READERS as LETTERS
from tests.agentd.growing import MOST, grows

pytestmark = pytest.mark.slow
TODAY = date(2026, 1, 5)
NO_TOOLS = Toolset(tools=(), servers=())
WORDS = [
    *("sejak ", "januari ", "sampai ", "2023 ", "q1 ", "3 bulan terakhir ", "1/2023 ", "per ", "vs "),
    *("sblm ", "total ", "penjualan ", "pelanggan ", "mata kuliah ", "prasyarat ", "sks "),
    *('{"a":', '"a":[', "```json", "NIK 3175064501900003 ", "session_id", "Bearer "),
]
LONG = 10**9


def said(words: str) -> None:
    turn = PastTurn(words, words, (AgentStep(tool="t", server="s", input={"a": words}, success=True, output=words),))
    history.messages([turn, turn], LONG, NO_TOOLS)
    history.evidence([turn, turn])


def answered(words: str) -> None:
    with contextlib.suppress(entries.Unreadable):
        entries.json_object(words)


def prompt(words: str) -> None:
    with contextlib.suppress(InvalidParams):
        read(RunParams, {"prompt": words}, LONG)


def logged(words: str) -> None:
    record = logging.LogRecord("agentd", logging.INFO, __file__, 1, words, (), None)
    DiscreetFormatter().format(record)
    discreet({"prompt": words, "steps": [{"reason": words}]})


READERS: dict[str, Callable[[str], object]] = {
    **LETTERS,
    "words": lambda words: content(fold(words)),
    "history": said,
    "request": lambda words: prompts.request(words, "id"),
    "prompt": prompt,
    "log": logged,
    "periods": lambda words: periods.periods_of(words, TODAY),
    "shorthands": vocabulary.in_full,
    "likeness": examples.telling_words,
    "object": answered,
}
PIECE = st.lists(st.one_of(st.sampled_from([*PIECES.values(), *WORDS]), st.text(max_size=3)), min_size=1, max_size=4)


@pytest.mark.parametrize("reader", READERS)
def test_twice_any_text_costs_at_most_two_and_a_half_times(reader: str) -> None:
    read = READERS[reader]
    read("Nama saya Budi Santoso, untuk melamar kerja sejak Januari 2023.")

    @settings(derandomize=True, max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(head=st.text(max_size=5), piece=PIECE.map("".join).filter(bool), tail=st.sampled_from(["", '"', "}", "\n"]))
    def repeated(head: str, piece: str, tail: str) -> None:
        def family(size: int) -> str:
            return head + piece * (size // len(piece)) + tail

        assert grows(read, family) <= MOST

    repeated()


@pytest.mark.parametrize("reader", [name for name in READERS if name not in LETTERS])
def test_twice_a_text_made_to_be_slow_costs_at_most_two_and_a_half_times(reader: str) -> None:
    read = READERS[reader]
    made: dict[str, Any] = {
        **families(),
        **{word: lambda size, word=word: word * (size // len(word)) for word in WORDS},
    }
    steep = {name: factor for name, family in made.items() if (factor := grows(read, family)) > MOST}
    assert steep == {}
