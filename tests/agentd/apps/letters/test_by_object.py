"""A tool's description is read once, as long as that tool is there."""

from __future__ import annotations

from agentd.apps.letters.by_object import by_object
from agentd.messages import ToolInfo


def test_each_tool_is_read_once_and_one_in_its_place_again() -> None:
    read: list[str] = []

    @by_object
    def name(tool: ToolInfo) -> str:
        read.append(tool.name)
        return tool.name

    for number in range(50):  # a new object often takes the place in memory of one that has gone
        tool = ToolInfo(name=f"tool_{number}", server="s")
        assert name(tool) == name(tool) == tool.name
        del tool
    assert read == [f"tool_{number}" for number in range(50)]
