"""What a model read in the citizen's words and no rule can prove: shown to be checked before the yes, or asked back."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.policies.grounding import Grounded, ungrounded
from agentd.messages import ApprovalRule, Said, ToolCall, ToolInfo, ToolOutcome
from tests.agentd.apps.letters.letters import call

VISIT: dict[str, Any] = {
    "owner_name": {"type": "string"},
    "pet_name": {"type": "string"},
    "species": {"type": "string", "enum": ["dog", "cat", "bird"]},
    "age_years": {"type": "integer"},
    "appointment_date": {"type": "string", "format": "date"},
    "phone": {"type": "string"},
}
NIK = "3301025207790003"
FORM: dict[str, Any] = {
    "nama_anak": {"type": "string", "format": "person-name"},
    "tgl_lahir": {"type": "string", "format": "date"},
    "nama_wali": {"type": "string", "format": "person-name"},
    "nik_wali": {"type": "string", "format": "nik"},
}


def visit(arguments: dict[str, Any], *lines: str | Said, rule: ApprovalRule = "citizen", **properties: Any) -> ToolCall:
    schema = {"type": "object", "properties": properties or VISIT}
    tool = ToolInfo(
        name="enter", server="desk", official=True, description="Enter it", input_schema=schema, approval=rule
    )
    written = [line for line in lines if isinstance(line, str)]
    spoken = tuple(line for line in lines if isinstance(line, Said))
    return call(arguments, *written, tool=tool, said=spoken, language="en")


def unproven(asked: ToolCall) -> dict[str, Field]:
    return {field.path: field for field in ungrounded(asked)}


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"pet_name": "Biscuit", "owner_name": "Ada Quist"}, ("Biscuit is limping", "Ada Quist")),
        ({"owner_name": "Ada Quist"}, ("my dog is limping", "A: What are your name and his?", "Ada Quist")),
        ({"species": "dog"}, ("my dog keeps limping since we moved house",)),
        ({"pet_name": "Noodle"}, ("cat ate a hair tie", "cat's called Noodle, shes 1")),
        ({"appointment_date": "2026-12-01"}, ("can I bring my limping dog in on 1 December 2026?",)),
    ],
)
async def test_what_was_said_and_may_be_meant_is_marked_where_the_citizen_says_yes(
    arguments: dict[str, Any], lines: tuple[str, ...]
) -> None:
    passed = await Grounded().before(visit(arguments, *lines))
    assert isinstance(passed, ToolCall)
    assert set(passed.doubted) == set(unproven(visit(arguments, *lines))) != set()


async def test_a_word_of_another_fields_name_near_a_value_does_not_turn_it_down() -> None:
    lines = ("his name is Waffles", "A: Great name. What brings Waffles in?", "just a general check up")
    fields = {"pet_name": {"type": "string"}, "reason": {"type": "string"}}
    passed = await Grounded().before(visit({"reason": "general check up"}, *lines, **fields))
    assert isinstance(passed, ToolCall) and set(passed.doubted) == {"reason"}
    refused = await Grounded().before(visit({"reason": "Waffles"}, *lines, **fields))
    assert isinstance(refused, ToolOutcome) and refused.missing == ("reason",)


@pytest.mark.parametrize("rule", ["never", "staff"])
async def test_it_is_asked_back_where_nobody_shows_it_to_them(rule: ApprovalRule) -> None:
    refused = await Grounded().before(visit({"species": "dog"}, "my dog keeps limping since we moved", rule=rule))
    assert isinstance(refused, ToolOutcome)
    assert refused.output == {"missing": ["species"], "labels": ["species"], "offered": {"species": "dog"}}


async def test_in_a_language_that_no_pack_reads_nothing_is_marked() -> None:
    asked = visit({"species": "dog"}, "my dog keeps limping since we moved house").model_copy(update={"spoken": "sw"})
    refused = await Grounded().before(asked)
    assert isinstance(refused, ToolOutcome) and refused.missing == ("species",)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"pet_name": "Rex"}, ("Biscuit is limping",)),
        ({"appointment_date": "2026-12-01"}, ("if I came on 1 December 2026, what would it cost?",)),
        ({"appointment_date": "2026-12-01"}, ("I can't come on 1 December 2026",)),
        ({"phone": "0161 496 0733"}, ("my neighbour's phone is 0161 496 0733",)),
        ({"pet_name": "Rex"}, ("it's called Rex", "sorry, that was wrong")),
        ({"pet_name": "Bello"}, ("it's about Bello", "sorry, the right name is Biscuit, not Bello")),
    ],
)
async def test_what_was_not_said_or_only_supposed_denied_anothers_or_taken_back_passes_nobody(
    arguments: dict[str, Any], lines: tuple[str, ...]
) -> None:
    assert isinstance(await Grounded().before(visit(arguments, *lines)), ToolOutcome)


def test_a_relatives_nik_is_not_even_asked_back_and_a_name_is() -> None:
    found = unproven(
        visit({"nik_wali": NIK, "nama_wali": "Kenzo"}, f"NIK tetangga saya {NIK}", "cucu saya Kenzo", **FORM)
    )
    assert (found["nik_wali"].said, found["nama_wali"].said) == (False, True)


def test_a_birthday_is_the_childs_where_a_form_names_others_and_not_the_citizen() -> None:
    asked = visit({"tgl_lahir": "2020-01-30"}, "Kenzo anak saya lahirnya tanggal 30 januari 2020", **FORM)
    assert all(field.doubtful for field in unproven(asked).values())


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("Saya ayahnya, Andri Pratama, wiraswasta", True),
        ("Saya pamannya, Andri Pratama, wiraswasta", True),
        ("Saya temannya, Andri Pratama, wiraswasta", False),
        ("Saya Andri Pratama, wiraswasta", False),
    ],
)
def test_who_says_that_they_are_the_father_is_whom_the_form_calls_the_guardian(line: str, shown: bool) -> None:
    fields = {**FORM, "asal_tk": {"type": "string"}, "pekerjaan_wali": {"type": "string"}}
    parents = {"nama_wali": "Andri Pratama", "pekerjaan_wali": "wiraswasta"}
    lines = ("Nama anak Muhammad Rafa, lahir di Bogor, dari TK Melati", line)
    found = unproven(visit(parents, *lines, **fields))
    assert all(field.doubtful for field in found.values() if field.path in parents) is shown


@pytest.mark.parametrize(("name", "value"), [("owner_name", "Ada Quist"), ("phone", "0161 496 0733")])
def test_a_yes_takes_no_name_and_no_number_that_the_agent_made_up(name: str, value: str) -> None:
    found = unproven(visit({name: value}, "our dog is ill", f"A: Are you {value}?", "Yes."))
    assert not found[name].said


@pytest.mark.parametrize(("age", "said"), [(2, True), (20, False)])
def test_a_small_number_may_follow_from_other_words_and_is_asked_back(age: int, said: bool) -> None:
    found = unproven(visit({"age_years": age}, "my parrot hatched in the year before last"))["age_years"]
    assert (found.said, found.doubtful) == (said, False)


@pytest.mark.parametrize(
    ("line", "doubtful"),
    [
        ("my parrot has lost its feathers", True),
        ("my parrot is afraid of the cat", False),  # names another choice
        ("I used to have a bird", False),
        ("what if I had a bird?", False),
    ],
)
def test_a_choice_that_nothing_names_may_follow_from_other_words_and_is_to_be_checked(
    line: str, doubtful: bool
) -> None:
    assert unproven(visit({"species": "bird"}, line))["species"].doubtful is doubtful


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"problem": "the rear brake squeaks"}, ("My bike is here, the rear brake squeaks.",)),
        ({"pickup_address": "7 Mill Street, Harrow"}, ("I live at 7 Mill Street, Harrow.",)),
        ({"name": "nine one three"}, ("A: What are the last digits?", "let me see, nine one three")),
        ({"pickup_address": "Work"}, ("Work address: 9 Harbour Square",)),
        ({"sender_name": "Ada Quist"}, ("A: What's your name, and who is it for?", "Ada Quist. It's for Bo Larsen.")),
        ({"recipient_name": "Ada Quist"}, ("a parcel to collect", "A: Your name, and who is it for?", "Ada Quist")),
    ],
)
def test_words_are_not_a_texts_because_no_other_field_is_left_for_them(
    arguments: dict[str, Any], lines: tuple[str, ...]
) -> None:
    texts = {key: {"type": "string"} for key in ("name", "problem", "pickup_address", "sender_name", "recipient_name")}
    assert set(unproven(visit(arguments, *lines, **texts))) == set(arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"recipient_name": "going to be two"}, "just the one, it was going to be two"),
        ({"age_years": 7700900655}, "07700900655"),
        ({"check_out": "2026-11-29"}, "check in 11 December 2026, check out Sunday"),
    ],
)
def test_what_no_value_of_its_kind_looks_like_is_none(arguments: dict[str, Any], said: str) -> None:
    kinds = {
        "recipient_name": {"type": "string"},
        "age_years": {"type": "integer"},
        "check_in": {"type": "string", "format": "date"},
        "check_out": {"type": "string", "format": "date"},
    }
    asked = visit(arguments, Said(by="citizen", order=1, text=said, day="2026-11-28"), **kinds)
    assert [(field.path, field.doubtful) for field in ungrounded(asked)] == [(next(iter(arguments)), False)]


@pytest.mark.parametrize(
    ("problem", "said", "shown"),
    [
        ("the fridge. It hums like a truck", "It's the fridge. It hums like a truck and my milk is sour.", True),
        ("the fridge. It leaks", "It's the fridge. It hums like a truck.", False),
        ("scratched the left door, it's maybe 20 cm", "he scratched the left door, it's maybe 20 cm", True),
        ("the left door", "maybe he scratched the left door", False),
    ],
)
def test_a_text_may_go_over_two_sentences_and_hold_words_of_doubt(problem: str, said: str, shown: bool) -> None:
    fields = {"problem": {"type": "string"}, "brand": {"type": "string"}}
    found = unproven(visit({"problem": problem}, said, **fields))
    assert all(field.doubtful for field in found.values()) is shown


def test_two_people_are_counted_in_one_word() -> None:
    seats = {"jumlah_kursi": {"type": "integer"}}
    found = unproven(visit({"jumlah_kursi": 2}, "mau ke Solo, berdua sama adik", **seats))
    assert all(field.doubtful for field in found.values())


@pytest.mark.parametrize(
    ("question", "answer", "stands"),
    [
        ("Do you want a reminder?", "no", True),
        ("Sudah pernah ke sini?", "belum", True),
        ("So it is Biscuit?", "no", False),
        ("Namanya Biscuit?", "bukan", False),
        ("Is that correct?", "no", False),
        ("Sudah benar?", "belum", False),
    ],
)
def test_a_no_to_another_question_takes_nothing_back(question: str, answer: str, stands: bool) -> None:
    found = unproven(visit({"pet_name": "Biscuit"}, "our dog's name is Biscuit", f"A: {question}", answer))
    assert all(field.doubtful for field in found.values()) is stands


@pytest.mark.parametrize(
    ("value", "line", "said"),
    [
        ("PHR605", "P-H-R 6-0-5, it is on the key", True),
        ("9132", "let me see, nine one three two", True),
        ("9132", "let me see, nine one three two five", False),
        ("PHR605", "P-H-R 6-0", False),
    ],
)
def test_a_code_may_be_dictated(value: str, line: str, said: bool) -> None:
    fields = {"plate": {"type": "string", "description": "Four digits, or the plate"}}
    last_four = {"card_last4": {"type": "string", "pattern": "^[0-9]{4}$"}}
    for properties in (fields, last_four) if value.isdecimal() else (fields,):
        (name,) = properties
        found = unproven(visit({name: value}, f"A: What is your {name.replace('_', ' ')}?", line, **properties))
        assert all(field.doubtful for field in found.values()) is said


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("permissionToEnter", False, "I have never had to complain"),
        ("contains_id", True, "my number is 085 555 0191"),
        ("new_damage", True, "I have a new phone"),
    ],
)
def test_a_small_word_of_a_fields_name_says_no_yes_and_no_no(name: str, value: bool, line: str) -> None:
    (field,) = unproven(visit({name: value}, line, **{name: {"type": "boolean"}})).values()
    assert not field.doubtful


@pytest.mark.parametrize("name", ["patient_name", "full_name"])
def test_who_a_form_serves_may_be_anybody_whom_the_question_asks_for(name: str) -> None:
    fields = {name: {"type": "string", "format": "person-name"}}
    lines = ("I come for my father", "A: What is your father's name?", "Tadeusz Kowalczyk")
    found = unproven(visit({name: "Tadeusz Kowalczyk"}, *lines, **fields))
    assert all(field.doubtful for field in found.values())


@pytest.mark.parametrize(
    ("line", "doubtful"), [("my wife says 350 guests now", True), ("for example 350 guests", False)]
)
def test_a_report_leaves_a_tools_own_field_to_be_checked(line: str, doubtful: bool) -> None:
    guests = {"guests": {"type": "integer"}}
    assert unproven(visit({"guests": 350}, line, **guests))["guests"].doubtful is doubtful


@pytest.mark.parametrize(
    ("question", "answer", "shown"),
    [
        ("Is anybody else ill?", "no, only him. I'm Ada", True),
        ("So it is a dog, is that right?", "no, that's wrong", False),
        ("What is your name?", "Ada, and the species is wrong", False),
    ],
)
def test_a_denial_reaches_only_what_it_answers(question: str, answer: str, shown: bool) -> None:
    found = unproven(visit({"species": "dog"}, "my dog keeps limping", f"A: {question}", answer))
    assert all(field.doubtful for field in found.values()) is shown


def test_the_name_of_a_choice_before_a_day_does_not_take_it() -> None:
    fields: dict[str, Any] = {
        "airport": {"type": "string", "enum": ["leeds", "luton"]},
        "pickup": {"type": "string", "format": "date"},
    }
    found = unproven(visit({"pickup": "2026-12-01"}, "a cab to leeds airport on 1 December 2026", **fields))
    assert all(field.doubtful for field in found.values())
