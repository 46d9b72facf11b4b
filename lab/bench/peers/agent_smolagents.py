"""smolagents: a ToolCallingAgent with MCPClient's tools and a scripted Model. It has no async: each run is a thread."""

import asyncio
import itertools
import time
from concurrent.futures import ThreadPoolExecutor

from contest import ANSWER, INPUT, QUESTION, SERVER, TOOL, obey, terms, wants
from mcp import StdioServerParameters
from smolagents import MCPClient, Model, ToolCallingAgent
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole
from smolagents.monitoring import LogLevel

ids = itertools.count()


class Scripted(Model):
    def generate(self, messages, **_more):
        results = [message.content for message in messages if message.role == MessageRole.TOOL_RESPONSE]
        if terms.turn_s and not results:
            time.sleep(terms.turn_s)
        name, arguments = (TOOL, INPUT) if wants(results) else ("final_answer", {"answer": ANSWER})
        call = ChatMessageToolCall(ChatMessageToolCallFunction(arguments, name), f"c{next(ids)}", "function")
        return ChatMessage(MessageRole.ASSISTANT, "", [call])


async def main() -> None:
    loop = asyncio.get_running_loop()
    parameters = StdioServerParameters(command=SERVER[0], args=SERVER[1:])
    with (
        MCPClient(parameters, {"connect_timeout": 60}, structured_output=True) as tools,
        ThreadPoolExecutor(200) as threads,
    ):

        def once() -> str:
            agent = ToolCallingAgent(tools, Scripted(), verbosity_level=LogLevel.OFF, max_steps=terms.calls + 1)
            return agent.run(QUESTION)

        await obey(lambda: loop.run_in_executor(threads, once))


asyncio.run(main())
