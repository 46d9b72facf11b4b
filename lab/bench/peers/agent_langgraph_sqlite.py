"""langgraph with its own durability: AsyncSqliteSaver, a thread a run, in the journal mode that it sets itself."""

import asyncio
from pathlib import Path

from agent_langgraph import main
from contest import FOLDER
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver


async def durable() -> None:
    async with AsyncSqliteSaver.from_conn_string(str(Path(FOLDER) / "langgraph.db")) as saver:
        await main(saver)


asyncio.run(durable())
