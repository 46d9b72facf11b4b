"""The fault drill in small: kills at a random moment and at named points lose, repeat and double nothing."""

from __future__ import annotations

import random
from pathlib import Path

from drill.__main__ import Drill


def test_runs_survive_kills_at_any_point(tmp_path: Path) -> None:
    found = Drill(tmp_path, 12, random.Random(1)).run(1, ("reserved", "committed"))
    assert sorted(found.points) == ["committed", "reserved"]
    assert (found.lost, found.repeated, found.doubled) == ([], 0, 0)
    assert found.letters == 12
