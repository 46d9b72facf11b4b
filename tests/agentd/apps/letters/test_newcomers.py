"""A newcomer's tool, its schema as an SDK makes it of a function: taken at once, and after a question."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.letters.policies.grounding import refusal, ungrounded
from agentd.messages import Said, ToolInfo
from tests.agentd.apps.letters.letters import call

DAY = {"type": "string", "format": "date"}
TEXTS = ("pet_name", "owner_name", "food", "current_home", "new_home", "phone", "contact_email")
PROPERTIES: dict[str, Any] = {
    **{name: {"title": name.replace("_", " ").title(), "type": "string"} for name in TEXTS},
    **{name: {"title": name.replace("_", " ").title(), **DAY} for name in ("birth_date", "start_date", "last_visit")},
    "species": {"title": "Species", "type": "string", "enum": ["dog", "cat", "rabbit"]},
    "urgent": {"title": "Urgent", "type": "boolean", "default": False},
}
CARE = ToolInfo(
    name="book_pet_care",
    server="care",
    official=True,
    description="Book care for a pet.",
    input_schema={"type": "object", "properties": PROPERTIES},
)


def missing(arguments: dict[str, Any], *lines: str) -> set[str]:
    """What is missing for the tool that has the arguments' fields."""
    tool = CARE if arguments.keys() <= PROPERTIES.keys() else WORKSHOP
    made = call(arguments, *lines, tool=tool)
    said = tuple(each.model_copy(update={"day": "2026-11-23"}) for each in made.said)
    return {field.path for field in ungrounded(made.model_copy(update={"said": said}))}


WORKSHOP = ToolInfo(
    name="open_repair_order",
    server="workshop",
    official=True,
    description="Open a repair order for a customer's bike.",
    input_schema={
        "type": "object",
        "properties": {
            **{name: {"type": "string"} for name in ("customer_name", "customer_email", "problem", "brand")},
            **{name: {"type": "string"} for name in ("pickup_address", "colour")},
            "drop_off_date": DAY,
            "service": {"enum": ["safety check", "basic service", "full service"]},
            "blood_type": {"enum": ["O+", "O-", "A+", "A-"]},
            "courier_pickup": {"type": "boolean", "default": False},
        },
    },
)
OFFERS = "A: We do a safety check, a basic service and a full service. Which one?"
ADDRESS = "7 Mill Street, Harrow"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"species": "dog"}, ["my pet is a big dog"]),
        ({"species": "cat"}, ["not a dog but a cat"]),
        ({"urgent": True}, ["It's urgent."]),
        ({"phone": "555-0142"}, ["A: And a phone number?", "555-0142"]),
        ({"last_visit": "2026-05-08"}, ["our last visit was on 8 May"]),
        ({"last_visit": "2026-11-16"}, ["A: When was the last visit?", "last Monday"]),
        ({"start_date": "2026-12-04"}, ["A: Which species, and when?", "a cat, the 4th"]),
        ({"start_date": "2027-01-11"}, ["the start is on 11 January 2027"]),
        ({"owner_name": "Carl Benson"}, ["the owner is Carl Benson"]),
        ({"contact_email": "lena@example.org"}, ["my email is lena@example.org"]),
        ({"food": "fish"}, ["I will bring food: fish"]),
        ({"customer_name": "Fiona McLeod"}, ["Hi, I'm Fiona McLeod."]),
        ({"problem": "the rear brake squeaks"}, ["The problem is that the rear brake squeaks."]),
        ({"customer_email": "gwen@farr.net"}, ["please write me at gwen@farr.net"]),
        ({"pickup_address": ADDRESS}, [f"My address is {ADDRESS}."]),
        ({"service": "full service"}, [OFFERS, "the full one"]),
        ({"blood_type": "O-"}, ["blood type O-"]),
        ({"blood_type": "o-"}, ["blood type O-"]),
        ({"drop_off_date": "2026-12-05"}, ["A: When will you bring it?", "Saturday, December 5th"]),
        (
            {"courier_pickup": True, "pickup_address": ADDRESS},
            ["A: Please tell me: courier pickup and pickup address.", f"yes, {ADDRESS}"],
        ),
        ({"courier_pickup": True}, ["A: Is a courier pickup wanted?", "yes it is"]),
    ],
)
def test_a_value_that_its_form_or_the_question_tells_is_taken_at_once(
    arguments: dict[str, Any], said: list[str]
) -> None:
    assert missing(arguments, *said) == set()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"species": "dog"}, ["hot dog stands are closed today"]),
        ({"species": "cat"}, ["I came with a cat ear headband, sorry"]),
        ({"start_date": "2026-12-18"}, ["The holidays start on 18 December 2026"]),
        ({"start_date": "2026-12-18"}, ["kontrak rumah saya start 18 Desember 2026"]),
        ({"last_visit": "2026-10-05"}, ["the last visit of my landlord was on 5 October 2026"]),
        ({"owner_name": "Carl Benson"}, ["the owner of the shop is Carl Benson"]),
        ({"owner_name": "Carl Benson"}, ["the house owner is Carl Benson"]),
        ({"food": "a drum kit"}, ["soon I will buy a drum kit"]),
        ({"last_visit": "2027-05-08"}, ["our last visit was on 8 May"]),
        ({"birth_date": "2026-11-24"}, ["I'd like to come tomorrow"]),
        ({"customer_name": "Fiona McLeod"}, ["I'm Fiona McLeod, the bike is my brother's"]),
        ({"brand": "the rear brake squeaks"}, ["My bike is here, the rear brake squeaks."]),
        ({"pickup_address": "5 Dock Street"}, ["your shop is at 5 Dock Street"]),
        ({"service": "basic service"}, [OFFERS, "the full one"]),
        ({"service": "full service"}, ["What does the full service cost?"]),
        ({"blood_type": "O+"}, ["blood type O-"]),
        ({"blood_type": "O+"}, ["blood type O"]),
        ({"blood_type": "o-"}, ["blood type O+"]),
        ({"drop_off_date": "2026-12-05"}, ["A: When will you bring it?", "Sunday, December 5th"]),
        ({"courier_pickup": True}, ["A: Please tell me: courier pickup and pickup address.", f"no, {ADDRESS}"]),
    ],
)
def test_a_value_of_another_form_person_or_offer_is_asked(arguments: dict[str, Any], said: list[str]) -> None:
    assert missing(arguments, *said) == set(arguments)


def test_the_hosts_own_question_is_answered_in_its_order() -> None:
    homes = {"current_home": "Oak Hill", "new_home": "Lakeside", "owner_name": "Ella Stone"}
    asked = call(homes, "Hello", tool=CARE)
    question = refusal(asked, ungrounded(asked)).message
    assert missing(homes, "Hello", f"A: {question}", "Ella Stone, Oak Hill, Lakeside") == set()
    swapped = {"current_home": "Lakeside", "new_home": "Oak Hill"}
    assert missing(swapped, "Hello", f"A: {question}", "Ella Stone, Oak Hill, Lakeside") == set(swapped)


@pytest.mark.parametrize("answer", ["Ella Stone is my sister", "not Ella Stone", "Ella Stone?", "maybe Ella Stone"])
def test_a_part_that_says_more_than_the_value_is_no_answer_by_its_place(answer: str) -> None:
    assert missing({"pet_name": "Ella Stone"}, "A: Please tell me: pet name.", answer) == {"pet_name"}


LIBRARY = ToolInfo(
    name="lend_book",
    server="library",
    official=True,
    description="Lend a book to a member of the library.",
    input_schema={
        "type": "object",
        "required": ["member_number", "due_date", "copies"],
        "properties": {
            "member_number": {"title": "Member Number", "type": "string"},
            "due_date": {"title": "Due Date", **DAY},
            "copies": {"title": "Copies", "type": "integer"},
        },
    },
)


@pytest.mark.parametrize(
    ("question", "answer", "copies"),
    [
        ("Please tell me: member number.", "M-20417", 20417),
        ("Please tell me: member number.", "20417", 20417),
        ("What is your name?", "M-20417", 20417),
        ("Anything else?", "it is HX-77420-B", 77420),
    ],
)
def test_the_digits_of_a_code_are_no_count(question: str, answer: str, copies: int) -> None:
    made = call({"copies": copies}, "I want to borrow a book", f"A: {question}", answer, tool=LIBRARY, language="en")
    assert "copies" in {field.path for field in ungrounded(made)}


def test_a_code_and_a_count_in_one_message_are_told_apart() -> None:
    given = {"member_number": "M-20417", "copies": 2}
    made = call(given, "my member number is M-20417, 2 copies please", tool=LIBRARY, language="en")
    assert {field.path for field in ungrounded(made)} == {"due_date"}


def test_who_answers_a_question_for_many_with_nothing_is_asked_for_the_first_alone() -> None:
    asked = call({}, "I want to borrow a book", tool=LIBRARY, language="en")
    first = refusal(asked, ungrounded(asked))
    assert first.message == "Please tell me: member number, due date and copies."
    answer = Said(by="agent", order=9, text=first.message, tool=LIBRARY.name, value=first.output)
    again = asked.model_copy(update={"said": (*asked.said, answer, Said(by="citizen", order=10, text="uh, well"))})
    alone = refusal(again, ungrounded(again))
    assert (alone.message, alone.missing) == ("Please tell me: member number.", ("member_number",))
    number = Said(by="citizen", order=10, text="member number M-20417, due date 5 December 2026", day="2026-11-23")
    more = asked.model_copy(
        update={"said": (*asked.said, answer, number), "input": {"member_number": "M-20417", "due_date": "2026-12-05"}}
    )
    assert refusal(more, ungrounded(more)).missing == ("copies",)
