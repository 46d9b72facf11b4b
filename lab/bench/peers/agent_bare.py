"""No agent: the MCP client makes the calls one after the other. This is the minimum cost for every agent."""

import asyncio

from contest import ANSWER, INPUT, SERVER, TOOL, obey, thinking
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main() -> None:
    parameters = StdioServerParameters(command=SERVER[0], args=SERVER[1:])
    async with stdio_client(parameters) as streams, ClientSession(*streams) as client:
        await client.initialize()

        async def run() -> str:
            results: list[object] = []
            while await thinking(results):
                results.append((await client.call_tool(TOOL, INPUT)).content)
            return ANSWER

        await obey(run)


asyncio.run(main())
