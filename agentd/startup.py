"""The fast start: MCP servers start on one core while this process imports its other modules on another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from agentd import stand_ins
from agentd.config import Settings
from agentd.plugins import TOOL_HOSTS, plugin
from agentd.state import in_use, one_daemon

if TYPE_CHECKING:
    from agentd.daemon import Daemon


@asynccontextmanager
async def started(settings: Settings) -> AsyncIterator[Daemon]:
    """Run the daemon of `agentd.app`; its first servers start before that module's imports, which take a second."""
    shared = settings.store.url is not None
    with in_use(settings.state), nullcontext() if shared else one_daemon(settings.state):
        first = [server for server in settings.servers if server.name not in settings.servers_later]
        async with plugin(TOOL_HOSTS, settings.tool_host)(first) as host:
            app = await asyncio.to_thread(_imported)
            async with app.daemon(settings, host) as made:
                yield made


def _imported() -> ModuleType:
    """Import `agentd.app` and its engine's modules; apps and plugins are imported later."""
    import_module("agentd.runs.workflows")
    stand_ins.remove()
    return import_module("agentd.app")
