"""The benches as one command: each has a page's worth to say, and the page is made from what was measured."""

from __future__ import annotations

from pathlib import Path

import bench
from bench.__main__ import _benches, table


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
