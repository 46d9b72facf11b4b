"""Words that fit a field of free text only by chance are never filled in: the citizen sees them marked or is asked.

Nearly all messages are from public dialogues: Schema-Guided Dialogue (development files) and Microsoft's E2E chats.
"""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.letters.policies.copying import copied
from agentd.apps.letters.policies.grounding import case_of
from agentd.messages import ToolInfo
from tests.agentd.apps.letters.letters import session

PROPERTIES: dict[str, Any] = {
    "destination_city": {"type": "string", "description": "City to go to"},
    "pickup_time": {"type": "string", "format": "time", "description": "Time of pick-up"},
    "reading_date": {"type": "string", "format": "date", "description": "Day of the reading"},
    "passengers": {"type": "integer", "description": "Number of passengers"},
    "zip_code": {"type": "string", "description": "Zip code"},
    "recipient_name": {"type": "string", "description": "Name of who receives it"},
    "colour": {"type": "string", "description": "Colour of the ribbon"},
}
TOOL = ToolInfo(
    name="book_bus",
    server="buses",
    official=True,
    description="Reserve a bus",
    input_schema={"type": "object", "properties": PROPERTIES},
)


def filled(*lines: str, day: str = "2026-11-30") -> dict[str, Any]:
    said = tuple(one.model_copy(update={"day": day}) for one in session(*lines))
    return dict(copied(TOOL, case_of(TOOL, said)).known)


@pytest.mark.parametrize(
    ("question", "answer", "field", "value"),
    [
        ("Where you planning to go?", "I'm headed to Chicago", "destination_city", "Chicago"),
        ("Which city should I look in?", "Look in Vacaville", "destination_city", "Vacaville"),
        ("Which city are you going to?", "San Jose", "destination_city", "San Jose"),
        ("Who should receive it?", "Ella Stone, and call her first", "recipient_name", "Ella Stone"),
        ("What colour?", "navy blue", "colour", "navy blue"),
        ("How many passengers?", "2", "passengers", 2),
        ("And the zip code?", "98121", "zip_code", "98121"),
    ],
)
def test_the_words_that_answer_are_filled_in(question: str, answer: str, field: str, value: object) -> None:
    assert filled("I need a bus", f"A: {question}", answer).get(field) == value


@pytest.mark.parametrize(
    ("question", "answer", "field"),
    [
        ("You will be going to Fresno Station.", "I like that. Please reserve the bus.", "destination_city"),
        ("What dates are you looking to travel on?", "I need to leave on the 8th of this month.", "destination_city"),
        ("Would you like to see it in standard or 3D?", "standard", "destination_city"),
        ("Which city are you going to?", "What are some other options", "destination_city"),
        ("Who should receive it?", "Send it to Philip.", "recipient_name"),
        ("Which apartment, and whose name?", "207. Eleanor Whitcombe", "recipient_name"),
        ("A bouquet? What colour?", "yeah bouquet, red obv", "colour"),
        ("What time?", "tonight at 8", "zip_code"),
        ("What is the pickup location?", "3442 Cypress Club Dr, Charlotte, NC", "zip_code"),
        ("Can you give me the street name for the hotel?", "2001 Point W Way, Sacramento", "passengers"),
    ],
)
def test_words_that_something_else_explains_better_are_not(question: str, answer: str, field: str) -> None:
    known = filled("I need a bus", f"A: {question}", answer)
    assert known.get(field) in (None, "Philip", "Eleanor Whitcombe")


def test_a_day_without_its_year_that_was_rather_the_last_one_is_not_filled_in() -> None:
    lines = ("I need a bus", "A: Which day did you read it?")
    assert "reading_date" not in filled(*lines, "30 september, I think", day="2026-10-01")
    assert filled(*lines, "5 october", day="2026-10-01")["reading_date"] == "2026-10-05"
