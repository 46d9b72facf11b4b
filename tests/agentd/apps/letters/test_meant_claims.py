"""No answer claims a deed in a language that no pack reads: what its sentences mean is compared, not their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest

from agentd.agent.turn_policy import Turn, TurnPolicies, UnsupportedAnswer
from agentd.apps.letters.policies.turns import LetterTurns
from agentd.messages import Said
from agentd.testing import WordsMeaning
from bridges.meaning import BundledMeaning
from tests.agentd.apps.letters.letters import LETTER
from tests.agentd.apps.letters.test_claims import toolset

POLICY = TurnPolicies((LetterTurns(meaning=BundledMeaning()),))


async def withheld(answer: str, spoken: str, *said: Said) -> bool:
    """Whether an answer in this language is not shown."""
    turn = Turn("…", toolset(LETTER), said=said, spoken=spoken)
    try:
        await POLICY.weigh_answer(turn, answer)
    except UnsupportedAnswer:
        return True
    return False


@pytest.mark.parametrize(
    ("spoken", "answer"),
    [
        ("fr", "Merci beaucoup. Votre certificat a été délivré."),
        ("de", "Ihre Bescheinigung wurde ausgestellt."),
        ("es", "Su certificado ha sido emitido."),
        ("ja", "ありがとうございます。あなたの証明書が発行されました。"),
        ("hi", "आपका प्रमाणपत्र जारी कर दिया गया है।"),
        ("ru", "Вашу справку выдали."),
        ("sw", "Barua yako imetolewa."),
        ("ru", "Thank you for waiting. Вашу справку выдали."),
        ("en", "Thank you. Votre certificat a été délivré."),
    ],
)
async def test_a_claim_is_withheld_until_something_was_done(spoken: str, answer: str) -> None:
    assert await withheld(answer, spoken)
    done = Said(by="tool", order=2, text="{}", value={"number": "470/1/KEL/2026"}, tool=LETTER.name)
    assert not await withheld(answer, spoken, done)


@pytest.mark.parametrize(
    ("spoken", "answer"),
    [
        ("fr", "Votre certificat n'a pas encore été délivré. Quel est votre NIK ?"),
        ("de", "Um die Bescheinigung auszustellen, brauche ich Ihren Namen."),
        ("es", "El certificado cuesta cero rupias."),
        ("ja", "お名前を教えてください。"),
        ("ru", "Справка выдаётся бесплатно."),
        ("sw", "Jina lako ni nani?"),
        ("id", "Surat Anda telah diterbitkan."),  # a pack reads it: check_answer withholds it by its words
    ],
)
async def test_what_claims_nothing_or_is_read_by_words_passes(spoken: str, answer: str) -> None:
    assert not await withheld(answer, spoken)


async def test_each_sentence_of_a_streamed_answer_is_compared_once() -> None:
    class Counted(WordsMeaning):
        asked: ClassVar[list[str]] = []

        async def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
            self.asked.append(query)
            return await super().nearness(query, texts)

    policy = LetterTurns(meaning=Counted())
    for answer in ("Как вас зовут?", "Как вас зовут? Где вы живёте?"):
        await policy.weigh_answer(Turn("…", toolset(LETTER), session_id="s", spoken="ru"), answer)
    assert Counted.asked == ["Как вас зовут?", "Где вы живёте?"]
