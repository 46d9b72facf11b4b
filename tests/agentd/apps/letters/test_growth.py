"""Nothing that a person writes makes a reader slow: twice the text costs at most 2.5 times (issue 15, row 1).

Here what the letters read, over texts that somebody wrote for it; tests/agentd/test_growth.py has the other readers,
and texts that nobody thought of.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

import pytest

from agentd.agent import actions, approval, language, streaming
from agentd.agent.toolset import Toolset
from agentd.agent.turn_policy import Offer, Turn
from agentd.apps.letters.claims import by_words
from agentd.apps.letters.claims.deeds import ASKED_BY
from agentd.apps.letters.claims.unfounded import unfounded
from agentd.apps.letters.evidence.fields import field
from agentd.apps.letters.evidence.reading import heard, pasted
from agentd.apps.letters.policies import grounding
from agentd.apps.letters.policies.lookups import unnamed
from agentd.apps.letters.policies.offer import ABOUT
from agentd.apps.letters.policies.turns import LetterTurns
from agentd.messages import Said, ToolInfo
from hardening.logs import mask
from tests.agentd.apps.letters.hostile import families
from tests.agentd.apps.letters.letters import call, letter, session
from tests.agentd.apps.letters.test_dialogue import TRIP
from tests.agentd.growing import MOST, grows

pytestmark = pytest.mark.slow
ARGUMENTS: dict[str, Any] = {
    "nama": "Budi Santoso",
    "nik": "3175064501900003",
    "tempat_lahir": "Jakarta",
    "tanggal_lahir": "1990-01-05",
    "agama": "Islam",
    "status_perkawinan": "Kawin",
    "pekerjaan": "Guru",
    "alamat_ktp": "Jl. Melati No. 5 RT 003/RW 007",
    "alamat_domisili": "Jl. Melati No. 5",
    "rt": "003",
    "telepon": "081234567890",
    "keperluan": "Melamar pekerjaan",
    "nama_usaha": "Warung Budi",
    "penghasilan": 2500000,
    "nama_ibu": "Siti",
}
LEXICON = field.form(letter().input_schema).lexicon
QUESTION = "A: Mohon sebutkan alamat dan keperluan Anda?"


OFFICIAL = Toolset((ToolInfo(name="generate_surat", server="certificate", official=True),), ())


LOOK_UP = ToolInfo(
    name="status",
    server="certificate",
    input_schema={"type": "object", "properties": {"number": {"type": "string", "x-agentd-kind": "code"}}},
)


def answered(words: str) -> None:
    by_words.false_claim(words, OFFICIAL, [Said(by="tool", order=0, tool="other", value=words)])


def action(words: str) -> None:
    for turn in (words, '{"action":"final","response":"' + words):
        with contextlib.suppress(actions.InvalidAction):
            actions.parse(turn)


def streamed(words: str) -> None:
    for start in ("", '{"action":"final","response":"'):
        answer = streaming.AnswerText()
        answer.feed(start)
        for at in range(0, len(words), 8):
            answer.feed(words[at : at + 8])


def judged(words: str) -> None:
    grounding.ungrounded(call(ARGUMENTS, QUESTION, words))


def of_a_trip(words: str) -> None:
    tool = letter().model_copy(update={"input_schema": {"type": "object", "properties": TRIP}})
    arguments = {"origin_city": "Solo", "departure_date": "2027-03-03", "departure_time": "19:00", "passengers": 4}
    grounding.ungrounded(call(arguments, QUESTION, words, tool=tool))


ACT, OTHER = (
    letter().model_copy(update={"name": name, "meta": {ASKED_BY: names}})
    for name, names in (("generate_surat", ["domisili", "surat domisili"]), ("generate_usaha", ["domisili usaha"]))
)
REQUIREMENTS = ToolInfo(
    name="requirements",
    server="certificate",
    input_schema={"type": "object", "properties": {"letter_type": {"type": "string"}}},
    meta={ABOUT: {"letter_type": []}},
)
COUNTER = (ACT, OTHER, LOOK_UP, REQUIREMENTS)


def offered(words: str) -> None:
    turn = Turn(words, Toolset(COUNTER, ()), said=session(words))
    LetterTurns().offer(turn, Offer(tools=COUNTER))


READERS: dict[str, Callable[[str], object]] = {
    "evidence": judged,
    "dialogue": of_a_trip,
    "offer": offered,
    "pasted": pasted.own_words,
    "reading": lambda words: heard.heard(words, LEXICON),
    "claims": answered,
    "unfounded": lambda words: unfounded(words, session(words[:100]), ""),
    "named": lambda words: unnamed(call({"number": "012/SKD/V/2026"}, words, tool=LOOK_UP)),
    "action": action,
    "stream": streamed,
    "others": lambda words: (language.detect(words), mask(words), approval.assents(words)),
}


@pytest.mark.parametrize("reader", READERS)
def test_twice_the_text_costs_at_most_two_and_a_half_times(reader: str) -> None:
    read = READERS[reader]
    read("Nama saya Budi Santoso, untuk melamar kerja.")
    steep = {name: factor for name, family in families().items() if (factor := grows(read, family)) > MOST}
    assert steep == {}


def test_a_huge_result_is_read_once_for_all_checks_of_a_run() -> None:
    rows = [{"id": 10**8 + number, "note": f"entry {number} of the clerk"} for number in range(8000)]
    said = [Said(by="tool", order=0, tool="book", text="{}", value=rows)]

    def cost() -> float:
        began = time.thread_time()
        assert unfounded("Nomor 9999999999.", said, "") is not None
        return time.thread_time() - began

    first = cost()
    assert min(cost() for _ in range(5)) < first / 5
