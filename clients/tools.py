"""`agentd tools`: lists the tools and servers. It calls none of them.

Its subcommands are in other files: apps/setup/servers_command.py (add, import, export),
apps/setup/schemas_command.py (explain, check), clients/tools_try.py.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from typing import Any

from agentd.cli import options, register_words
from clients.connected import with_client

WATCH_S = 1.0


def register(commands: Any) -> None:
    parser = options.command(
        commands, "tools", "list the tools and servers; add, import, try, explain, check", run, listen=True
    )
    parser.add_argument("--watch", action="store_true", help="keep running and print every change")
    register_words("tools", parser.add_subparsers(metavar="WORD"))


def run(given: argparse.Namespace) -> int:
    """Print the list; with --watch, again after each change. Raises Refused."""
    return with_client(options.settings(given), lambda client: _list(client, given.watch))


async def _list(client: Any, watch: bool) -> int:
    shown: list[str] = []
    while True:
        now = list(lines(await client.call("Tools.list")))
        if now != shown:
            print("\n".join(now), flush=True)
            shown = now
        if not watch:
            return 0
        await asyncio.sleep(WATCH_S)


def lines(listed: dict[str, Any]) -> Iterator[str]:
    """`Tools.list` as lines: each server with its state, followed by its tools."""
    for server in listed["servers"]:
        error = f": {server['error']}" if server["error"] else ""
        yield f"{server['name']} [{server['state']}]{error}"
        for tool in listed["tools"]:
            if tool["server"] == server["name"]:
                fields = ", ".join(tool["input_schema"].get("properties", {}))
                doubled = tool["name"].startswith(f"{server['name']}__")
                why = "  (another server has a tool of this name, so it is called by this one)" if doubled else ""
                yield f"  {tool['name']}({fields}){why}"
