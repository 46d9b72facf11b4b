"""The drill's parts by name: what is tried on a daemon, and what was lost.

`kills` and `stops` end one daemon repeatedly, `nodes` each of three, `clocks` sets one of two clocks ahead. `hostile`
sends texts designed to be slow. Then come faults of servers, providers and the machine. `hostile` runs first and alone,
because it is timed; all other parts run in parallel, because they mostly wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from lab.drill.beside import Row
from lab.drill.clock_leaps import clock_leaps
from lab.drill.count import Found
from lab.drill.hostile import curve, hostile_texts
from lab.drill.kills import kills, stops
from lab.drill.mcp_faults import mcp_faults
from lab.drill.nodes import three_nodes, two_clocks
from lab.drill.provider_faults import provider_faults

Cells = dict[str, str | int | float | bool | None]
HOSTILE = "hostile"
LIVES: dict[str, Callable[[Path, int], Found]] = {
    "kills": kills,
    "stops": stops,
    "nodes": lambda folder, _: three_nodes(folder),
    "clocks": lambda folder, _: two_clocks(folder),
}
FAULTS: dict[str, Callable[[Path], list[Row]]] = {
    **{"mcp": mcp_faults, "providers": provider_faults, "clock": clock_leaps},
}
EVERY = (*LIVES, HOSTILE, *FAULTS)


@dataclass(frozen=True)
class Part:
    """What one part found: counts, table rows, and the failures."""

    counts: dict[str, str | int | float] = field(default_factory=dict)
    tables: dict[str, list[Cells]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


def drill(folder: Path, names: Sequence[str], seed: int) -> dict[str, Part]:
    """Run the named parts. `seed` fixes the moments of kills and stops."""
    done = {HOSTILE: _rows(hostile_texts(folder / HOSTILE), curve())} if HOSTILE in names else {}
    others = [name for name in names if name != HOSTILE]
    with ThreadPoolExecutor(max(len(others), 1)) as all_:
        waiting = {name: all_.submit(_part, name, folder / name, seed) for name in others}
    return done | {name: future.result() for name, future in waiting.items()}


def _part(name: str, folder: Path, seed: int) -> Part:
    """Run one part. If it can't run here, `wrong` holds the reason and the other parts continue."""
    try:
        return _done(name, folder, seed)
    except (Exception, SystemExit) as error:
        return Part(wrong=[f"{name} could not be run: {type(error).__name__}: {error}"])


def _done(name: str, folder: Path, seed: int) -> Part:
    if name in LIVES:
        found = LIVES[name](folder, seed)
        repeated = [] if found.right else [f"{found.repeated} steps repeated, {found.doubled} letters doubled"]
        return Part({**found.counts(), "seed": seed}, wrong=[*found.lost, *found.unclean, *repeated])
    return _rows(FAULTS[name](folder))


def _rows(rows: Sequence[Row], curve: list[Cells] | None = None) -> Part:
    tables = {"tried": [row.cells() for row in rows], **({"curve": curve} if curve else {})}
    return Part(tables=tables, wrong=[str(row) for row in rows if not row.right])
