"""`python -m lab.eval.openings`: agentd in this process, its real servers, and each opening in a session of its own.

The embedded model answers a fixed sample of 30; `--all` asks it everything, `--half` one half of everything, `--host`
no model: then only what the host settles by itself is judged. Faults are listed of the tuning half alone, the other
one counts in the totals.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentd import config
from agentd.daemon import Daemon
from agentd.errors import AgentdError
from agentd.messages import AgentOptions, AgentStep, Caller, ProviderSettings
from agentd.observability import logging as logs
from agentd.runs.visibility import new_key
from agentd.startup import started
from lab.eval.openings import host
from lab.eval.openings.judging import FILE, Opening, Reply, faults, load
from lab.tokens import tokens
from servers.text2cypher.metrics.statistics import interval_of_rate

SAMPLE = 5
"""The sample takes one of this many openings."""
HALVES = ("tuning", "reported")
VISITOR = Caller(id="openings", scopes=frozenset({"kiosk"}))


async def asked(made: Daemon, opening: Opening) -> Reply:
    """Send the opening as the first message of a session."""
    try:
        outcome = await made.runs.run(opening.text, AgentOptions(), VISITOR.with_key(new_key()))
    except AgentdError as error:
        steps = tuple(AgentStep.model_validate(step) for step in error.data.get("steps", ()))
        return Reply(error.data.get("user_message") or error.user_message(), steps, 0, 0, 0)
    spent = tokens(outcome.logs)
    return Reply(outcome.response, outcome.steps, spent.turns, spent.read, spent.written)


async def evaluate(given: argparse.Namespace) -> dict[str, Any]:
    """Ask and judge; print each result as it arrives."""
    rows = list(enumerate(load(given.openings)))
    everything = given.all or given.host or given.half
    chosen = [row for row in rows if everything or row[0] % SAMPLE == 0]
    if given.half:
        chosen = [row for row in chosen if row[0] % 2 == HALVES.index(given.half)]
    totals: Counter[str] = Counter()
    kinds: dict[str, list[int]] = {}
    with ExitStack() as stack:
        state = stack.enter_context(tempfile.TemporaryDirectory(prefix="agentd-openings-"))
        settings = config.load(given.config, state=state)
        only = tuple(each for each in settings.providers if each.type == "llamacpp")
        if given.host:
            endpoint = stack.enter_context(host.serving())
            only = (ProviderSettings(id="host", type="openai", endpoint=endpoint, model="host"),)
        async with started(replace(settings, default_provider=only[0].id, providers=only)) as made:
            if not given.host:
                await made.chain.warm(made.profile(VISITOR, AgentOptions()).prefix)
            for number, opening in chosen[: given.limit]:
                reply = await asked(made, opening)
                open_ = reply.text == host.CHOICE
                wrong = [] if open_ else faults(opening, reply)
                totals.update(asked=1, open=open_, good=not wrong and not open_, read=reply.read, written=reply.written)
                totals.update(turns=reply.turns)
                kind = kinds.setdefault(opening.kind, [0, 0])
                kind[0] += not wrong and not open_
                kind[1] += not open_
                if number % 2 == HALVES.index("tuning"):
                    mark = "·" if open_ else "✗" if wrong else "✓"
                    print(
                        f"{mark} [{opening.kind}] {opening.text} → {reply.text[:110]!r}", "; ".join(wrong), flush=True
                    )
    sure = interval_of_rate(totals["good"], totals["asked"] - totals["open"])
    return {
        **totals,
        "good_percent_95": [round(end, 1) for end in sure],
        "kinds": {name: f"{good} of {all_}" for name, (good, all_) in kinds.items()},
    }


def main() -> int:
    """Return 0 when at least nine in ten of the answered openings are good."""
    parser = argparse.ArgumentParser(prog="python -m lab.eval.openings", description=__doc__)
    parser.add_argument("--config", metavar="FILE", help="client.toml (default: the one agentd itself would read)")
    parser.add_argument("--openings", metavar="FILE", type=Path, default=FILE, help="other openings than openings.toml")
    parser.add_argument("--host", action="store_true", help="no model: only what the host settles by itself")
    parser.add_argument("--all", action="store_true", help="all openings, not the sample")
    parser.add_argument("--half", choices=HALVES, help="all openings of one half")
    parser.add_argument("--limit", metavar="N", type=int, help="at most N openings")
    parser.add_argument("--out", metavar="FILE", type=Path, help="the figures as JSON")
    given = parser.parse_args()
    logs.configure("error")
    found = asyncio.run(evaluate(given))
    print(json.dumps(found, indent=1, ensure_ascii=False))
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0 if found["good"] >= 0.9 * (found["asked"] - found["open"]) else 1


if __name__ == "__main__":
    sys.exit(main())
