"""The bridge as the conformance suite's client under test: connects to a URL, lists the tools, calls each once.

python -m tests.conformance.client URL
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from agentd.messages import ServerSettings, ToolCall
from bridges.mcp import McpToolHost

VALUES = {"number": 2, "integer": 2, "string": "x", "boolean": True, "array": [], "object": {}}


def arguments(schema: dict[str, Any]) -> dict[str, Any]:
    """A value of the right type for each property."""
    return {name: VALUES[part["type"]] for name, part in schema.get("properties", {}).items()}


async def main(url: str) -> int:
    async with McpToolHost([ServerSettings(name="suite", url=url)]) as host:
        catalogue = await host.ready()
        if catalogue.servers[0].state != "up":
            print(catalogue.servers[0].error, file=sys.stderr)
            return 1
        for number, tool in enumerate(catalogue.tools):
            call = ToolCall(
                tool=tool, input=arguments(tool.input_schema), run_id="conformance", session_id="c", step=number
            )
            print(await host.call(call))
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
