"""Days and hours that a model read in what was said or noted down, and no rule can prove: shown to be checked."""

from __future__ import annotations

import pytest

from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.normalisers.hours import hours
from agentd.apps.letters.policies.copying import copied
from agentd.apps.letters.policies.grounding import case_of
from agentd.messages import Said, ToolInfo
from tests.agentd.apps.letters.test_doubts import unproven, visit


def on(day: str, *lines: str) -> list[Said]:
    """A conversation on a day; a line that begins with `A: ` is the agent's."""
    return [
        Said(by="agent" if line.startswith("A: ") else "citizen", order=order, text=line.removeprefix("A: "), day=day)
        for order, line in enumerate(lines, 1)
    ]


@pytest.mark.parametrize(("answer", "doubtful"), [("Yes, that's fine.", True), ("No, sorry.", False)])
def test_a_yes_takes_a_day_that_the_agent_proposed(answer: str, doubtful: bool) -> None:
    lines = ("our dog is ill", "A: Could you come on 1 December 2026?", answer)
    found = unproven(visit({"appointment_date": "2026-12-01"}, *lines))
    assert found["appointment_date"].doubtful is doubtful


def test_days_from_one_to_another_share_a_month() -> None:
    stay = {"checkIn": {"type": "string", "format": "date"}, "checkOut": {"type": "string", "format": "date"}}
    days = {"checkIn": "2026-12-10", "checkOut": "2026-12-13"}
    assert all(field.said for field in unproven(visit(days, "a room from 10 to 13 December 2026", **stay)).values())


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ("2026-09-30", ("I read it on 30 September",)),
        ("2026-09-28", ("it was Monday",)),
        ("2026-10-26", ("A: Which day?", "is the 26 possible?")),
        ("2026-12-03", ("mulai 3/12",)),
        ("2026-10-08", ("A: Which day would you like?", "Thursday if that's free")),
    ],
)
def test_a_day_without_its_month_or_year_may_be_the_last_or_the_next_one(value: str, lines: tuple[str, ...]) -> None:
    found = unproven(visit({"appointment_date": value}, *on("2026-10-02", *lines)))
    assert all(field.doubtful for field in found.values())


@pytest.mark.parametrize(
    ("answer", "value", "shown"),
    [
        ("12", "12:00", True),
        ("4", "16:00", True),
        ("4", "04:00", True),
        ("by half six", "18:30", True),
        ("sore saja jam 4", "16:00", True),
        ("at 4 in the morning", "16:00", False),
        ("my brother leaves at 9 so make it 10", "10:00", True),
    ],
)
def test_an_hour_may_be_said_as_a_mere_number_or_of_either_half_of_the_day(
    answer: str, value: str, shown: bool
) -> None:
    time = {"start_time": {"type": "string", "format": "time"}}
    found = unproven(visit({"start_time": value}, "A: What time should we come?", answer, **time))
    assert all(field.doubtful for field in found.values()) is shown


@pytest.mark.parametrize(
    ("question", "answer", "stands"),
    [
        ("Noted, 1 December 2026. What is your name?", "Ada Quist", True),
        ("Noted, 1 December 2026. What is your name?", "not that day please", False),
        ("Noted, 1 December 2026. What is your name?", "Ada Quist, and come on 3 December 2026", False),
        ("We have 1 December 2026 or 3 December 2026. What is your name?", "Ada Quist", False),
        ("Is 1 December 2026 right?", "Ada Quist", False),
        ("Is 1 December 2026 all right?", "Quarter past three would be ideal", True),
        ("Noted, 1 December 2026. Can you carry him?", "oh no, I can't", True),
    ],
)
def test_a_day_that_the_agent_noted_down_stands_where_the_answer_to_its_next_question_says_nothing_else(
    question: str, answer: str, stands: bool
) -> None:
    found = unproven(visit({"appointment_date": "2026-12-01"}, "he is limping, come soon", f"A: {question}", answer))
    assert found["appointment_date"].doubtful is stands


def test_to_know_something_else_leaves_a_value_said() -> None:
    asked = visit({"appointment_date": "2026-12-01"}, "the 1 December 2026, I know it is a holiday, masih buka?")
    assert unproven(asked)["appointment_date"].doubtful


@pytest.mark.parametrize("said", ["9" * 8000, f"{'9' * 8000} to 13 December", f"3/{'9' * 8000}"])
def test_a_number_of_any_length_is_no_day(said: str) -> None:
    found = unproven(visit({"appointment_date": "2027-01-01"}, "A: Which day?", said))
    assert not found["appointment_date"].doubtful


@pytest.mark.parametrize(
    ("field", "value", "lines"),
    [
        ("lesson_minutes", 30, ("half an hour sounds right",)),
        ("lesson_minutes", 60, ("A: A full hour?", "yes")),
        ("tenor_bulan", 12, ("setahun saja",)),
    ],
)
def test_a_length_of_time_is_read_in_the_unit_of_its_field(field: str, value: float, lines: tuple[str, ...]) -> None:
    schema = {field: {"type": "number"}}
    assert unproven(visit({field: value}, *lines, **schema))[field].doubtful
    assert not unproven(visit({field: value + 1}, *lines, **schema))[field].doubtful


def test_minutes_may_be_said_before_their_hour() -> None:
    assert [minutes for *_, minutes in hours(("ten", "past", "four"))] == [4 * 60 + 10]


@pytest.mark.parametrize(("answer", "shown"), [("weds then", True), ("mon then", False), ("not weds", False)])
def test_a_weekday_alone_picks_one_of_the_days_that_the_agent_names(answer: str, shown: bool) -> None:
    lines = on("2026-03-10", "A: I have Monday 16th or Wednesday 18th.", answer)
    assert unproven(visit({"appointment_date": "2026-03-18"}, *lines))["appointment_date"].doubtful is shown


@pytest.mark.parametrize(
    ("value", "lines", "shown"),
    [
        ("2026-03-20", ("friday suits", "oh, the friday after please"), True),
        ("2026-03-19", ("friday suits", "oh, the friday after please"), False),
        ("2026-04-10", ("bulan depan tgl 9 pak", "tgl 10 aja deh"), True),
        ("2026-03-10", ("bulan depan tgl 9 pak", "tgl 10 aja deh"), True),
        ("2026-03-20", ("friday 13 March it is",), False),
        ("2026-06-19", ("the friday after please",), False),
    ],
)
def test_a_day_may_have_the_weekday_or_number_that_was_said_last(
    value: str, lines: tuple[str, ...], shown: bool
) -> None:
    found = unproven(visit({"appointment_date": value}, *on("2026-03-10", *lines)))
    assert found["appointment_date"].doubtful is shown


@pytest.mark.parametrize(
    ("said", "both"),
    [
        ("dari jam 7 sampai 10 malam", ["19:00", "22:00"]),
        ("jam 7 malam sampai 10", ["19:00", "22:00"]),
        ("jam 9 sampai jam 3 sore", ["09:00", "15:00"]),
        ("from 7 to 10 pm", ["19:00", "22:00"]),
        ("jam 7 malam, sampai 10 orang", ["19:00"]),
    ],
)
def test_hours_from_one_to_another_share_a_part_of_the_day(said: str, both: list[str]) -> None:
    assert [f"{minutes // 60:02}:{minutes % 60:02}" for _, _, minutes in hours(folded_tokens(said))] == both


@pytest.mark.parametrize(
    ("said", "end"), [("besok jam 7 malam sampai 10", "22:00"), ("jam 8 pagi sampai selesai", None)]
)
def test_what_a_range_ends_with_is_not_its_start(said: str, end: str | None) -> None:
    hall = {"jam_mulai": {"type": "string"}, "jam_selesai": {"type": "string"}}
    schema = {"type": "object", "properties": hall, "required": list(hall)}
    tool = ToolInfo(name="sewa_gedung", server="hall", official=True, input_schema=schema)
    assert copied(tool, case_of(tool, on("2026-11-30", said))).known.get("jam_selesai") == end


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("visit_on", "could we come the Friday after the fair?", True),
        ("visit_on", "not on 12 March 2027, please", False),
        ("birth_date", "she was born the year of the great flood", False),
    ],
)
def test_a_day_may_follow_from_other_words_unless_it_is_a_persons(name: str, line: str, said: bool) -> None:
    found = unproven(visit({name: "2027-03-12"}, line, **{name: {"type": "string", "format": "date"}}))[name]
    assert (found.said, found.doubtful) == (said, False)
