"""pydantic-ai: one Agent with an MCPToolset and a FunctionModel, opened once and reused for every run.

agent_pydantic_ai_dbos.py is the same with its own durability.
"""

import asyncio
from contextlib import AsyncExitStack

from contest import ANSWER, INPUT, QUESTION, SERVER, TOOL, obey, thinking
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel


async def model(messages, _info):
    parts = [part for message in messages for part in message.parts]
    results = [part.content for part in parts if isinstance(part, ToolReturnPart)]
    return ModelResponse(parts=[ToolCallPart(TOOL, INPUT) if await thinking(results) else TextPart(ANSWER)])


def agent(**more):
    toolset = MCPToolset(StdioTransport(SERVER[0], SERVER[1:]), id="time", init_timeout=60)
    return Agent(FunctionModel(model), name="clerk", toolsets=[toolset], **more)


async def main(clerk) -> None:
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(clerk)

        async def run() -> str:
            return (await clerk.run(QUESTION)).output

        await obey(run)


if __name__ == "__main__":
    asyncio.run(main(agent()))
