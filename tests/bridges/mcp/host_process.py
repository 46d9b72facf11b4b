"""A minimal daemon for tests to kill: opens the bridge, prints the servers' states, and waits.

python -m tests.bridges.mcp.host_process SETTINGS_JSON
"""

from __future__ import annotations

import asyncio
import json
import sys

import uvloop

from agentd.messages import ServerSettings
from bridges.mcp import McpToolHost


async def main() -> None:
    settings = [ServerSettings(**item) for item in json.loads(sys.argv[1])]
    async with McpToolHost(settings) as host:
        catalogue = await host.ready()
        print(json.dumps({server.name: server.state for server in catalogue.servers}), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(main())
