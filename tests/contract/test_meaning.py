"""What every Meaning keeps, asked of the twin that counts words and of the bundled model."""

from __future__ import annotations

import pytest

from agentd.ports import Meaning
from agentd.testing import WordsMeaning
from bridges.meaning import BundledMeaning


@pytest.fixture(params=[WordsMeaning, pytest.param(BundledMeaning, marks=pytest.mark.slow)])
def meaning(request: pytest.FixtureRequest) -> Meaning:
    made: Meaning = request.param()
    return made


async def test_the_text_that_says_the_same_is_nearest_wherever_it_stands(meaning: Meaning) -> None:
    texts = ["weather of a city tomorrow", "the time of day now", "a letter of domicile"]
    for order in (texts, texts[::-1]):
        scores = await meaning.nearness("the time of day now", order)
        assert order[scores.index(max(scores))] == "the time of day now"


async def test_no_text_has_no_nearness_and_odd_ones_have_one_each(meaning: Meaning) -> None:
    assert await meaning.nearness("x", []) == []
    assert len(await meaning.nearness("", ["", "\ud800", "x" * 1500])) == 3
