"""langgraph with its own durability: AsyncSqliteSaver in its default journal mode, one thread per run."""

import asyncio
from pathlib import Path

from agent_langgraph import main
from contest import FOLDER
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver


async def durable() -> None:
    async with AsyncSqliteSaver.from_conn_string(str(Path(FOLDER) / "langgraph.db")) as saver:
        await main(saver)


asyncio.run(durable())
