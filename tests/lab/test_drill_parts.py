"""The parts of the drill: each has a section of the figures, they run together, and one that breaks ends no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lab.drill import parts
from lab.drill.beside import Held
from lab.figures import sections
from lab.figures.record import Figure

pytestmark = pytest.mark.slow  # what the parts import takes seconds


def test_every_part_of_the_drill_has_a_section() -> None:
    assert sections.DRILLS == parts.EVERY


def test_the_parts_of_a_drill_are_run_together_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def drill(folder: Path, names: tuple[str, ...], seed: int) -> dict[str, parts.Part]:
        asked.append(names)
        return {name: parts.Part(counts={"runs lost": 0}, wrong=["a run"] * (name == "kills")) for name in names}

    monkeypatch.setattr(parts, "drill", drill)
    found = {each.name: run() for each, run in sections.measure(sections.chosen(["drill.kills", "drill.mcp"]))}
    assert asked == [("kills", "mcp")]
    assert found["drill.kills"].figures == {"runs lost": Figure(value=0)}
    assert (found["drill.kills"].wrong, found["drill.mcp"].wrong) == (["a run"], [])


def test_a_part_that_breaks_leaves_the_others_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(folder: Path) -> list[parts.Row]:
        raise OSError("no such program")

    row = parts.Row("a fault", "busy", 1, 0, before := Held(3, 30, 7), replace(before, rows=8))
    monkeypatch.setitem(parts.FAULTS, "mcp", broken)
    monkeypatch.setitem(parts.FAULTS, "disk", lambda folder: [row])
    found = parts.drill(tmp_path, ["mcp", "disk"], seed=1)
    assert found["mcp"].wrong == ["mcp could not be run: OSError: no such program"]
    assert found["disk"] == parts.Part(tables={"tried": [row.cells()]})
