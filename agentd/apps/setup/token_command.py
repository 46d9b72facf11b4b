"""`agentd token add|list|rotate|revoke`: manages tokens for callers, in the state folder, without a daemon."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from agentd.cli import options

if TYPE_CHECKING:
    from agentd.access import TokenStore

UNITS = {"s": timedelta(seconds=1), "m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
MACHINES = frozenset({"kiosk", "model"})
"""Scopes of machines, which can't renew a token."""
PEOPLES = timedelta(days=180)
SCOPES = ("kiosk", "chat", "staff", "admin", "model")


def register(commands: Any) -> None:
    parser = commands.add_parser("token", help="add, list, rotate and revoke access tokens")
    words = parser.add_subparsers(dest="what", required=True, metavar="add|list|rotate|revoke")
    add = options.command(words, "add", "create a token and print it once", run)
    add.add_argument("name", metavar="NAME", help="its owner: a kiosk, a page or a person")
    add.add_argument("--scope", action="append", choices=SCOPES, required=True, help="a scope; may be repeated")
    add.add_argument("--profile", metavar="NAME", help="the [[profiles]] entry of client.toml that its agent has")
    add.add_argument("--rate", metavar="N", type=float, help="calls a minute, in place of [rpc] rate_per_minute")
    add.add_argument(
        "--expires",
        metavar="90d|never",
        help="lifetime (s, m, h, d); default: none for machines (only kiosk or model), 180d for people",
    )
    add.set_defaults(act=_add)
    shown = options.command(words, "list", "list who has a token (the tokens themselves are not stored)", run)
    shown.set_defaults(act=_list)
    for name, summary, act in (
        ("rotate", "replace a token; the old one ends at once", _rotate),
        ("revoke", "revoke a token at once", _revoke),
    ):
        word = options.command(words, name, summary, run)
        word.add_argument("name", metavar="NAME")
        word.set_defaults(act=act)


def run(given: argparse.Namespace) -> int:
    """Return 0 if done. Raises AgentdError if a name is taken or unknown, or the file can't be used."""
    from agentd import config
    from agentd.access import FILE_NAME, TokenStore
    from agentd.observability import logging as logs

    logs.configure("error")
    act: Callable[[argparse.Namespace, TokenStore], None] = given.act
    act(given, TokenStore(config.state_folder(given.state) / FILE_NAME))
    return 0


def _add(given: argparse.Namespace, tokens: TokenStore) -> None:
    from datetime import UTC, datetime

    from agentd import config
    from agentd.errors import InvalidParams

    if given.profile is not None and config.load(given.config, state=given.state).profile(given.profile) is None:
        raise InvalidParams(f"client.toml has no [[profiles]] entry named {given.profile}")
    first = not tokens.principals()
    token = tokens.add(
        given.name,
        frozenset(given.scope),
        now=datetime.now(UTC),
        profile=given.profile,
        rate_per_minute=given.rate,
        lifetime=lifetime(given.expires, given.scope),
    )
    _record("token.added", given, scopes=sorted(given.scope))
    print(token)
    print("Save it now: it is not shown again.", file=sys.stderr)
    if first:
        print("This is the first token: from now on every caller of this daemon needs one.", file=sys.stderr)


def lifetime(given: str | None, scopes: list[str]) -> timedelta | None:
    """The lifetime of a new token; None if it doesn't expire. Raises InvalidParams."""
    from agentd.errors import InvalidParams

    if given is None:
        return None if MACHINES.issuperset(scopes) else PEOPLES
    if given == "never":
        return None
    number, unit = given[:-1], UNITS.get(given[-1:])
    if unit is None or not (number.isascii() and number.isdigit()) or not 0 < int(number) <= 100_000:
        raise InvalidParams(f"--expires takes a number and s, m, h or d (90d), or never, not {given}")
    return int(number) * unit


def _rotate(given: argparse.Namespace, tokens: TokenStore) -> None:
    from datetime import UTC, datetime

    token = tokens.rotate(given.name, now=datetime.now(UTC))
    _record("token.rotated", given)
    print(token)
    print("Save it now: it is not shown again. The old one no longer works.", file=sys.stderr)


def _record(action: str, given: argparse.Namespace, **facts: Any) -> None:
    from agentd import config
    from agentd.apps.operator import record

    record(config.state_folder(given.state), action, subject=given.name, **facts)


def _list(given: argparse.Namespace, tokens: TokenStore) -> None:
    from agentd import config
    from agentd.access import LastUse
    from agentd.clock import SystemClock

    used = LastUse(config.state_folder(given.state), SystemClock()).times()
    rows = [("NAME", "SCOPES", "PROFILE", "RATE", "SINCE", "EXPIRES", "LAST USE")]
    for one in tokens.principals():
        rate = "" if one.rate_per_minute is None else f"{one.rate_per_minute:g}/min"
        expires = "never" if one.expires_at is None else f"{one.expires_at:%Y-%m-%d %H:%M}"
        scopes, last = ",".join(sorted(one.scopes)), used.get(one.id, "")[:16].replace("T", " ")
        rows.append((one.id, scopes, one.profile or "", rate, f"{one.created_at:%Y-%m-%d}", expires, last))
    if len(rows) == 1:
        print("No token yet: on this machine's loopback every program is admin.", file=sys.stderr)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _revoke(given: argparse.Namespace, tokens: TokenStore) -> None:
    tokens.revoke(given.name)
    _record("token.revoked", given)
    print(f"{given.name} no longer has a token.")
    if not tokens.principals():
        print("That was the last token: on this machine's loopback every program is admin again.", file=sys.stderr)
