"""`agentd models try`: runs twenty canned turns of the office's agent on each provider and prints a table.

Each turn is a run of the configured agent in its own session; calls that wait for a yes are not approved.
"""

from __future__ import annotations

import argparse
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from agentd.cli import options
from clients.connected import with_client

TURNS = Path(__file__).with_name("models_try.toml")


@dataclass(frozen=True, slots=True)
class Expected:
    """One canned turn and its expected result."""

    words: str
    tool: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Tried:
    """The result of one turn on a provider."""

    answered: bool
    """Whether this provider itself answered, with a valid action."""
    right: bool
    """Whether it answered, and called the right tool, or rightly none."""
    invented: int
    """Number of calls refused because nobody had said their values."""
    language: bool
    """Whether it answered, in the wanted language."""
    seconds: float
    tokens: int
    why: str = ""
    """Why it did not answer, as far as the daemon says."""


def register(commands: Any) -> None:
    """Add `try` to `agentd models`."""
    parser = options.command(
        commands, "try", "run twenty canned turns against a provider and print a table", run, listen=True
    )
    parser.add_argument("providers", nargs="*", metavar="PROVIDER", help="default: all of client.toml")
    parser.add_argument("--show", action="store_true", help="print each turn and its answer")


def run(given: argparse.Namespace) -> int:
    """Return 0 if every turn was answered by the intended provider."""
    settings = options.settings(given)
    known = [provider.id for provider in settings.providers]
    if strange := [name for name in given.providers if name not in known]:
        print(f"agentd models try: no provider {', '.join(strange)}; known: {', '.join(known)}")
        return 2
    return with_client(settings, lambda client: _try(client, given.providers or known, given.show))


async def _try(client: Any, providers: Sequence[str], show: bool) -> int:
    all_answered = True
    there = {tool["name"] for tool in (await client.call("Tools.list"))["tools"]}
    turns = [turn for turn in canned() if not turn.tool or turn.tool in there]
    print(HEADER)
    for provider in providers:
        outcomes = [await tried(client, provider, turn, show) for turn in turns]
        print(row(provider, outcomes), flush=True)
        if why := next((outcome.why for outcome in outcomes if outcome.why), None):
            print(f"  not answered: {why}")
        all_answered = all_answered and all(outcome.answered for outcome in outcomes)
    return 0 if all_answered else 1


async def tried(client: Any, provider: str, turn: Expected, show: bool = False) -> Tried:
    """Run one turn on a provider, in a session that is then deleted."""
    from agentd.cli.client import Refused

    session, began = uuid4().hex, time.perf_counter()
    asked = {"prompt": turn.words, "session_id": session, "options": {"provider": provider}}
    try:
        outcome = await client.call("Agent.run", asked)
    except Refused as error:
        outcome = {"why": error.error["message"], **(error.error.get("data") or {})}
    seconds = time.perf_counter() - began
    await client.call("Session.delete", {"session_id": session})
    if show:
        print(f"  {turn.words[:60]} → {[step['tool'] for step in outcome.get('steps', [])]} {outcome.get('response')}")
    return judged(turn, provider, outcome, seconds)


def canned() -> list[Expected]:
    return [Expected(**turn) for turn in tomllib.loads(TURNS.read_text(encoding="utf-8"))["turns"]]


def judged(turn: Expected, provider: str, outcome: Mapping[str, Any], seconds: float) -> Tried:
    """Judge one turn's outcome (the result of `Agent.run`, or the data of its error)."""
    from agentd.agent.language import detect

    called = list(_called(outcome))
    answer = outcome.get("response") or ""
    usage = outcome.get("usage") or {}
    passed_over = [one["message"] for one in outcome.get("fallbacks", []) if one["provider"] == provider]
    answered = outcome.get("provider") == provider and not passed_over and "status" in outcome
    right = turn.tool in called if turn.tool else not any(name.startswith("generate_") for name in called)
    return Tried(
        answered=answered,
        right=answered and right,
        invented=sum(
            "missing" in (step.get("output") or {}) for step in outcome.get("steps", []) if not step["success"]
        ),
        language=answered and (not turn.language or detect(answer) == turn.language),
        seconds=seconds,
        tokens=int(usage.get("input_tokens", 0)) + int(usage.get("output_tokens", 0)),
        why=next(iter(passed_over), outcome.get("why", "")),
    )


def _called(outcome: Mapping[str, Any]) -> Iterator[str]:
    """The tools that succeeded, and the one that waits for approval."""
    yield from (step["tool"] for step in outcome.get("steps", []) if step["success"])
    if outcome.get("approval"):
        yield outcome["approval"]["tool"]


COLUMNS = ("valid", 7), ("right tool", 10), ("invented, stopped", 17), ("language", 8), ("s a turn", 8), ("tokens", 8)
HEADER = " ".join([f"{'provider':<14}", *(f"{name:>{wide}}" for name, wide in COLUMNS)])


def row(provider: str, turns: Iterable[Tried]) -> str:
    """One provider's row of the table, with the cells of COLUMNS."""
    tried = list(turns)
    count = len(tried)
    cells = (
        f"{sum(turn.answered for turn in tried)}/{count}",
        f"{sum(turn.right for turn in tried)}/{count}",
        str(sum(turn.invented for turn in tried)),
        f"{sum(turn.language for turn in tried)}/{count}",
        f"{sum(turn.seconds for turn in tried) / max(1, count):.1f}",
        str(sum(turn.tokens for turn in tried) // max(1, count)),
    )
    return " ".join([f"{provider:<14}", *(f"{cell:>{wide}}" for cell, (_, wide) in zip(cells, COLUMNS, strict=True))])
