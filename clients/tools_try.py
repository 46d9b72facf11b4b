"""`agentd tools try TOOL`: calls one tool with arguments typed field by field. It runs no agent."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from agentd.cli import options
from clients.connected import with_client
from hardening.reasons import not_there

if TYPE_CHECKING:
    from agentd.cli.client import Client

Ask = Callable[[str], str]


def register(words: Any) -> None:
    """Add `try` to `agentd tools`."""
    parser = options.command(words, "try", "call one tool with a form in the terminal", run, listen=True)
    parser.add_argument("--input", metavar="JSON", help="the arguments, instead of the form")
    parser.add_argument("--yes", action="store_true", help="approve the call if it needs approval")
    parser.add_argument("tool", metavar="TOOL")


def run(given: argparse.Namespace) -> int:
    """Return 0 if the call succeeded, 1 if it failed or nobody agreed, 2 if there is no such tool or terminal.

    Raises Refused."""
    try:
        arguments = None if given.input is None else json.loads(given.input)
    except ValueError as error:
        return _said(f"--input is not JSON: {error}")
    if arguments is not None and not isinstance(arguments, dict):
        return _said('--input is a JSON object, as {"a": 1}')
    if arguments is None and not sys.stdin.isatty():
        return _said("there is no terminal for the form: give the arguments by --input '{…}'")
    settings = options.settings(given)
    return with_client(settings, lambda client: _try(client, given.tool, arguments, agreed=given.yes))


async def _try(client: Client, named: str, arguments: dict[str, Any] | None, *, agreed: bool) -> int:
    listed = (await client.call("Tools.list"))["tools"]
    tool = next((each for each in listed if each["name"].casefold() == named.casefold()), None)
    if tool is None:
        return _said(not_there("tool", named, (each["name"] for each in listed)))
    if arguments is None:
        arguments = await asyncio.to_thread(form, tool, input)
    step = await client.call("Tools.call", {"tool": tool["name"], "input": arguments, "server": tool["server"]})
    waiting = step["output"] if isinstance(step["output"], dict) else {}
    if not step["success"] and "approval" in waiting and "run_id" in waiting:
        step = await _decided(client, waiting, step, agreed=agreed)
    output = json.dumps(step["output"], indent=2, ensure_ascii=False)
    print(output)
    done = f"{'done' if step['success'] else 'failed'} in {step['duration_ms']:.0f} ms"
    print(done if step["message"] == output else f"{done}: {step['message']}", file=sys.stderr)
    return 0 if step["success"] else 1


async def _decided(client: Client, waiting: dict[str, Any], step: dict[str, Any], *, agreed: bool) -> dict[str, Any]:
    """Ask for approval of a pending call and return its step; without approval nothing is called."""
    print(step["message"], file=sys.stderr)
    if not agreed and sys.stdin.isatty():
        agreed = (await asyncio.to_thread(input, "call it? [y/N] ")).strip().casefold() in ("y", "yes")
    about = {"run_id": waiting["run_id"], "approval_id": waiting["approval"]["approval_id"]}
    outcome = await client.call("Agent.approve", {**about, "approved": agreed})
    if not agreed:
        return {**step, "message": "nobody agreed, so nothing was called; --yes agrees in advance"}
    return outcome["steps"][-1] if outcome["steps"] else {**step, "message": outcome["response"]}


def _said(mistake: str) -> int:
    print(f"agentd tools try: {mistake}", file=sys.stderr)
    return 2


def form(tool: dict[str, Any], ask: Ask) -> dict[str, Any]:
    """Ask for each of the tool's arguments; an optional one may be left empty."""
    schema = tool["input_schema"]
    needed = schema.get("required", [])
    given: dict[str, Any] = {}
    for name, rule in schema.get("properties", {}).items():
        value = _field(name, rule, name in needed, ask)
        if value is not None:
            given[name] = value
    return given


def _field(name: str, rule: dict[str, Any], needed: bool, ask: Ask) -> Any:
    real = (each for each in rule.get("anyOf", ()) if isinstance(each, dict) and each.get("type") != "null")
    rule = {**next(real, {}), **rule}  # Optional[int] of a Python server
    kinds = rule.get("type", "string")
    kind = kinds if isinstance(kinds, str) else next((one for one in kinds if one != "null"), "string")
    hints = [" or ".join(map(str, rule["enum"])) if rule.get("enum") else kind, *([] if needed else ["optional"])]
    about = f" {rule['description']}" if rule.get("description") else ""
    while True:
        said = ask(f"{name} ({', '.join(hints)}){about}: ").strip()
        if not said and not needed:
            return None
        try:
            return read(said, kind, rule.get("enum"))
        except ValueError as error:
            print(f"  ! {error}")


def read(said: str, kind: str, choices: list[Any] | None = None) -> Any:
    """Convert typed text to a value of that kind. Raises ValueError that says what is expected."""
    if choices:
        found = next((each for each in choices if str(each).casefold() == said.casefold()), None)
        if found is None:
            raise ValueError(f"one of {', '.join(map(str, choices))}")
        return found
    if kind == "string":
        return said
    kinds, wanted = _KINDS.get(kind, (object, "JSON"))
    try:
        value = json.loads(said.lower() if kind == "boolean" else said)
    except ValueError:
        raise ValueError(f"{wanted} is wanted") from None
    if kind in _KINDS and (not isinstance(value, kinds) or isinstance(value, bool) is not (kind == "boolean")):
        raise ValueError(f"{wanted} is wanted")
    return value


_KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "integer": (int, "a whole number"),
    "number": ((int, float), "a number"),
    "boolean": (bool, "true or false"),
    "array": (list, "a JSON list, as [1, 2]"),
    "object": (dict, 'a JSON object, as {"a": 1}'),
}
"""{kind: (its types in Python, how it is asked for)}."""
