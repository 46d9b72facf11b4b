"""What can be measured, by name (`bench.rpc`, `drill.kills`, `eval.books`), and the code that each section measures.

The measuring code is imported when it runs, so that filling a page needs no daemon.
"""

from __future__ import annotations

import ast
import pkgutil
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from lab import bench
from lab.figures.evaluations import EVALUATIONS
from lab.figures.record import Figure, Found

DRILLS = ("kills", "stops", "nodes", "clocks", "hostile", "mcp", "providers", "clock")
"""The parts that lab/drill/parts.py defines."""
EVERYTHING = ("agentd", "bridges", "clients", "hardening", "servers")
MEASURES = {
    "agents": ("agentd/agent", "agentd/runs", "bridges/mcp"),
    "analytics": ("agentd/apps/analytics", "servers/mysql", "servers/graphiti", "servers/sim_testgeluran"),
    "chats": ("agentd/apps/channels", "bridges/channels"),
    "cypher": ("servers/text2cypher",),
    "first_token": ("bridges/llamacpp",),
    "graph_size": ("servers/text2cypher",),
    "grounding": ("agentd/apps/letters",),
    "growth": ("agentd/agent", "agentd/runs", "bridges/mcp", "servers/mysql"),
    "letters": ("servers/certificate",),
    "mcp_calls": ("bridges/mcp", "servers/time"),
    "new_server": ("agentd/cli", "agentd/apps/setup", "bridges/mcp"),
    "page": ("agentd/web", "agentd/http", "agentd/agent"),
    "plans": ("servers/sim_testgeluran",),
    "residents": ("agentd/apps/residents", "servers/residents"),
    "rpc": ("agentd/rpc", "agentd/http"),
    "sql": ("servers/mysql",),
    "steps": ("agentd/agent", "agentd/runs", "bridges/mcp"),
    "streams": ("agentd/http", "agentd/runs"),
    "start": ("agentd", "bridges/mcp"),
    "two_nodes": ("agentd/runs",),
    "turns": ("agentd/agent", "agentd/apps/letters", "bridges/llamacpp"),
}
"""The code that a bench measures; EVERYTHING for a bench without an entry."""
COUNTS = ("ROUNDS", "CALLS", "CROWD", "ASKED", "QUESTIONS_ASKED", "PIECES", "EVENTS", "ROWS", "BATCH", "ABREAST")
"""Constants of a bench that say how many rounds or items its figures come from."""


@dataclass(frozen=True)
class Section:
    """One thing to measure. `tuning`: its failures were inspected. `about`: the description on its page."""

    name: str
    paths: tuple[str, ...]
    run: Callable[[], Found]
    about: str = ""
    tuning: bool = False

    @property
    def group(self) -> str:
        """The group: `bench`, `drill`, `soak`, `house` or `eval`."""
        return self.name.partition(".")[0]


def sections() -> dict[str, Section]:
    return {each.name: each for each in (*_benches(), *_drills(), *_others(), *_evaluations())}


def chosen(names: Sequence[str]) -> list[Section]:
    """The sections with these names or groups; all if `names` is empty. Raises KeyError for an unknown name."""
    known = sections()
    for name in names:
        if not any(name in (each.name, each.group) for each in known.values()):
            raise KeyError(name)
    return [each for each in known.values() if not names or {each.name, each.group} & {*names}]


def measure(wanted: Sequence[Section]) -> Iterator[tuple[Section, Callable[[], Found]]]:
    """Yield each section with a function that measures it. The first drill part runs all parts at once."""
    drilled = cache(partial(_drill, tuple(_part(each) for each in wanted if each.group == "drill")))
    for each in wanted:
        yield each, partial(_of_drill, drilled, _part(each)) if each.group == "drill" else each.run


def _part(section: Section) -> str:
    return section.name.partition(".")[2]


def _benches() -> Iterator[Section]:
    for found in pkgutil.iter_modules(bench.__path__):
        if not found.name.startswith("_") and not found.ispkg:
            text = (Path(bench.__path__[0]) / f"{found.name}.py").read_text(encoding="utf-8")
            paths = MEASURES.get(found.name, EVERYTHING)
            about = ast.get_docstring(ast.parse(text)) or ""
            yield Section(f"bench.{found.name}", paths, partial(_apart, found.name), about)


def _apart(name: str) -> Found:
    """Run in a separate process, so that what a bench loads or limits (such as a heap limit) affects no other."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as child:
        return child.submit(_of_bench, name).result()


def _of_bench(name: str) -> Found:
    module = import_module(f"lab.bench.{name}")
    constants = {each: getattr(module, each, None) for each in COUNTS}
    many = {each.lower(): value for each, value in constants.items() if isinstance(value, int)}
    return Found.of(module.run(), many=many)


def _drills() -> Iterator[Section]:
    for name in DRILLS:
        drilled = partial(_drill, (name,))
        yield Section(f"drill.{name}", EVERYTHING, partial(_of_drill, drilled, name))


def _drill(names: Sequence[str]) -> Mapping[str, Any]:
    """{part: its result}."""
    with tempfile.TemporaryDirectory(prefix="agentd-drill-") as folder:
        return dict(import_module("lab.drill.parts").drill(Path(folder), names, seed=random.randrange(10_000)))


def _of_drill(drilled: Callable[[], Mapping[str, Any]], name: str) -> Found:
    part = drilled()[name]
    figures = {counted: Figure(value=value) for counted, value in part.counts.items()}
    return Found(figures=figures, tables=part.tables, wrong=part.wrong)


def _others() -> Iterator[Section]:
    yield Section("soak.office", EVERYTHING, lambda: import_module("lab.drill.soak").run())
    yield Section("house.code", (*EVERYTHING, "lab"), lambda: import_module("lab.figures.house").run())


def _evaluations() -> Iterator[Section]:
    for each in EVALUATIONS:
        yield Section(f"eval.{each.name}", each.paths, each.run, tuning=each.tuning)
