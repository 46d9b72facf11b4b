"""`agentd tools explain|check`: shows how the apps read a tool's schema and its mistakes. It calls no tool."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentd.cli import options
from agentd.errors import ConfigError, Problem
from hardening.reasons import not_there

if TYPE_CHECKING:
    from agentd.messages import ToolInfo

Tools = Iterable[tuple["ToolInfo", str]]
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
    rules = [*(settings.tools or ()), *(one for known in settings.server_tools.values() for one in known.values())]
    official = {rule.name for rule in rules if rule.official}
    known = {tool["name"].casefold(): _read(tool, official=tool["name"] in official) for tool in listed}
    for name in named:
        if name.casefold() not in known:
            there = not_there("tool", name, (tool["name"] for tool in listed))
            print(f"agentd tools: {there}; a file's name ends in .json", file=sys.stderr)
            return 2
    return await read((known[name.casefold()], "") for name in named or known)


async def _explained(tools: Tools) -> int:
    for tool, _ in tools:
        print(f"{tool.name}: {tool.description}")
        for line in (line for reading in await _readings(tool) for line in reading.lines):
            print(f"  {line}")
    return 0


async def _checked(tools: Tools) -> int:
    """Print each mistake on a line."""
    found = 0
    for tool, text in tools:
        for mistake in (each for reading in await _readings(tool) for each in reading.mistakes):
            found += 1
            names = (tool.name, *mistake.path.replace("[]", "").split("."), mistake.key)
            line = f"line {_line(text, names)}: " if text else ""
            print(f"{tool.name}: {line}{mistake.path or 'the schema'}: {mistake.key}: {mistake.text}")
    print(f"{found} mistakes" if found != 1 else "1 mistake")
    return 1 if found else 0


async def _readings(tool: ToolInfo) -> list[Any]:
    from agentd.plugins import apps, meaning

    near = meaning()
    return [await app.read_schema(tool, near) for app in apps()]


def _in_file(file: Path) -> Iterator[tuple[ToolInfo, str]]:
    """The tools of a file: one tool, a list (`tools/list`) or a bare schema. Raises ConfigError for anything else."""
    from pydantic import ValidationError

    try:
        text = file.read_text(encoding="utf-8-sig")
        tools = json.loads(text)
    except OSError as error:
        raise ConfigError([Problem(file, 1, str(error.strerror))]) from None
    except ValueError as error:
        raise ConfigError([Problem(file, getattr(error, "lineno", 1), f"no JSON: {error}")]) from None
    tools = tools.get("tools", tools) if isinstance(tools, dict) else tools
    if tools == []:
        raise ConfigError([Problem(file, 1, "holds no tool")])
    for one in tools if isinstance(tools, list) else [tools]:
        if not isinstance(one, dict):
            raise ConfigError([Problem(file, 1, f"holds {json.dumps(one)[:80]}, no tool, list of tools or schema")])
        if not {"inputSchema", "input_schema"} & one.keys() and ("properties" in one or one.get("type") == "object"):
            one = {"name": file.stem, "description": "?", "inputSchema": one, "_meta": {"agentd/official": True}}
        try:
            yield _read(one), text
        except ValidationError as error:
            wrong = error.errors()[0]
            what = f"{wrong['loc'][0]}: {wrong['msg'].replace('Input should', 'should')}"
            raise ConfigError([Problem(file, _line(text, [str(one.get("name", ""))]), what)]) from None


def _read(tool: dict[str, Any], *, official: bool = False) -> ToolInfo:
    """A tool as MCP or `Tools.list` has it; one whose schema says what its fields are is official. Raises
    ValidationError."""
    from agentd.messages import ToolInfo

    schema = tool.get("inputSchema", tool.get("input_schema"))
    meta = tool.get("_meta") or {}
    return ToolInfo(
        name=tool.get("name"),
        server="",
        description=tool.get("description", ""),
        input_schema=schema,
        official=official or meta.get("agentd/official") is True or '"x-agentd-' in json.dumps(schema),
    )


def _line(text: str, names: Iterable[str]) -> int:
    """The line of the last of these keys, each searched behind the one before, else (of a `$ref`) anywhere."""
    at = 0
    for name in names:
        found = text.find(f'"{name}"', at)
        at = max(at, found) if found >= 0 else max(0, text.find(f'"{name}"'))
    return text.count("\n", 0, at) + 1
