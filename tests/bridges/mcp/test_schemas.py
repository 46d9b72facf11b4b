"""Schemas of others: a reference is replaced by what it names, since the schema becomes a part of another."""

from __future__ import annotations

import json
from typing import Any

from mcp_types import Tool

from agentd.agent.actions import schema
from agentd.agent.turn_policy import Offer
from agentd.messages import ToolInfo
from bridges.llamacpp.constraint import ANY_OBJECT, from_schema
from bridges.mcp.following import Follower
from bridges.mcp.limits import ServerLimits
from bridges.mcp.schemas import whole
from hardening.texts import json_size

COLOUR = {"enum": ["red", "green"], "type": "string"}
NODE = {"type": "object", "properties": {"name": {"type": "string"}, "below": {"items": {"$ref": "#/$defs/Node"}}}}
MOST = ServerLimits().schema_bytes


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "$defs": {"Colour": COLOUR, "Node": NODE}}


def test_a_tool_with_references_keeps_the_embedded_model_to_the_actions() -> None:
    """As pydantic writes an enum or a model of fields: the grammar of all tools was dropped for one of them."""
    for references in (of(colour={"$ref": "#/$defs/Colour"}), of(tree={"$ref": "#/$defs/Node"})):
        tool = ToolInfo(name="draw", server="pen", input_schema=whole(references, MOST))
        assert from_schema(schema(Offer((tool,)))) != from_schema(ANY_OBJECT)
        assert "$ref" not in json.dumps(schema(Offer((tool,))))


def test_what_a_reference_names_stands_in_its_place() -> None:
    made = whole(of(a={"$ref": "#/$defs/Colour", "default": "red"}, b={"$ref": "#/properties/a"}), MOST)
    assert made["properties"] == {"a": {**COLOUR, "default": "red"}, "b": {**COLOUR, "default": "red"}}
    named = {"definitions": {"a/b": COLOUR}, "properties": {"c": {"anyOf": [{"$ref": "#/definitions/a~1b"}]}}}
    assert whole(named, MOST) == {"properties": {"c": {"anyOf": [COLOUR]}}}
    plain = {"properties": {"$ref": {"type": "string"}, "definitions": {"type": "string"}}}
    assert whole(plain, MOST) == plain, "fields of these names"


def test_a_reference_that_leads_nowhere_or_to_itself_may_be_anything() -> None:
    for reference in ("#/$defs/None", "#/$defs/Node/properties/below/items/3", "https://other.example/x", "#anchor"):
        assert whole(of(a={"$ref": reference, "title": "A"}), MOST)["properties"]["a"] == {"title": "A"}
    tree = whole(of(tree={"$ref": "#/$defs/Node"}), MOST)["properties"]["tree"]
    assert tree["properties"]["below"] == {"items": {}}
    itself = {"properties": {"name": {"type": "string"}, "more": {"$ref": "#"}}}
    assert whole(itself, MOST)["properties"]["more"]["properties"]["more"] == {}


def test_references_that_multiply_are_followed_as_far_as_there_is_room() -> None:
    doubled: dict[str, Any] = {
        f"d{level}": {"properties": {side: {"$ref": f"#/$defs/d{level + 1}"} for side in "abcdefgh"}}
        for level in range(20)
    }
    made = whole({"properties": {"a": {"$ref": "#/$defs/d0"}, "b": {"type": "string"}}, "$defs": doubled}, MOST)
    assert json_size(made) <= MOST
    assert set(made["properties"]["a"]["properties"]) == set("abcdefgh")
    assert made["properties"]["b"] == {"type": "string"}


def test_what_is_nested_beyond_reading_may_be_anything() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(2000):
        deep = {"type": "object", "properties": {"a": deep}}
    tool = ToolInfo(name="dig", server="pen", input_schema=whole(deep, MOST))
    assert from_schema(schema(Offer((tool,)))) != from_schema(ANY_OBJECT)


class _Listing:
    """A client whose server has these tools."""

    def __init__(self, *tools: Tool) -> None:
        self._tools = tools

    async def list_tools(self, cursor: str | None = None) -> Any:
        del cursor
        return type("Page", (), {"tools": self._tools, "next_cursor": None})


async def test_a_tool_that_only_a_task_or_a_page_calls_is_not_a_models() -> None:
    def tool(name: str, **more: Any) -> Tool:
        return Tool.model_validate({"name": name, "inputSchema": {"type": "object"}, **more})

    listing: Any = _Listing(
        tool("research", execution={"taskSupport": "required"}),
        tool("poll", _meta={"ui": {"visibility": ["app"]}}),
        tool("show", _meta={"ui": {"visibility": ["model", "app"]}}, execution={"taskSupport": "optional"}),
    )
    follower = Follower("other", ServerLimits(), lambda: True, lambda *_: None)
    listed = await follower.read(listing)
    assert [(one.name, one.for_model) for one in listed] == [("poll", False), ("show", True)]
