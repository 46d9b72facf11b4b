"""A soak tells what has grown."""

from __future__ import annotations

from dataclasses import replace

from lab.drill import soak

HELD = soak.Sample(memory_mb=200, below_mb=900, descriptors=60, threads=20, processes=17, disk_mb=5)


def test_what_has_grown_between_the_second_and_the_last_quarter_is_said() -> None:
    assert not any(row["grew"] for row in soak.held([HELD] * 61))
    grown = soak.held([replace(HELD, descriptors=60 + second) for second in range(61)])
    assert [row for row in grown if row["grew"]] == [
        {"held": "file descriptors", "2nd quarter": 82.0, "last quarter": 113.0, "most": 120, "grew": True}
    ]
