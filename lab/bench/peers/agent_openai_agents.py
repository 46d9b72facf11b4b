"""openai-agents: an Agent with an MCPServerStdio (tools listed once) and a scripted Model, without tracing."""

import asyncio
import itertools
import json

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.mcp import MCPServerStdio
from contest import ANSWER, INPUT, QUESTION, SERVER, TOOL, obey, thinking
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

ids = itertools.count()
ARGUMENTS = json.dumps(INPUT)


class Scripted(Model):
    async def get_response(self, input, **_more):  # noqa: A002 - its own name
        items = [] if isinstance(input, str) else input
        if await thinking([item["output"] for item in items if item.get("type") == "function_call_output"]):
            said = ResponseFunctionToolCall(
                type="function_call", call_id=f"c{next(ids)}", name=TOOL, arguments=ARGUMENTS
            )
        else:
            text = ResponseOutputText(type="output_text", text=ANSWER, annotations=[])
            said = ResponseOutputMessage(
                id=f"m{next(ids)}", type="message", role="assistant", status="completed", content=[text]
            )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *_args, **_more):
        raise NotImplementedError


async def main() -> None:
    set_tracing_disabled(True)
    params = {"command": SERVER[0], "args": SERVER[1:]}
    async with MCPServerStdio(params=params, cache_tools_list=True, client_session_timeout_seconds=60) as server:
        clerk = Agent(name="clerk", model=Scripted(), mcp_servers=[server])

        async def run() -> str:
            return (await Runner.run(clerk, QUESTION)).final_output

        await obey(run)


asyncio.run(main())
