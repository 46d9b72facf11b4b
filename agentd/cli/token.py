"""`agentd token add|list|revoke`: who may call the daemon. It works on the state folder and needs no running daemon."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agentd.cli import options

if TYPE_CHECKING:
    from agentd.access import AccessBook

SCOPES = ("kiosk", "chat", "staff", "admin", "model")


def register(commands: Any) -> None:
    """Add the command's words."""
    parser = commands.add_parser("token", help="add, list and revoke access tokens")
    words = parser.add_subparsers(dest="what", required=True, metavar="add|list|revoke")
    add = words.add_parser("add", help="make a token and print it, this once")
    add.add_argument("name", metavar="NAME", help="whose it is: a kiosk, a page, a person")
    add.add_argument("--scope", action="append", choices=SCOPES, required=True, help="what it may do; may be repeated")
    add.add_argument("--profile", metavar="NAME", help="the [[profiles]] entry of client.toml that its agent has")
    add.add_argument("--rate", metavar="N", type=float, help="calls a minute, in place of [rpc] rate_per_minute")
    add.set_defaults(act=_add)
    shown = words.add_parser("list", help="who has a token (the tokens themselves are not kept)")
    shown.set_defaults(act=_list)
    revoke = words.add_parser("revoke", help="take a token away, at once")
    revoke.add_argument("name", metavar="NAME")
    revoke.set_defaults(act=_revoke)
    for word in (add, shown, revoke):
        options.add(word)
        word.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """0 when done, 1 when it can't be: a name that is taken or unknown, a file that can't be used."""
    from agentd import config
    from agentd.access import FILE_NAME, AccessBook
    from agentd.errors import AgentdError, ConfigError

    act: Callable[[argparse.Namespace, AccessBook], None] = given.act
    try:
        act(given, AccessBook(config.state_folder(given.state) / FILE_NAME))
    except ConfigError:
        raise
    except (AgentdError, OSError) as error:
        print(f"agentd token: {error}", file=sys.stderr)
        return 1
    return 0


def _add(given: argparse.Namespace, book: AccessBook) -> None:
    from datetime import UTC, datetime

    from agentd import config
    from agentd.errors import InvalidParams

    if given.profile is not None and config.load(given.config, state=given.state).profile(given.profile) is None:
        raise InvalidParams(f"client.toml has no [[profiles]] entry named {given.profile}")
    first = not book.principals()
    token = book.add(
        given.name,
        frozenset(given.scope),
        now=datetime.now(UTC),
        profile=given.profile,
        rate_per_minute=given.rate,
    )
    _record("token.added", given, scopes=sorted(given.scope))
    print(token)
    print("Keep it now: it is not shown again.", file=sys.stderr)
    if first:
        print("It is the first: from now on every caller of this daemon needs a token.", file=sys.stderr)


def _record(action: str, given: argparse.Namespace, **facts: Any) -> None:
    from agentd import config
    from agentd.audit import AuditTrail, operator
    from agentd.clock import SystemClock

    AuditTrail(config.state_folder(given.state), SystemClock()).record(
        action, actor=operator(), subject=given.name, **facts
    )


def _list(_given: argparse.Namespace, book: AccessBook) -> None:
    rows = [("NAME", "SCOPES", "PROFILE", "RATE", "SINCE")]
    for one in book.principals():
        rate = "" if one.rate_per_minute is None else f"{one.rate_per_minute:g}/min"
        rows.append((one.id, ",".join(sorted(one.scopes)), one.profile or "", rate, f"{one.created_at:%Y-%m-%d}"))
    if len(rows) == 1:
        print("No token yet: on this machine's loopback every program is admin.", file=sys.stderr)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _revoke(given: argparse.Namespace, book: AccessBook) -> None:
    book.revoke(given.name)
    _record("token.revoked", given)
    print(f"{given.name} has no token any more.")
    if not book.principals():
        print("It was the last: on this machine's loopback every program is admin again.", file=sys.stderr)
