"""The drill in small: kills at a random moment and at named points lose, repeat and double nothing; a fault's row."""

from __future__ import annotations

import random
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from lab.drill.beside import SLACK, Held, Row
from lab.drill.clock_leaps import clock_leaps
from lab.drill.hostile import CURVE, curve
from lab.drill.kills import CONFIG, Drill


@pytest.mark.cold  # the starts are killed too
def test_runs_survive_kills_at_any_point(tmp_path: Path) -> None:
    found = Drill(tmp_path, 12, random.Random(1)).run(1, ("reserved", "committed"))
    assert sorted(found.points) == ["committed", "reserved"]
    assert (found.lost, found.repeated, found.doubled) == ([], 0, 0)
    assert found.letters == 12


def test_runs_survive_ordinary_stops_and_none_is_parked_for_them(tmp_path: Path) -> None:
    config = CONFIG.replace("max_recoveries = 1000000", "max_recoveries = 1")
    found = Drill(tmp_path, 6, random.Random(1), signal.SIGTERM, config).run(3, ())
    assert (found.lost, found.repeated, found.doubled, found.unclean) == ([], 0, 0, [])
    assert (found.letters, len(found.stops)) == (6, 3)


def test_a_run_goes_on_when_the_clock_leaps_between_two_lives(tmp_path: Path) -> None:
    """Issue 9's drills: clock jumps."""
    rows = clock_leaps(tmp_path / "clock")
    assert [row.right for row in rows] == [True, True], rows


QUIET = Row("a fault", "busy", 2, 0, Held(3, 30, 7), Held(3, 30 + SLACK, 9))


@pytest.mark.parametrize(
    "wrong",
    [
        {"lost": 1},
        {"after": Held(4, 30, 9)},
        {"after": Held(3, 31 + SLACK, 9)},
        {"after": Held(3, 30, 8)},
        {"after": Held(3, 30, 10)},
    ],
    ids=["a run lost", "a process left over", "a file left open", "a run without its row", "a row too many"],
)
def test_a_row_is_right_only_when_nothing_was_lost_and_nothing_is_left_over(wrong: dict[str, object]) -> None:
    assert QUIET.right
    assert not replace(QUIET, **wrong).right  # type: ignore[arg-type]
    assert list(QUIET.cells().values())[:4] == ["a fault", "busy", "0 of 2", "3 → 3"]


def test_the_growth_of_a_checks_cost_is_a_table_of_families_and_lengths() -> None:
    rows = curve((100, 1_000))
    assert len(rows) == len(CURVE)
    for row in rows:
        assert list(row) == ["text", "100", "1,000"]
        assert all(float(str(cell)) >= 0 for name, cell in row.items() if name != "text")
