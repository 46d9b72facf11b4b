"""`agentd tools add|import|export`: adds servers to client.toml, or exports them. Existing entries don't change."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence, Set
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from agentd.apps.setup.entries import added, exported, lines, new_server, read
from agentd.cli import options
from agentd.messages import ApprovalRule, ServerSettings, ToolInfo

if TYPE_CHECKING:
    from agentd.cli.client import Client
    from agentd.config import Settings
    from agentd.config.schema import ServerEntry

Rule = ApprovalRule | Literal["official"]
RULES: tuple[Rule, ...] = ("never", "citizen", "staff", "official")
"""`official`: the citizen must agree, and each value must be in the citizen's own words."""
START_S = 120.0
"""Seconds for a server's start: `npx` and `uvx` download a package at the first one."""
LOOK_S = 0.1


def register(words: Any) -> None:
    """Add `add`, `import` and `export` to `agentd tools`."""
    add = options.command(words, "add", "start a server once, show its tools, add it to client.toml", _add, listen=True)
    add.add_argument(
        "--for",
        dest="audience",
        metavar="SCOPES",
        help="the scopes whose agents have its tools: kiosk,chat,staff,admin; `` is none",
    )
    add.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    add.add_argument(
        "--pass-env", action="append", default=[], metavar="NAME", help="a variable of agentd's to pass on"
    )
    add.add_argument("--url", help="address of a Streamable HTTP server, instead of a command")
    add.add_argument(
        "--approval",
        choices=RULES,
        help="who must agree to a call of a tool that may change something, else you are asked; "
        "official: the citizen, and each value must be in the citizen's own words",
    )
    add.add_argument("name", metavar="NAME")
    add.add_argument("command", nargs=argparse.REMAINDER, metavar="-- COMMAND …")
    importing = options.command(words, "import", "import the servers of an `mcpServers` file", _import, listen=True)
    importing.add_argument("file", type=Path, metavar="FILE", help="Claude Desktop's, VS Code's or Cursor's JSON")
    options.command(words, "export", "print the servers as `mcpServers` JSON", _export)


def _add(given: argparse.Namespace) -> int:
    command = given.command[1:] if given.command[:1] == ["--"] else given.command
    if bool(command) == bool(given.url) or (command and command[0].startswith("-")):
        print("usage: agentd tools add [--approval RULE] [--for SCOPES] … NAME -- COMMAND …   (or --url URL NAME)")
        return 2
    server = new_server(
        name=given.name,
        command=command[0] if command else None,
        args=command[1:],
        workdir=str(Path.cwd()) if command and _of_this_folder(command) else None,
        url=given.url,
        env=dict(pair.partition("=")[::2] for pair in given.env),
        pass_env=given.pass_env,
        audience=None if given.audience is None else list(filter(None, given.audience.split(","))),
    )
    from agentd import config

    file = config.find(given.config)
    loaded = _written(file, [server], given, dry=True)  # report mistakes before starting it
    settings = next(each for each in loaded.servers if each.name == server.name)
    patient = settings.model_copy(update={"start_timeout_s": max(START_S, settings.start_timeout_s)})
    tools, error = asyncio.run(_started(patient, given))
    if error is not None:
        print(f"{server.name} does not start: {error}\nNothing was written.", file=sys.stderr)
        return 1
    rules = _rules(tools, given.approval)
    approval = {tool: rule for tool, rule in rules.items() if rule != "official"}
    official = [tool for tool, rule in rules.items() if rule == "official"]
    server = server.model_copy(update={"approval": approval, "official": official})
    _written(file, [server], given)
    print(f"\nwritten to {file}:\n{lines(server)}")
    return asyncio.run(_reloaded(given, {server.name}))


def _of_this_folder(command: Sequence[str]) -> bool:
    """Whether a command names a file or Python module of the current folder, so that it starts only there."""
    modules = [word.replace(".", "/") for before, word in pairwise(command) if before == "-m"]
    named = [*command[1:], *modules, *(f"{module}.py" for module in modules)]
    if "/" in command[0]:
        named.append(command[0])
    return any(word and not Path(word).is_absolute() and Path(word).exists() for word in named)


def _import(given: argparse.Namespace) -> int:
    from agentd import config

    try:
        servers, notes = read(given.file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        print(f"agentd tools import: {given.file}: {reason}", file=sys.stderr)
        return 2
    file = config.find(given.config)
    there = {server.name for server in config.load(file, state=given.state).servers}
    new = [server for server in servers if server.name not in there]
    notes += [
        f"{server.name}: left out, client.toml has a server of this name" for server in servers if server.name in there
    ]
    _written(file, new, given)
    for server in new:
        print(lines(server))
    print("\n".join(notes), file=sys.stderr)
    print(f"{len(new)} server{'s' * (len(new) != 1)} written to {file}")
    return asyncio.run(_reloaded(given, {server.name for server in new})) if new else 0


def _export(given: argparse.Namespace) -> int:
    import json
    import tomllib

    from agentd import config
    from agentd.config.schema import ServerEntry

    settings = config.load(given.config, state=given.state)  # reports all problems
    raw = tomllib.loads(settings.file.read_text(encoding="utf-8"))
    entries = [ServerEntry.model_validate(entry) for entry in raw.get("servers", [])]
    print(json.dumps(exported(entries), indent=2, ensure_ascii=False))
    return 0


def _written(file: Path, servers: Sequence[ServerEntry], given: argparse.Namespace, *, dry: bool = False) -> Settings:
    """Append the entries to the file (if `dry`, to a copy) and return its settings. Raises ConfigError, and leaves the
    file unchanged, if the result is invalid."""
    from agentd import config
    from agentd.errors import ConfigError, Problem

    file = file.resolve()  # a link stays one
    config.load(file, state=given.state, listen=given.listen)  # so that what is wrong below is the entries
    beside, there = file.with_name(f".{file.name}.new"), file.read_text(encoding="utf-8")
    try:
        beside.write_text(added(there, servers), encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            [Problem(file, 1, f"can't be changed ({error.strerror}); name another by --config")]
        ) from None
    try:
        loaded = config.load(beside, state=given.state, listen=given.listen)
        if not dry:
            beside.chmod(file.stat().st_mode)
            beside.replace(file)
        return loaded
    except ConfigError as wrong:
        text = "nothing was added after this line, the new entry is wrong: "
        end = len(there.splitlines())
        raise ConfigError([Problem(file, end, text + problem.text) for problem in wrong.problems]) from None
    finally:
        beside.unlink(missing_ok=True)


async def _started(server: ServerSettings, given: argparse.Namespace) -> tuple[Sequence[ToolInfo], str | None]:
    """Start the server. Returns its tools, and the reason if it doesn't start."""
    from agentd import config
    from agentd.observability import logging as logs
    from agentd.plugins import TOOL_HOSTS, plugin
    from agentd.state import in_use

    logs.configure("error")
    office = config.load(given.config, state=given.state)
    with in_use(office.state):  # the server may write there
        async with plugin(TOOL_HOSTS, office.tool_host)([server]) as host:
            catalogue = await host.ready()
            [state] = catalogue.servers
            return catalogue.tools, None if state.state == "up" else state.error or f"still {state.state}"


def _rules(tools: Sequence[ToolInfo], rule: Rule | None) -> dict[str, Rule]:
    """Print the tools. For each that may change something, ask for an approval rule unless one is given."""
    chosen: dict[str, Rule] = {}
    for tool in tools:
        words = " ".join(tool.description.split())
        print(f"  {tool.name}({', '.join(tool.input_schema.get('properties', {}))}): {words[:100]}")
        if tool.harmless:
            continue
        why = (
            "may change something" if "readOnlyHint" in tool.annotations else "doesn't say whether it changes something"
        )
        print(f"    ! {why}: a call that a model chooses waits for a yes, unless you say otherwise")
        if answer := rule or _asked(tool.name):
            chosen[tool.name] = answer
    return chosen


def _asked(name: str) -> Rule | None:
    if not sys.stdin.isatty():
        print("    (no terminal to ask in; use --approval never, citizen, staff or official)")
        return None
    while said := input(f"    who must agree to a call of {name}? [{', '.join(RULES)}; Enter: as above] ").strip():
        if found := next((rule for rule in RULES if rule == said), None):
            return found
    return None


async def _reloaded(given: argparse.Namespace, names: Set[str]) -> int:
    """Have a running daemon load the servers, and wait for their tools; without a daemon, only say so."""
    from agentd import config
    from agentd.cli.client import Refused, running

    settings = config.load(given.config, state=given.state, listen=given.listen)
    async with running(settings) as client:
        if client is None:
            print("no daemon is running; it is available from the next start on")
            return 0
        try:
            await client.call("Config.reload")
        except Refused as error:
            print(f"the running daemon did not load it: {error}", file=sys.stderr)
            return 1
        there = await _there(client, names)
    for one in there:
        if one["state"] != "up":
            print(f"{one['name']} is {one['state']} there: {one['error'] or 'see the log'}", file=sys.stderr)
    if lacking := names - {one["name"] for one in there}:
        print(f"the running daemon reads another client.toml: it has no {', '.join(sorted(lacking))}", file=sys.stderr)
        return 1
    print("the running daemon has loaded it")
    return 0


async def _there(client: Client, names: Set[str]) -> list[dict[str, Any]]:
    """The servers' states in the daemon, once none is `starting` or START_S seconds have passed."""
    states: list[dict[str, Any]] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(START_S):
            while True:
                states = [one for one in (await client.call("Tools.list"))["servers"] if one["name"] in names]
                if all(one["state"] != "starting" for one in states):
                    return states
                await asyncio.sleep(LOOK_S)
    return states
