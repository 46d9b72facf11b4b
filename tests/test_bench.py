"""The benches as one command: each has a page's worth to say, and the page is made from what was measured."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from lab import bench
from lab.bench import _peers, agents, growth, rpc
from lab.bench.__main__ import _benches, table


def test_every_bench_says_what_it_measures_and_can_be_run() -> None:
    benches = dict(_benches())
    modules = {path.stem for path in Path(bench.__file__).parent.glob("[a-z]*.py")}
    assert set(benches) == modules
    assert all(told and callable(run) for told, run in benches.values())


def test_the_page_holds_what_was_measured_and_what_could_not_be() -> None:
    about = {"at": "2026-01-05T02:00+00:00", "machine": "a machine", "load_before": 0.5}
    page = table(
        {"one": {**about, "figures": {"a_ms": 1.5, "b": {"c": 2}}}, "two": {**about, "error": "no database"}},
        {"one": "What one measures."},
    )
    assert "| a_ms | 1.5 |\n| b.c | 2 |" in page
    assert "What one measures." in page
    assert "Could not be run there: no database" in page


def test_what_is_compared_stands_in_a_table_of_its_own_with_the_picture_after_it() -> None:
    about = {"at": "2026-01-05T02:00+00:00", "machine": "a machine", "load_before": 0.5}
    rows = [{"stack": "agentd", "cpu_us": 90}, {"stack": "another", "cpu_us": 120}]
    page = table({"one": {**about, "figures": {"stacks": rows, "picture": "growth.svg", "b_ms": 2}}}, {"one": "Told."})
    assert "| stack | cpu_us |\n|---|---|\n| agentd | 90 |\n| another | 120 |" in page
    assert "![one](growth.svg)" in page
    assert "| b_ms | 2 |" in page


def test_every_program_that_agentd_is_measured_beside_takes_part() -> None:
    programs = {path.stem for path in _peers.PROGRAMS.glob("[ar]*_*.py")}
    takes_part = {*rpc.PEERS.values(), *(program for program, _ in agents.CONTESTANTS.values())}
    assert takes_part - programs == {agents.AGENTD}
    assert programs - takes_part == set()
    for package in agents.PACKAGES:
        assert _peers.version(package)


def test_growth_is_drawn_with_a_panel_and_a_line_for_each_figure() -> None:
    rows = [
        {"of": curve, "size": size, "what": "turn, ms", "costs": 1.5}
        for curve, sizes in growth.SIZES.items()
        for size in sizes
    ]
    drawing = growth.drawn(rows)
    ElementTree.fromstring(drawing)
    assert all(f">{curve}</text>" in drawing for curve in growth.SIZES)
    assert drawing == growth.drawn(rows), "the same figures make another file"
