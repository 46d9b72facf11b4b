"""`python -m lab.bench [NAME …]`: every bench, one after the other, into docs/benchmarks.json and a table for people.

Each module `bench.NAME` has `run()`, which answers its figures; names end in what they are measured in. Figures of
benches that were not asked for are kept from the last time. A bench that can't run here is named, not left out.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import platform
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab import bench

DOCS = Path(__file__).parents[2] / "docs"
RESULTS, TABLE = DOCS / "benchmarks.json", DOCS / "benchmarks.md"

ABOUT = """\
# Benchmarks

Written by `make bench` (`python -m lab.bench`); the same as JSON in [benchmarks.json](benchmarks.json). A figure's name
ends in what it is measured in; a ratio compares two things measured in turns in one run. `load` is the machine's load
average before the bench began: where it exceeds the cores, times on the clock say more of the neighbours than of
agentd, and CPU times are up to twice what they are on a quiet machine; ratios suffer least."""


def main() -> int:
    """0 when all could run, 1 when one could not."""
    benches = dict(_benches())
    parser = argparse.ArgumentParser(prog="python -m lab.bench", description="Measure, and write docs/benchmarks.md.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these of: {', '.join(benches)}")
    parser.add_argument("--page", action="store_true", help="measure nothing; only write the page again")
    given = parser.parse_args()
    wanted = [] if given.page else given.names or list(benches)
    if unknown := [name for name in wanted if name not in benches]:
        parser.error(f"there is no bench {', '.join(unknown)}; there are: {', '.join(benches)}")
    results: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    failed = False
    for name in wanted:
        results[name] = measured = _measured(name)
        failed |= "error" in measured
    RESULTS.write_text(json.dumps(dict(sorted(results.items())), indent=1, ensure_ascii=False) + "\n")
    TABLE.write_text(table(results, {name: told for name, (told, _) in benches.items()}))
    print(TABLE)
    return 1 if failed else 0


def _benches() -> Iterator[tuple[str, tuple[str, Callable[[], Any]]]]:
    """(name, (what it measures, its `run`)) of every module here that has one."""
    for found in pkgutil.iter_modules(bench.__path__):
        if found.name.startswith("_"):
            continue
        module = importlib.import_module(f"lab.bench.{found.name}")
        if hasattr(module, "run"):
            yield found.name, ((module.__doc__ or "").strip(), module.run)


def _measured(name: str) -> dict[str, Any]:
    """One bench's figures with when, how long and how busy the machine was."""
    print(f"bench {name} …", file=sys.stderr, flush=True)
    load, began = os.getloadavg()[0], time.perf_counter()
    at = datetime.now(UTC).isoformat(timespec="minutes")
    about = {"at": at, "load_before": round(load, 1), "machine": machine()}
    try:
        figures = importlib.import_module(f"lab.bench.{name}").run()
    except (Exception, SystemExit) as error:  # a missing database or weights: say so and go on
        print(f"bench {name}: {error}", file=sys.stderr)
        return {**about, "error": f"{type(error).__name__}: {error}".splitlines()[0]}
    return {**about, "took_s": round(time.perf_counter() - began, 1), "figures": figures}


def machine() -> str:
    """Processor, cores, memory, Python."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    name = model or platform.machine()
    return f"{name}, {os.cpu_count()} cores, {memory:.0f} GB, Python {platform.python_version()}"


def table(results: dict[str, Any], told: dict[str, str]) -> str:
    """The page docs/benchmarks.md."""
    lines = [ABOUT]
    for name, result in sorted(results.items()):
        lines += ["", f"## {name}", "", told.get(name, "")]
        lines += ["", f"{result['at']}, {result['machine']}, load {result['load_before']}.", ""]
        if "error" in result:
            lines.append(f"Could not be run there: {result['error']}")
        else:
            lines += _tables(name, result["figures"])
    return "\n".join(lines) + "\n"


def _tables(name: str, figures: dict[str, Any]) -> list[str]:
    """Rows that a bench compares stand in a table of their own, before its single figures and pictures."""
    lines: list[str] = []
    for rows in (value for value in figures.values() if isinstance(value, list)):
        lines += ["| " + " | ".join(rows[0]) + " |", "|---" * len(rows[0]) + "|"]
        lines += ["| " + " | ".join(map(str, row.values())) + " |" for row in rows] + [""]
    if picture := figures.get("picture"):
        lines += [f"![{name}]({picture})", ""]
    single = {key: value for key, value in figures.items() if not isinstance(value, list) and key != "picture"}
    if single:
        lines += ["| figure | value |", "|---|---|"]
        lines += [f"| {key} | {value} |" for key, value in sorted(_flat(single).items())]
    return lines


def _flat(figures: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in figures.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat


if __name__ == "__main__":
    sys.exit(main())
