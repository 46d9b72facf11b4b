"""`agentd channels check`: what each chat service reports about the office's account, and what to do."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from agentd.cli import options

HELP = "check the chat services by which people write to the office"


def register(commands: Any) -> None:
    parser = commands.add_parser("channels", help=HELP)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    options.command(actions, "check", "ask each service for the office's account, and list what is missing", run)


def run(given: argparse.Namespace) -> int:
    """0 when every service answers, 1 otherwise."""
    from agentd import config
    from agentd.apps.channels.section import ChannelsSection

    settings = config.load(given.config, state=given.state)
    entries = settings.section(ChannelsSection).channels
    if not entries:
        print(f"{settings.file} has no [[channels]]; docs/channels.md says how to add one")
        return 0
    good = [asyncio.run(_check(entry, settings)) for entry in entries]
    return 0 if all(good) else 1


async def _check(entry: Any, settings: Any) -> bool:
    from urllib.parse import urlsplit

    from agentd.apps.channels.app import plugged
    from agentd.apps.channels.port import ChannelFailure

    try:
        if entry.blocked:
            raise ValueError(entry.blocked)
        channel = plugged(entry)
    except (LookupError, ValueError) as error:
        print(f"✗ {entry.name}: {error}")
        return False
    try:
        lines = await channel.check()
    except ChannelFailure as failure:
        print(f"✗ {entry.name}: {failure.message}")
        return False
    finally:
        await channel.aclose()
    print(f"✓ {entry.name}: {'; '.join(lines)}")
    if entry.public_url is None:
        print("  · no public_url: nobody can sign in from this chat, and no webhook is delivered")
    elif (host := urlsplit(entry.public_url).hostname) not in settings.rpc.allowed_hosts:
        print(f"  · add `{host}` to [rpc] allowed_hosts, or requests to public_url are refused")
    return True
