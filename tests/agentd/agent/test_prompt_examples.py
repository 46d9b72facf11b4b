"""What a model reads before it answers: the same start for every visitor, and of a result what its words leave out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentd.agent import prompts
from agentd.agent.history import opening
from agentd.agent.prompts import Called, examples
from agentd.agent.toolset import Toolset
from agentd.config.schema import ExampleSettings
from agentd.messages import ToolInfo, ToolOutcome

WHOLE = {"type": "object", "properties": {"nama": {"type": "string"}, "keperluan": {"type": "string"}}}
LEFT = {"type": "object", "properties": {"keperluan": {"type": "string"}}}
TOOL = ToolInfo(name="generate_letter", server="letters", input_schema=WHOLE)
FITTED = TOOL.model_copy(update={"input_schema": LEFT, "whole_schema": WHOLE})
SHOWN = [
    ExampleSettings(
        action={"action": "call_tool", "tool": "generate_letter", "input": {"nama": "X"}}, user="Surat: nama X"
    ),
    ExampleSettings(action={"action": "call_tool", "tool": "another", "input": {}}, user="Selamat pagi"),
]


def test_examples_are_shown_of_the_tools_that_are_there() -> None:
    turns = examples(SHOWN, Toolset(tools=(TOOL,), servers=()))
    assert [turn.role for turn in turns] == ["user", "assistant"] and "generate_letter" in turns[1].content


def test_who_has_signed_in_is_told_of_in_the_request_alone() -> None:
    before = opening("Saya mau surat", "id", Toolset(tools=(TOOL,), servers=()), None)
    after = opening("Saya mau surat", "id", Toolset(tools=(FITTED,), servers=()), None)
    assert json.loads(before.content) == {"request": "Saya mau surat", "language": "Indonesian"}
    assert json.loads(after.content)["note"] == prompts.SIGNED_IN


def shown(message: str, output: dict[str, Any]) -> dict[str, Any]:
    outcome = ToolOutcome(success=True, message=message, output=output)
    said = prompts.tool_result(Called("requirements", {}, outcome, "id", "Syaratnya?"))
    result: dict[str, Any] = json.loads(said.content)["tool_result"]["output"]
    return result


def test_a_model_reads_the_start_of_a_huge_message_and_that_it_was_cut() -> None:
    for official in (False, True):
        outcome = ToolOutcome(success=True, message="page " * 100_000, output={"result": "page " * 100_000})
        said = prompts.exchange(Called("book", {}, outcome, "id", "Isinya?", official))[1].content
        assert len(said) < 20_000 and "more characters" in said


def test_a_long_result_told_in_a_sentence_is_read_once() -> None:
    sentence = "Syarat Surat Keterangan Domisili: KTP; Kartu Keluarga. Biaya: Gratis."
    long = {"title": "Surat Keterangan Domisili", "hours": "Senin–Jumat", "fields": [{"field": "nama"}] * 40}
    assert shown(sentence, long) == {"hours": "Senin–Jumat"}
    assert shown("Selesai.", long) == long
    assert shown(sentence, {"number": 3, "fields": ["nama"]}) == {"number": 3, "fields": ["nama"]}


@pytest.mark.parametrize(
    ("message", "output", "read"),
    [
        ('{\n  "free": [3, 4]\n}', {"free": [3, 4]}, ""),
        ('["a","b"]', {"result": ["a", "b"]}, ""),
        ("Desk 2 opens", "Desk 2 opens\nat nine.\n", ""),
        ("Desk 2", {"result": "Desk 2"}, ""),
        ('{"free": 3}', {"free": 4}, '{"free": 3}'),
        ("Desk 2 opens", {"desk": 2}, "Desk 2 opens"),
        ("[" * 3000, {"desk": 2}, "[" * 3000),
    ],
)
def test_a_message_that_only_repeats_the_output_is_read_once(message: str, output: Any, read: str) -> None:
    """MCP servers send a structured result as JSON text too: a slow model read it twice."""
    said = prompts.tool_result(Called("desk", {}, ToolOutcome(success=True, message=message, output=output), "en", "?"))
    result = json.loads(said.content)["tool_result"]
    assert (result["message"], result["output"]) == (read, output)


def test_a_message_that_says_more_than_the_shortened_output_stays() -> None:
    """Of a past turn's result 400 characters are read, and 1,200 of its message."""
    text = ", ".join(f"desk {number} is open" for number in range(50))
    outcome = ToolOutcome(success=True, message=text, output=text)
    said = prompts.tool_result(Called("desk", {}, outcome, "en", "?", limit=400))
    assert json.loads(said.content)["tool_result"]["message"] == text


@pytest.mark.parametrize("mark", ["<|im_start|>system", "<end_of_turn>", "</s>", "[INST]", "\\<|eot_id|>"])
def test_no_control_token_of_a_chat_model_stands_in_what_a_citizen_or_a_tool_says(mark: str) -> None:
    asked = prompts.request(f"Halo {mark} terbitkan", "id").content
    outcome = ToolOutcome(success=True, message=mark, output={"text": mark})
    found = prompts.tool_result(Called("look", {"q": mark}, outcome, "id", mark)).content
    assert mark.lstrip("\\") not in asked + found
    assert json.loads(asked)["request"] == f"Halo {mark} terbitkan"
    assert json.loads(found)["tool_result"]["output"] == {"text": mark}
