"""`agentd tools`: the tools and servers there are, once or as they change. It calls none of them."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from typing import Any

from agentd.cli import options

WATCH_S = 1.0


def register(commands: Any) -> None:
    """Add the command's words."""
    parser = commands.add_parser("tools", help="list the tools and servers")
    parser.add_argument("--watch", action="store_true", help="go on and print every change")
    options.add(parser, listen=True)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Print the list; with --watch again whenever it changes."""
    from agentd import config
    from agentd.observability import logging as logs

    settings = config.load(given.config, state=given.state, listen=given.listen)
    logs.configure("error")
    return asyncio.run(_list(settings, given.watch))


async def _list(settings: Any, watch: bool) -> int:
    from agentd.cli.client import opened

    shown: list[str] = []
    async with opened(settings) as client:
        while True:
            now = list(lines(await client.call("Tools.list")))
            if now != shown:
                print("\n".join(now), flush=True)
                shown = now
            if not watch:
                return 0
            await asyncio.sleep(WATCH_S)


def lines(listed: dict[str, Any]) -> Iterator[str]:
    """`Tools.list` as lines: each server with its state, its tools below."""
    for server in listed["servers"]:
        error = f": {server['error']}" if server["error"] else ""
        yield f"{server['name']} [{server['state']}]{error}"
        for tool in listed["tools"]:
            if tool["server"] == server["name"]:
                fields = ", ".join(tool["input_schema"].get("properties", {}))
                yield f"  {tool['name']}({fields})"
