"""The benches: each says what it measures, who takes part, and how growth is drawn."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lab import bench, peers_python
from lab.bench import agents, growth, rpc
from lab.figures.sections import MEASURES, sections


def test_every_bench_says_what_it_measures_and_can_be_run() -> None:
    modules = {path.stem for path in Path(bench.__file__).parent.glob("[a-z]*.py")}
    benches = {name.partition(".")[2]: each for name, each in sections().items() if each.group == "bench"}
    assert set(benches) == modules
    assert all(each.about for each in benches.values())
    assert all(callable(import_module(f"lab.bench.{name}").run) for name in benches)
    assert MEASURES.keys() <= modules


def test_every_program_that_agentd_is_measured_beside_takes_part() -> None:
    programs = {path.stem for path in peers_python.PROGRAMS.glob("[ar]*_*.py")}
    takes_part = {*rpc.PEERS.values(), *(program for program, _ in agents.CONTESTANTS.values())}
    assert takes_part - programs == {agents.AGENTD}
    assert programs - takes_part == set()
    for package in agents.PACKAGES:
        assert peers_python.version(package)


@pytest.mark.slow  # a machine that never drew lists its fonts first, with a process
def test_growth_is_drawn_with_a_panel_and_told_with_a_row_for_each_curve() -> None:
    points = [
        {"of": curve, "size": size, "what": "turn, ms", "costs": 1.5}
        for curve, sizes in growth.SIZES.items()
        for size in sizes
    ]
    drawing = growth.drawn(points)
    ElementTree.fromstring(drawing)
    assert all(f">{curve}</text>" in drawing for curve in growth.SIZES)
    assert drawing == growth.drawn(points), "the same figures make another file"
    assert growth.by_curve(points[:2]) == [
        {
            "of": "sessions",
            "what": "turn, ms",
            "at each size": f"{points[0]['size']:,}: 1.5; {points[1]['size']:,}: 1.5",
        }
    ]


def test_the_daemon_that_is_measured_beside_other_stacks_can_be_composed() -> None:
    assert {route.resource.canonical for route in rpc._agentd().router.routes() if route.resource} >= {
        "/rpc",
        "/healthz",
    }
