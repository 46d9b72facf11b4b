"""Part of the drill: an editor (`agentd acp`) attaches files, gives odd answers and writes invalid messages."""

from __future__ import annotations

import asyncio
from pathlib import Path

from acp import RequestError, embedded_text_resource, resource_block, text_block

from lab.drill.attacks import Attack
from tests.daemon import Daemon, call, final, running
from tests.e2e.test_faces import edited
from tests.e2e.test_main_job import LETTER, WORDS

ODD = b"\n".join((b"[1]", b"5", b"null", b'{"id":0,"error":5}', b"x" * 3_000_000, b"[" * 100_000, b"\xff", b""))
ANSWERS = ("decline", "broken", "APPROVE", "")


def faces(folder: Path) -> list[Attack]:
    """Run one daemon whose model proposes a letter whatever it is told."""
    with running(folder, call("get_current_time"), LETTER, final("Selesai.")) as daemon:
        return asyncio.run(_faces(daemon))


async def _faces(daemon: Daemon) -> list[Attack]:
    heard = [await _attached(daemon)]
    heard += [await _answered(daemon, answer) for answer in ANSWERS]
    made = len(list(daemon.state.glob("letters/[0-9]*/*.pdf")))
    tried = "an editor attaches a file, answers oddly, writes what is no message"
    return [Attack(tried, len(heard), ", ".join(sorted(set(heard))), made)]


async def _attached(daemon: Daemon) -> str:
    """Attach a file with all data that a letter needs to a harmless sentence."""
    async with edited(daemon) as (_, agent):
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
        blocks = [text_block("Tolong diproses"), resource_block(embedded_text_resource("file:///surat.txt", WORDS))]
        try:
            return str((await agent.prompt(session_id=session, prompt=blocks)).stop_reason)
        except RequestError as error:
            return str(error)


async def _answered(daemon: Daemon, answer: str) -> str:
    async with edited(daemon, answer, before=ODD) as (_, agent):
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
        return str((await agent.prompt(session_id=session, prompt=[text_block(WORDS)])).stop_reason)
