"""`agentd purge --older-than 30d`: erases conversations unused for that long. Issued letters stay.

It asks the running daemon, or a temporary one: both know every place where their words are stored.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

from agentd.cli import options
from clients.connected import with_client

UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
PAGE = 500


def register(commands: Any) -> None:
    parser = options.command(commands, "purge", "erase old conversations", run, listen=True)
    parser.add_argument(
        "--older-than", metavar="AGE", type=age, required=True, help="unused for at least this long: 30d, 12h, 4w, 90m"
    )
    parser.add_argument("--dry-run", action="store_true", help="only print how many there are")


def age(text: str) -> timedelta:
    """`30d` as a timedelta. Raises ArgumentTypeError."""
    found = re.fullmatch(r"(\d+)([mhdw])", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no age; write a number and m, h, d or w, for example 30d")
    return timedelta(**{UNITS[found[2]]: int(found[1])})


def run(given: argparse.Namespace) -> int:
    """Return 0 if all are erased. Raises Refused."""
    from agentd.clock import clock_of

    settings = options.settings(given)
    before = clock_of(settings.clock).now() - given.older_than
    return with_client(settings, lambda client: _purge(client, before, given.dry_run))


async def _purge(client: Any, before: datetime, dry_run: bool) -> int:
    old = [session_id async for session_id in unused_since(before, client)]
    erased = [await _erased(client, session_id) for session_id in (() if dry_run else old)]
    result = "would be erased" if dry_run else f"erased, with {sum(each.get('runs', 0) for each in erased)} runs"
    print(f"{len(old)} conversations not used since {before.astimezone(UTC):%Y-%m-%d %H:%M} UTC: {result}")
    for file in next((each["pending"] for each in reversed(erased) if each), ()):
        print(f"{file}: another program has it open; their words are overwritten once it is closed", file=sys.stderr)
    return 0


async def unused_since(before: datetime, client: Any) -> AsyncIterator[str]:
    """The ids of the sessions last used before that time, read from `Session.list` page by page."""
    page: dict[str, Any] = {"next": None}
    while True:
        cursor = {"before": page["next"]} if page["next"] else {}
        page = await client.call("Session.list", {"limit": PAGE, **cursor})
        for session in page["sessions"]:
            if datetime.fromisoformat(session["updated_at"]) < before:
                yield session["session_id"]
        if page["next"] is None:
            return


async def _erased(client: Any, session_id: str) -> dict[str, Any]:
    """Erase a session. Returns what Session.delete says, with `runs` and `pending`; {} if it was already gone."""
    from agentd.cli.client import Refused

    try:
        return dict(await client.call("Session.delete", {"session_id": session_id}))
    except Refused as error:
        if (error.error.get("data") or {}).get("type") != "not_found":
            raise
        return {}
