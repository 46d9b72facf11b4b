"""`python -m lab.figures [NAME …]`: measure, store in docs/figures.json, fill the pages. Exit 1 when any failed.

A name is a section (`bench.rpc`, `drill.door`, `eval.books`) or a group (`bench`, `drill`, `soak`, `house`, `eval`).
Each result is stored at once, so a stopped run loses nothing. A section that can't run here (no database, no weights,
no data) keeps its last figures and is reported.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
import timeit
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from lab.figures import pages, record
from lab.figures.commits import exists, measured, stale, whole
from lab.figures.record import Found, Measurement
from lab.figures.sections import Section, chosen, measure, sections


def main() -> int:
    """Return 0 when everything could be measured and nothing was lost."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.figures",
        description="Measure, store the figures in docs/figures.json with their units, and fill the pages of docs/.",
        epilog=_listed(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; without a name all below")
    parser.add_argument("--show", action="store_true", help="print what is found, and write nothing")
    parser.add_argument(
        "--pages", action="store_true", help="measure nothing; fill the pages again, mark what is stale"
    )
    given = parser.parse_args()
    if given.pages:
        return _check()
    try:
        wanted = chosen(given.names)
    except KeyError as unknown:
        parser.error(f"there is no section {unknown}; there are: {', '.join(sections())}")
    failed = [each.name for each, run in measure(wanted) if not _kept(each, run, show=given.show)]
    if not given.show:
        pages.fill()
    if failed:
        print(f"not measured, or not as it should be: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _listed() -> str:
    """A line for each section: its name, the seconds that it last took, what it measures."""
    history, lines = record.read(), [f"{'NAME':24}{'last took':>9}  (–: never measured, or together with others)"]
    for each in sections().values():
        seconds = history[each.name][-1].took_s if each.name in history else 0.0
        took = f"{seconds:.0f} s" if seconds else "–"
        lines.append(f"{each.name:24}{took:>9}  {each.about.partition(chr(10))[0]}".rstrip())
    return "\n".join(lines)


def _kept(section: Section, run: Callable[[], Found], *, show: bool) -> bool:
    """Measure one section and store it. False when it failed or something was lost."""
    print(f"▸ {section.name}", file=sys.stderr, flush=True)
    at, load = datetime.now(UTC).isoformat(timespec="minutes"), round(os.getloadavg()[0], 1)
    (commit, changed), began = measured(), time.perf_counter()
    try:
        found = run()
    except (Exception, SystemExit) as error:  # such as a missing database or weights: report it and continue
        print(f"  {section.name} could not be measured: {type(error).__name__}: {error}", file=sys.stderr)
        return False
    for line in found.wrong:
        print(f"  wrong: {line}", file=sys.stderr)
    what = found.model_dump(exclude={"wrong"})
    took = round(time.perf_counter() - began, 1)
    made = Measurement(at=at, commit=commit, changed=changed, machine=machine(), load=load, took_s=took, **what)
    if show:
        print(made.model_dump_json(indent=1, exclude_defaults=True))
    elif made.figures or made.tables:
        history = record.read()
        history.setdefault(section.name, []).append(made)
        record.write(history)
    return not found.wrong


def _check() -> int:
    """Fill the pages and report stale sections; return 1 if a figure's commit is missing from the history."""
    for page in pages.fill():
        print(f"filled {page.relative_to(record.ROOT)}")
    known, lost = sections(), []
    for name, each in record.read().items():
        if name in known and stale(each[-1], known[name].paths):
            print(f"stale: {name}, measured at {each[-1].commit[:9]} on {each[-1].at[:10]}")
        lost += [f"{name}: {one.commit}" for one in each if whole() and not exists(one.commit)]
    for line in lost:
        print(f"no such commit: {line}")
    return 1 if lost else 0


def machine() -> str:
    """Processor, cores, memory, Python, and its current speed, which varies up to fourfold on the same machine."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    name = model or platform.machine()
    pace = min(timeit.repeat("for each in many: total += each", "total, many = 0, range(10**5)", number=1, repeat=5))
    size = f"{os.cpu_count()} cores, {memory:.0f} GB"
    return f"{name}, {size}, Python {platform.python_version()} at {pace * 1e4:.0f} ns an addition"


if __name__ == "__main__":
    sys.exit(main())
