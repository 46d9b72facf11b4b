"""The daemon's start: nothing is taken on, and nothing recovered, before the servers it is to be done with are up."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agentd import config
from agentd.app import daemon
from agentd.messages import Catalogue
from agentd.testing import MemoryServers
from tests.daemon import HEAD, final


class Starting(MemoryServers):
    """Servers that are up once `up` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.up = asyncio.Event(), asyncio.Event()

    async def ready(self) -> Catalogue:
        self.asked.set()
        await self.up.wait()
        return await super().ready()


async def test_the_start_waits_for_the_servers_however_slow_the_machine_is(tmp_path: Path) -> None:
    (tmp_path / "client.toml").write_text(HEAD)
    (tmp_path / "script.jsonl").write_text(str(final("Halo.")))
    settings = config.load(tmp_path / "client.toml", state=str(tmp_path / "state"))
    settings.state.mkdir()
    host = Starting()

    async def start() -> None:
        async with daemon(settings, host):
            assert host.up.is_set()

    starting = asyncio.create_task(start())
    asked = asyncio.create_task(host.asked.wait())
    await asyncio.wait([starting, asked], return_when=asyncio.FIRST_COMPLETED)
    assert not starting.done()
    host.up.set()
    await starting
