"""`agentd token add|list|revoke`: who may call the daemon. It works on the state folder and needs no running daemon."""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

SCOPES = ("kiosk", "chat", "staff", "admin", "model")


def register(subparsers: Any) -> None:
    """Add the command's words."""
    parser = subparsers.add_parser("token", help="add, list and revoke access tokens")
    words = parser.add_subparsers(dest="what", required=True, metavar="add|list|revoke")
    add = words.add_parser("add", help="make a token and print it, this once")
    add.add_argument("name", metavar="NAME", help="whose it is: a kiosk, a page, a person")
    add.add_argument("--scope", action="append", choices=SCOPES, required=True, help="what it may do; may be repeated")
    add.add_argument("--profile", metavar="NAME", help="the [[profiles]] entry of client.toml that its agent has")
    add.add_argument("--rate", metavar="N", type=float, help="calls a minute, in place of [rpc] rate_per_minute")
    add.set_defaults(run=_add)
    shown = words.add_parser("list", help="who has a token (the tokens themselves are not kept)")
    shown.add_argument("--json", action="store_true", help="as JSON")
    shown.set_defaults(run=_list)
    revoke = words.add_parser("revoke", help="take a token away")
    revoke.add_argument("name", metavar="NAME")
    revoke.set_defaults(run=_revoke)
    for word in (add, shown, revoke):
        word.add_argument("--state", metavar="DIR", help="the daemon's state folder (else AGENTD_STATE, else ./state)")
