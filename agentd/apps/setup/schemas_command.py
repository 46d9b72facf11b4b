"""`agentd tools explain|check`: shows how the apps read a tool's schema and its mistakes. It calls no tool."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from agentd.cli import options
from agentd.errors import ConfigError, Problem
from hardening.reasons import not_there

Tools = Iterable[tuple[dict[str, Any], str]]
"""Each tool with its file's text, for line numbers; a daemon's tools have no file."""
Read = Callable[[Tools], Coroutine[Any, Any, int]]


def register(words: Any) -> None:
    for name, read, summary in (
        ("explain", _explained, "explain how a tool's schema is read"),
        ("check", _checked, "list a schema's mistakes"),
    ):
        word = options.command(words, name, summary, run, listen=True)
        word.add_argument("names", nargs="*", metavar="TOOL | FILE.json")
        word.set_defaults(read=read)


def run(given: argparse.Namespace) -> int:
    """Return 0, 1 if there are mistakes, 2 for a usage error. Raises Refused."""
    read: Read = given.read
    named = given.names
    if read is _explained and not named:
        print("usage: agentd tools explain TOOL | FILE.json ...", file=sys.stderr)
        return 2
    if named and all(name.endswith(".json") for name in named):  # files need no daemon
        return asyncio.run(read(tool for name in named for tool in _in_file(Path(name))))
    return asyncio.run(_named(options.settings(given), read, named))


async def _named(settings: Any, read: Read, named: Sequence[str]) -> int:
    from agentd.cli.client import opened

    async with opened(settings) as client:
        listed = (await client.call("Tools.list"))["tools"]
    known = {tool["name"].casefold(): tool for tool in listed}
    for name in named:
        if name.casefold() not in known:
            there = not_there("tool", name, (tool["name"] for tool in listed))
            print(f"agentd tools: {there}; a file's name ends in .json", file=sys.stderr)
            return 2
    return await read((known[name.casefold()], "") for name in named or known)


async def _explained(tools: Tools) -> int:
    for tool, _ in tools:
        print(f"{tool['name']}: {tool['description']}")
        for line in (line for reading in await _readings(tool) for line in reading.lines):
            print(f"  {line}")
    return 0


async def _checked(tools: Tools) -> int:
    """Print each mistake on a line."""
    found = 0
    for tool, text in tools:
        for mistake in (each for reading in await _readings(tool) for each in reading.mistakes):
            found += 1
            line = f"{_line(text, mistake.path, mistake.key)}: " if text else ""
            print(f"{tool['name']}: {line}{mistake.path or 'the schema'}: {mistake.key}: {mistake.text}")
    print(f"{found} mistakes" if found != 1 else "1 mistake")
    return 1 if found else 0


async def _readings(tool: dict[str, Any]) -> list[Any]:
    from agentd.messages import ToolInfo
    from agentd.plugins import apps, meaning

    read = ToolInfo(
        name=tool["name"], server="", description=tool["description"], input_schema=tool["input_schema"], official=True
    )
    near = meaning()
    return [await app.read_schema(read, near) for app in apps()]


def _in_file(file: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """The tools of a file: one tool, a list (`tools/list`) or a bare schema. Raises ConfigError for anything else."""
    try:
        text = file.read_text(encoding="utf-8")
        tools = json.loads(text)
    except OSError as error:
        raise ConfigError([Problem(file, 1, str(error.strerror))]) from None
    except ValueError as error:
        raise ConfigError([Problem(file, getattr(error, "lineno", 1), f"no JSON: {error}")]) from None
    tools = tools.get("tools", tools) if isinstance(tools, dict) else tools
    for one in tools if isinstance(tools, list) else [tools]:
        if not isinstance(one, dict):
            raise ConfigError([Problem(file, 1, f"holds {json.dumps(one)[:80]}, no tool, list of tools or schema")])
        schema = one.get("inputSchema") or one.get("input_schema") or one
        description = one.get("description", "") if schema is not one else "?"
        yield {"name": one.get("name", file.stem), "description": description, "input_schema": schema}, text


def _line(text: str, path: str, key: str) -> str:
    """`line 12`: the line of a property's key, found by the names on its path."""
    at = 0
    for name in (*path.replace("[]", "").split("."), key):
        at = max(at, text.find(f'"{name}"', at))
    return f"line {text.count(chr(10), 0, at) + 1}"
