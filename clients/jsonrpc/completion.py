"""Shell completion for `jsonrpc-cli`: its scripts, and completions from the server's OpenRPC document.

`jsonrpc-cli --completion bash|zsh|fish` prints a script; the script asks `jsonrpc-cli --complete WORD…`.
"""

from __future__ import annotations

import argparse
import json
import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clients.jsonrpc.transports import TransportError, UsageError, decoded, sender

SCRIPTS: dict[str, str] = tomllib.loads(Path(__file__).with_name("completion.toml").read_text(encoding="utf-8"))
WAIT_S = 3.0
"""Seconds that a completion waits for the server."""


def candidates(words: Sequence[str], parser: argparse.ArgumentParser) -> list[str]:
    """The completions of the last word: options, the server's methods, the method's parameters."""
    *before, last = words or [""]
    plain, given = _read(before, parser)
    if last.startswith("-"):
        found = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
    elif not plain:
        found = []
    else:
        token = given.get("--token") or os.environ.get("JSONRPC_TOKEN")
        methods = _discovered(plain[0], token)
        found = list(methods) if len(plain) == 1 else _missing(methods.get(plain[1], []), plain[2:])
    return sorted(word for word in found if word.startswith(last))


def _read(words: Sequence[str], parser: argparse.ArgumentParser) -> tuple[list[str], dict[str, str]]:
    """(positional words, {option: value})."""
    valued = {option for action in parser._actions if action.nargs is None for option in action.option_strings}
    plain: list[str] = []
    given: dict[str, str] = {}
    before = ""
    for word in words:
        if before in valued:
            given[before] = word
        elif not word.startswith("-"):
            plain.append(word)
        before = "" if before in valued else word
    return plain, given


def _discovered(url: str, token: str | None) -> dict[str, list[dict[str, Any]]]:
    """{method: its parameters} from the server's OpenRPC document; empty if there is none."""
    asked = json.dumps({"jsonrpc": "2.0", "method": "rpc.discover", "id": 1}).encode()
    try:
        answer = decoded(sender(url, token, WAIT_S)(asked, True, None))
        return {method["name"]: method.get("params", []) for method in answer["result"]["methods"]}
    except (TransportError, UsageError, KeyError, TypeError, IndexError):
        return {}


def _missing(parameters: Sequence[dict[str, Any]], pairs: Sequence[str]) -> list[str]:
    """The parameters not given yet: `name=` for a text, `name:=` for other JSON."""
    given = {pair.partition("=")[0].rstrip(":") for pair in pairs}
    return [
        f"{one['name']}{'' if _is_text(one.get('schema') or {}) else ':'}="
        for one in parameters
        if one["name"] not in given
    ]


def _is_text(schema: dict[str, Any]) -> bool:
    return any(kind.get("type") == "string" for kind in (schema, *schema.get("anyOf", ())))
