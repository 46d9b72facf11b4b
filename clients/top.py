"""`agentd top`: shows runs, servers and providers live in a terminal. It changes nothing."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from datetime import UTC, datetime
from typing import Any

from agentd.cli import options
from agentd.clock import SKEW_REPORTED_S

EVERY_S = 1.0
RUNS = 12
COLOURS = {
    "up": "green",
    "ready": "green",
    "ok": "green",
    "completed": "green",
    "running": "cyan",
    "queued": "cyan",
    "starting": "yellow",
    "cooling": "yellow",
    "degraded": "yellow",
    "needs_approval": "yellow",
    "unknown": "dim",
    "cancelled": "dim",
}
"""The colour of each state; all others are red."""


def register(commands: Any) -> None:
    parser = options.command(commands, "top", "watch runs, servers and providers live", run, listen=True)
    parser.add_argument("--once", action="store_true", help="print one snapshot and exit")
    parser.add_argument("--every", metavar="SECONDS", type=float, default=EVERY_S, help="how often to look")


def run(given: argparse.Namespace) -> int:
    """Show until interrupted. Returns 1 if no daemon answers."""
    from agentd import config

    settings = config.load(given.config, state=given.state, listen=given.listen)
    return asyncio.run(_watch(settings, given.once, max(given.every, 0.1)))


async def _watch(settings: Any, once: bool, every_s: float) -> int:
    from rich.console import Console
    from rich.live import Live

    from agentd.cli.client import running

    async with running(settings) as client:
        if client is None:
            print(f"agentd top: no daemon answers at {settings.rpc.listen}; `agentd serve` starts one", file=sys.stderr)
            return 1
        if once or not sys.stdout.isatty():
            Console().print(picture(*await _asked(client)))
            return 0
        with Live(picture(*await _asked(client)), screen=True, auto_refresh=False) as live:
            while True:
                await asyncio.sleep(every_s)
                live.update(picture(*await _asked(client)), refresh=True)


async def _asked(client: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], str]:
    health, runs, parked, metrics = await asyncio.gather(
        client.call("System.health"),
        client.call("Agent.list", {"limit": RUNS}),
        client.call("Agent.list", {"parked": True, "limit": RUNS}),
        _metrics(client),
    )
    return health, runs, parked, metrics


async def _metrics(client: Any) -> str:
    """The metrics in Prometheus' text format. Raises Refused."""
    from agentd.cli.client import Refused

    async with client.asked("GET", "/metrics") as response:
        if response.status != 200:
            raise Refused({"message": f"/metrics answered {response.status}; a token of staff or admin is needed"})
        return str(await response.text())


def picture(
    health: dict[str, Any], runs: dict[str, Any], parked: dict[str, Any], metrics: str, now: datetime | None = None
) -> Any:
    """System.health, Agent.list (the newest and the parked runs) and /metrics as one rich renderable."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    totals = figures(metrics)
    head = Text.assemble(
        ("agentd ", "bold"),
        f"{health['version']}  ",
        (health["status"], _colour(health["status"])),
        ("  database down" if health.get("database") == "down" else "", "red"),
        f"  up {_span(health['uptime_s'])}  {health['runs']['active']} active",
    )
    servers = Table("server", "state", "restarts", "calls", "mean ms", "error", title="servers", expand=True)
    for server in health["servers"]:
        calls, seconds = (totals.get(f"agentd_tool_seconds_{of}{{server={server['name']}}}", 0.0) for of in _SUMS)
        state = Text(server["state"], _colour(server["state"]))
        mean = f"{1000 * seconds / calls:.0f}" if calls else ""
        servers.add_row(server["name"], state, str(server["restarts"]), f"{calls:.0f}", mean, server["error"] or "")
    providers = Table("provider", "state", "turns", "mean s", "tokens in/out", "error", title="models", expand=True)
    for provider in health["providers"]:
        name = provider["id"]
        turns, seconds = (totals.get(f"agentd_model_seconds_{of}{{provider={name}}}", 0.0) for of in _SUMS)
        tokens = "/".join(f"{_tokens(totals, name, direction):.0f}" for direction in ("input", "output"))
        state = Text(provider["state"], _colour(provider["state"]))
        mean = f"{seconds / turns:.2f}" if turns else ""
        providers.add_row(name, state, f"{turns:.0f}", mean, tokens, provider["error"] or "")
    days = Table("day", "provider/model", "turns", "tokens in/out", "cost", title="usage", expand=True)
    for row in usage(metrics):
        days.add_row(*row)
    listed = Table("run", "kind", "status", "began", "took", title="runs", expand=True)
    moment = now or datetime.now(UTC)
    for row in runs["runs"]:
        began = datetime.fromisoformat(row["created_at"])
        ended = datetime.fromisoformat(row["finished_at"]) if row["finished_at"] else moment
        took = _span(max((ended - began).total_seconds(), 0.0))
        status = Text(row["status"], _colour(row["status"]))
        listed.add_row(row["run_id"][:16], row["kind"], status, f"{began.astimezone():%H:%M:%S}", took)
    return Group(head, *_clock(health.get("cluster")), *_parked(parked["runs"]), servers, providers, days, listed)


def _clock(cluster: dict[str, Any] | None) -> list[Any]:
    """A line for a node whose clock differs from its database's."""
    from rich.text import Text

    if cluster is None or abs(cluster["clock_skew_s"]) <= SKEW_REPORTED_S:
        return []
    skew = cluster["clock_skew_s"]
    text = f"{abs(skew):.0f} s {'ahead of' if skew > 0 else 'behind'} the database's: set it (NTP)"
    return [Text(f"the clock of {cluster['node']} is {text}", "red")]


def _parked(rows: list[dict[str, Any]]) -> list[Any]:
    """A line for each parked run: the daemon gave it up after crashing on it repeatedly."""
    from rich.text import Text

    text = "the daemon ended at it again and again; its log says where"
    return [Text(f"parked {row['run_id']} ({row['kind']}, {row['created_at']}): {text}", "red") for row in rows]


_SUMS = ("count", "sum")
_OF_DAY = "agentd_day_"


def figures(metrics: str) -> dict[str, float]:
    """Prometheus' text format as {`name{label=value,…}`: number}."""
    from prometheus_client.parser import text_string_to_metric_families

    found: dict[str, float] = {}
    for family in text_string_to_metric_families(metrics):
        for sample in family.samples:
            labels = ",".join(f"{key}={value}" for key, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def usage(metrics: str) -> list[tuple[str, str, str, str, str]]:
    """(day, provider/model, turns, tokens in/out, cost) for each day and model, newest first."""
    from prometheus_client.parser import text_string_to_metric_families

    days: dict[tuple[str, str], dict[str, str]] = {}
    for family in text_string_to_metric_families(metrics):
        for sample in family.samples if family.name.startswith(_OF_DAY) else ():
            labels = sample.labels
            row = days.setdefault((labels["day"], f"{labels['provider']}/{labels['model']}"), {})
            if currency := labels.get("currency"):
                row["cost"] = currency if math.isnan(sample.value) else f"{currency} {sample.value:.4f}"
            else:
                row[labels.get("direction", "turns")] = f"{sample.value:.0f}"
    return [
        (day, model, row.get("turns", ""), f"{row.get('input', '')}/{row.get('output', '')}", row.get("cost", ""))
        for (day, model), row in sorted(days.items(), key=lambda each: each[0][0], reverse=True)
    ]


def _tokens(totals: dict[str, float], provider: str, direction: str) -> float:
    start = f"agentd_model_tokens_total{{direction={direction},"
    return sum(number for key, number in totals.items() if key.startswith(start) and f"provider={provider}}}" in key)


def _colour(state: str) -> str:
    return COLOURS.get(state, "red")


def _span(seconds: float) -> str:
    """A duration as `3.2 s`, `4 min` or `2 h 10 min`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = int(seconds // 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
