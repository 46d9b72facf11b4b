"""langgraph: LangChain's create_agent with the tools of one open MCP session and a scripted chat model.

agent_langgraph_sqlite.py is the same with checkpoints in SQLite.
"""

import asyncio
import itertools

from contest import ANSWER, INPUT, QUESTION, SERVER, TOOL, obey, thinking
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

ids = itertools.count()


class Scripted(BaseChatModel):
    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, _tools, **_more):
        return self

    def _generate(self, messages, **_more):
        raise NotImplementedError

    async def _agenerate(self, messages, *_args, **_more):
        if await thinking([message.content for message in messages if isinstance(message, ToolMessage)]):
            said = AIMessage("", tool_calls=[{"name": TOOL, "args": INPUT, "id": f"c{next(ids)}"}])
        else:
            said = AIMessage(ANSWER)
        return ChatResult(generations=[ChatGeneration(message=said)])


async def main(checkpointer=None) -> None:
    servers = MultiServerMCPClient({"time": {"transport": "stdio", "command": SERVER[0], "args": SERVER[1:]}})
    async with servers.session("time") as session:
        clerk = create_agent(Scripted(), await load_mcp_tools(session), checkpointer=checkpointer)

        async def run() -> str:
            config = {"configurable": {"thread_id": f"t{next(ids)}"}} if checkpointer else None
            ended = await clerk.ainvoke({"messages": [{"role": "user", "content": QUESTION}]}, config)
            return ended["messages"][-1].content

        await obey(run)


if __name__ == "__main__":
    asyncio.run(main())
