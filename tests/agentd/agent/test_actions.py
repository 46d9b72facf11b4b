"""What the parser takes and what it refuses, with the reason the model is told."""

from __future__ import annotations

import json

import jsonschema
import pytest

from agentd.agent.actions import CallTool, Final, InvalidAction, parse, schema
from agentd.agent.listing import wanted
from agentd.agent.turn_policy import Offer
from agentd.messages import ToolInfo

ANSWER = {"action": "final", "response": "Halo"}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(ANSWER),
        f"```json\n{json.dumps(ANSWER)}\n```",
        json.dumps(json.dumps(ANSWER)),
        f"Baik, ini jawabannya: {json.dumps(ANSWER)} Semoga membantu.",
        '{"note": 1} ' + json.dumps(ANSWER),
    ],
)
def test_an_action_is_found_in_fences_strings_and_prose(text: str) -> None:
    assert parse(text) == Final("Halo")


@pytest.mark.parametrize("written", ["\\ud800", "\ud800"])
def test_half_a_surrogate_pair_which_no_answer_can_hold_is_a_question_mark(written: str) -> None:
    assert parse(f'{{"action":"final","response":"Ha{written}lo"}}') == Final("Ha?lo")
    call = parse(f'{{"action":"call_tool","tool":"x","input":{{"a":["{written}"]}}}}')
    assert call == CallTool("x", {"a": ["?"]})


def test_a_number_that_not_every_library_can_write_is_its_digits() -> None:
    """The answer of a run with 10**30 in a step could not be read by anybody."""
    call = parse('{"action":"call_tool","tool":"x","input":{"a":-123456789012345678901,"b":123456789012345678}}')
    assert call == CallTool("x", {"a": "-123456789012345678901", "b": 123456789012345678})
    listed = parse('{"action":"list_tools","page":%s}' % ("9" * 5000))
    assert isinstance(listed, CallTool) and wanted(listed.input) == ("", 999_999_999)


def test_a_control_character_which_no_database_holds_is_dropped() -> None:
    assert parse('{"action":"final","response":"Ha\\u0000lo"}') == Final("Halo")
    call = parse('{"action":"call_tool","tool":"x","input":{"a":["\\u0000b\\n"]}}')
    assert call == CallTool("x", {"a": ["b\n"]})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("Halo, apa kabar?", "prose"),
        ('{"action":"final","response":"Ha', "broken or cut off"),
        ('{"action":"dance"}', '"dance"'),
        ('{"tool":"x"}', 'no `"action"`'),
        ('{"action":"call_tool","input":{}}', '`call_tool` needs `"tool"`'),
        ('{"action":"call_tool","tool":"x","input":[1]}', "not a list"),
        ('{"action":"call_tool","tool":"x","input":' + '{"a":' * 65 + "1" + "}" * 66, "nested too deeply"),
        ('{"action":"final"}', '`final` needs `"response"`'),
        (json.dumps({"action": "final", "response": json.dumps(ANSWER)}), "holds an action"),
        ('{"action":"call_tool","tool":"x","input":{"a":NaN}}', "no number of JSON"),
        ('{"action":"call_tool","tool":"x","input":{"a":[1e999]}}', "no number of JSON"),
        ('{"action":"final","response":"  "}', "empty"),
        ('{"action":"final","response":" \u200b\u00a0\n"}', "empty"),
        ("[" * 100_000, "prose"),
        ('{"a":' * 50_000, "nested too deeply"),
    ],
)
def test_a_turn_without_an_action_says_why(text: str, reason: str) -> None:
    with pytest.raises(InvalidAction, match=None) as refused:
        parse(text)
    assert reason in str(refused.value)


def test_the_schema_has_a_branch_for_each_tool_for_list_tools_and_for_final() -> None:
    rules = {"type": "object", "properties": {"nik": {"type": "string"}}, "required": ["nik"]}
    made = schema(Offer((ToolInfo(name="letter", server="certificate", input_schema=rules),)))
    valid = jsonschema.Draft202012Validator(made).is_valid
    assert valid({"action": "call_tool", "tool": "letter", "input": {"nik": "1"}})
    assert valid({"action": "call_tool", "tool": "list_tools", "input": {}})
    assert valid(ANSWER)
    assert not valid({"action": "call_tool", "tool": "letter", "input": {}})
    assert not valid({"action": "call_tool", "tool": "other", "input": {}})


def test_a_call_of_an_official_tool_may_cite_what_the_citizen_said() -> None:
    rules = {"type": "object", "properties": {"nik": {"type": "string"}}, "required": ["nik"]}
    cited = {"action": "call_tool", "tool": "letter", "input": {"nik": "1"}, "quotes": {"nik": "NIK saya 1", "x": 2}}
    for official in (True, False):
        made = schema(Offer((ToolInfo(name="letter", server="certificate", official=official, input_schema=rules),)))
        valid = jsonschema.Draft202012Validator(made).is_valid
        assert valid(cited) is official
        assert valid({name: value for name, value in cited.items() if name != "quotes"})
    filled = ToolInfo(name="letter", server="certificate", official=True, input_schema={"type": "object"})
    assert "quotes" not in json.dumps(schema(Offer((filled,)))), "nothing is cited where the host fills in all"
    action = parse(json.dumps(cited))
    assert isinstance(action, CallTool)
    assert (action.input, action.quotes) == ({"nik": "1"}, {"nik": "NIK saya 1"})


def test_no_model_is_sent_what_a_schema_says_to_the_host() -> None:
    """`x-agentd-labels` and others went to hosted models with the schema of each turn."""
    rule = {"type": "string", "x-agentd-labels": {"id": ["nama"]}, "x-agentd-spellings": {"A": ["a"]}}
    rules = {"type": "object", "x-agentd-roles": {}, "properties": {"x-agentd-about": rule, "of": {"items": rule}}}
    made = schema(Offer((ToolInfo(name="letter", server="certificate", input_schema=rules),)))
    asked = made["anyOf"][0]["properties"]["input"]["properties"]
    assert asked == {"x-agentd-about": {"type": "string"}, "of": {"items": {"type": "string"}}}


def test_where_something_is_to_be_looked_up_first_nothing_else_can_be_written() -> None:
    rules = ToolInfo(name="rules", server="certificate", input_schema={"type": "object", "properties": {}})
    made = schema(Offer((rules,), may_answer=False))
    valid = jsonschema.Draft202012Validator(made).is_valid
    assert valid({"action": "call_tool", "tool": "rules", "input": {}})
    assert not valid(ANSWER)
    assert not valid({"action": "call_tool", "tool": "list_tools", "input": {}})


def test_what_was_listed_once_need_not_be_listed_again() -> None:
    valid = jsonschema.Draft202012Validator(schema(Offer(may_list=False))).is_valid
    assert valid(ANSWER)
    assert not valid({"action": "call_tool", "tool": "list_tools", "input": {}})
