"""pydantic-ai with its own durability: the DBOSDurability capability on a SQLite file, one workflow per run."""

import asyncio
from pathlib import Path

from agent_pydantic_ai import agent
from contest import FOLDER, QUESTION, obey
from dbos import DBOS
from pydantic_ai.durable_exec.dbos import DBOSDurability

clerk = agent(capabilities=[DBOSDurability()])


@DBOS.workflow()
async def answer() -> str:
    return (await clerk.run(QUESTION)).output


async def main() -> None:
    file = Path(FOLDER) / "dbos.db"
    DBOS(config={"name": "clerk", "system_database_url": f"sqlite:///{file}", "run_admin_server": False})
    DBOS.launch()
    async with clerk:
        await obey(answer)
    await asyncio.to_thread(DBOS.destroy)


asyncio.run(main())
