"""What a model finds by `list_tools`: every tool there is, on pages that one turn can read (issue 21)."""

from __future__ import annotations

import json

import pytest

from agentd.agent.actions import CallTool, parse, schema
from agentd.agent.listing import PAGE, manifest, one_line, shown_in_full, wanted
from agentd.agent.picking import PromptTools
from agentd.agent.prompts import Called, compose_system_instructions, tool_result
from agentd.agent.toolset import Toolset, assemble
from agentd.agent.turn_policy import Offer
from agentd.errors import UnknownTool
from agentd.messages import Catalogue, ServerState, ToolInfo, ToolOutcome
from agentd.runs.records import RunBrief

SCHEMA = {"type": "object", "properties": {"city": {"type": "string", "description": "Where. " * 20}}}
SHOWN_CHARS = Called.__dataclass_fields__["limit"].default
"""Characters of an output that one turn is shown."""


def hall(*tools: ToolInfo) -> Toolset:
    return assemble(Catalogue(tools=tools, servers=(ServerState(name="hall", state="up"),)), None)


def numbered(count: int, **more: str) -> list[ToolInfo]:
    words = "Counts the " + "very " * 30
    return [
        ToolInfo(name=f"tool_{n}", server="hall", description=f"{words}{n}", input_schema=SCHEMA) for n in range(count)
    ]


MANY = hall(
    *numbered(299),
    ToolInfo(name="get_weather", server="hall", description="Weather forecast of a city.", input_schema=SCHEMA),
)


def test_every_one_of_three_hundred_tools_stands_on_a_page_that_one_turn_can_read() -> None:
    pages = manifest(MANY)["pages"]
    found: set[str] = set()
    for number in range(1, pages + 1):
        page = manifest(MANY, page=number)
        assert len(json.dumps(page, ensure_ascii=False)) < SHOWN_CHARS and page["page"] == number
        found |= shown_in_full(page) | {line.partition(":")[0] for line in page["more"]}
    assert found == {tool.name for tool in MANY.tools} and pages == 300 // PAGE
    assert manifest(MANY, page=9999)["page"] == pages


@pytest.mark.parametrize("query", ["get_weather", "GET_WEATHER", "weather", "the forecast of a city", "weathers"])
def test_a_query_brings_its_tool_first_and_in_full(query: str) -> None:
    first = manifest(MANY, query)["tools"][0]
    assert (first["name"], first["input_schema"]) == ("get_weather", SCHEMA)


def test_a_tool_with_a_huge_description_and_schema_is_shown_as_far_as_a_turn_can_read() -> None:
    fields = {f"field_{n}": {"type": "string", "description": "x" * 5000} for n in range(10)}
    huge = ToolInfo(
        name="huge", server="hall", description="y" * 100_000, input_schema={"type": "object", "properties": fields}
    )
    listed = manifest(hall(huge))
    assert len(json.dumps(listed)) < SHOWN_CHARS and listed["tools"][0]["input_schema"]["properties"]["field_9"]
    text = compose_system_instructions("{{tool_guidance}}", hall(huge))
    assert "huge(field_0?" in text and len(text) < SHOWN_CHARS


def test_few_tools_are_listed_in_full_and_nothing_else() -> None:
    listed = manifest(hall(*numbered(3)))
    assert listed.keys() == {"tools"} and len(listed["tools"]) == 3
    shown = tool_result(Called("list_tools", {}, ToolOutcome(success=True, output=listed), "id", "hai"))
    assert "shortened" not in shown.content


def test_a_prompt_names_by_one_line_what_it_does_not_describe() -> None:
    picked = PromptTools(start=("tool_1",), named=("get_weather", "tool_2", "gone"))
    text = compose_system_instructions("{{tool_guidance}}", MANY, tools=picked)
    assert "- tool_1(city?): Counts" in text and "- get_weather: Weather forecast of a city.\n- tool_2: Cou" in text
    assert RunBrief.read({"told": picked.record()}).prompt_tools == picked
    assert "More tools" not in compose_system_instructions("{{tool_guidance}}", MANY)
    assert len(one_line(MANY.tools[0])) < 80


@pytest.mark.parametrize(
    ("turn", "arguments"),
    [
        ({"action": "list_tools", "query": "cuaca", "page": 2}, {"query": "cuaca", "page": 2}),
        ({"action": "list_tools"}, {}),
        ({"action": "call_tool", "tool": "list_tools", "input": {"page": 3}}, {"page": 3}),
    ],
)
def test_a_listing_is_asked_for_in_two_forms(turn: dict[str, object], arguments: dict[str, object]) -> None:
    assert parse(json.dumps(turn)) == CallTool("list_tools", arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, ("", 1)),
        ({"query": "air", "page": "2"}, ("air", 2)),
        ({"query": 7, "page": 0}, ("", 1)),
        ({"page": -3}, ("", 1)),
        ({"page": 2.5}, ("", 1)),
        ({"page": [1], "query": None}, ("", 1)),
    ],
)
def test_odd_arguments_of_a_listing_count_as_not_given(arguments: dict[str, object], said: tuple[str, int]) -> None:
    assert wanted(arguments) == said


def test_a_model_held_to_a_schema_may_search_only_where_a_prompt_does_not_tell_all() -> None:
    assert '"query"' not in json.dumps(schema(Offer())) and '"query"' in json.dumps(schema(Offer(), may_search=True))
    assert "list_tools" not in json.dumps(schema(Offer(may_list=False), may_search=True))


def test_no_two_tools_of_long_names_that_two_servers_have_are_the_same() -> None:
    long = "generate_letter_of_the_office_for_those_who_have_come_from_far_"
    servers = tuple(ServerState(name=name, state="up") for name in ("hall", "annex"))
    tools = tuple(ToolInfo(name=f"{long}{end}", server=one.name) for one in servers for end in "ab")
    found = assemble(Catalogue(tools=tools, servers=servers), None)
    assert all(found.resolve(tool.name) is tool for tool in found.tools)
    assert len({tool.name for tool in found.tools}) == 4 and all(len(tool.name) <= 64 for tool in found.tools)


def test_the_name_that_two_servers_have_names_both() -> None:
    servers = tuple(ServerState(name=name, state="up") for name in ("hall", "annex"))
    tools = tuple(ToolInfo(name="order", server=one.name) for one in servers)
    with pytest.raises(UnknownTool, match="several servers have a tool `order`: call one of hall__order, annex__order"):
        assemble(Catalogue(tools=tools, servers=servers), None).resolve("order")


def test_a_name_means_the_tool_that_is_written_so_though_another_differs_by_case_alone() -> None:
    tools = (
        ToolInfo(name="get", server="Hall"),
        ToolInfo(name="get", server="hall"),
        ToolInfo(name="GET", server="hall"),
    )
    servers = tuple(ServerState(name=name, state="up") for name in ("Hall", "hall"))
    toolset = assemble(Catalogue(tools=tools, servers=servers), None)
    assert [toolset.resolve(tool.name) for tool in toolset.tools] == list(toolset.tools)
    assert toolset.resolve("hall__Get").server == "Hall"  # nobody is called so: the first that is alike


def test_no_server_takes_the_name_by_which_anothers_tool_is_called() -> None:
    """A call of the office's letter must not go to a stranger, nor a stranger's result count as the letter's."""
    names = (("stranger", "office__letter"), ("stranger", "letter"), ("office", "letter"))
    tools = tuple(ToolInfo(name=name, server=server, official=server == "office") for server, name in names)
    for offered in (tools, (tools[0], tools[2])):
        states = tuple(ServerState(name=name, state="up") for name in ("stranger", "office"))
        made = assemble(Catalogue(tools=offered, servers=states), None)
        assert made.resolve("office__letter").server == "office"
        assert len({tool.name for tool in made.tools}) == len(offered)
