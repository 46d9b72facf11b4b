"""Whether what a model read in other words may be shown: by how near the embeddings find it to what was said."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agentd.apps.letters.policies.grounding import Grounded, ungrounded
from agentd.apps.letters.policies.meant import weighed
from agentd.apps.letters.policies.turns import LetterTurns
from agentd.messages import ToolCall, ToolOutcome
from tests.agentd.apps.letters.test_doubts import unproven, visit


class FixedMeaning:
    """Nearness from a table."""

    def __init__(self, near: dict[str, float]) -> None:
        self._near = near

    async def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
        return [self._near.get(text.rpartition(": ")[2], 0.0) for text in texts]


@pytest.mark.parametrize(("near", "kept"), [({"bird": 0.84, "dog": 0.84}, True), ({"bird": 0.82, "dog": 0.84}, False)])
async def test_a_choice_is_asked_for_where_another_means_more_nearly_what_was_said(
    near: dict[str, float], kept: bool
) -> None:
    asked = visit({"species": "bird"}, "my parrot has lost its feathers")
    (field,) = await weighed(ungrounded(asked), asked, FixedMeaning(near))
    assert field.doubtful is kept


@pytest.mark.parametrize(
    ("value", "line", "nearest", "shown"),
    [
        (True, "my dog barks at visitors", "hasPets", True),
        (True, "my dog barks at visitors", "unit", False),
        (True, "I have no pets", "hasPets", False),
    ],
)
async def test_a_yes_or_no_that_follows_is_shown_where_its_field_is_the_nearest_to_what_was_said(
    value: bool, line: str, nearest: str, shown: bool
) -> None:
    fields = {"hasPets": {"type": "boolean", "title": "Pets"}, "unit": {"type": "string", "title": "Flat"}}
    asked = visit({"hasPets": value}, line, **fields)
    titles = {"hasPets": "Pets: ", "unit": "Flat: "}

    class Nearest:
        async def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
            return [float(text == titles[nearest]) for text in texts]

    judged = await Grounded(meaning=Nearest()).before(asked)
    assert isinstance(judged, ToolCall) is shown and isinstance(await Grounded().before(asked), ToolOutcome)
    assert LetterTurns().supports(asked) is (line != "I have no pets")  # at the yes it is still what was said


def test_an_embedding_has_no_say_in_a_choice_that_was_named() -> None:
    field = unproven(visit({"species": "dog"}, "my dog or my neighbour's, I don't know, keeps limping")).get("species")
    assert field is None or not field.read
