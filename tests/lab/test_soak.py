"""What a soak has written so far is a table, also when it was killed while it wrote."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

from lab.drill import soak

HELD = soak.Sample(memory_mb=200, below_mb=900, descriptors=60, threads=20, processes=17, disk_mb=5)


def line(second: int, held: soak.Sample, failed: dict[str, int]) -> str:
    return json.dumps(
        {"seconds": 2.0 * second, "load": 1.5, "held": asdict(held), "done": {"call_a_tool": second}, "failed": failed}
    )


def test_a_soak_that_was_killed_leaves_its_table(tmp_path: Path) -> None:
    samples = tmp_path / "samples.jsonl"
    lines = [line(second, HELD, {}) for second in range(61)]
    samples.write_text("\n".join([*lines, line(61, HELD, {})[:-20]]))
    found = soak.of_samples(samples)
    assert found.wrong == []
    assert {name: found.figures[name].value for name in ("minutes", "load_median", "times: call a tool", "failed")} == {
        "minutes": 2.0,
        "load_median": 1.5,
        "times: call a tool": 60,
        "failed": 0,
    }
    assert {row["held"] for row in found.tables["held"]} == {name for name, _ in soak.ALLOWED.values()}


def test_what_grew_and_what_failed_is_wrong(tmp_path: Path) -> None:
    samples = tmp_path / "samples.jsonl"
    lines = [line(second, replace(HELD, descriptors=60 + second), {"talk: busy": second // 30}) for second in range(61)]
    samples.write_text("\n".join(lines))
    assert soak.of_samples(samples).wrong == ["file descriptors: 82, then 113", "talk: busy: 2 times"]
