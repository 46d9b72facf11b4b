"""What `make check` refuses besides what linters do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lab.figures.record import ROOT
from lab.tools.gates import lost_imports, too_long


def test_a_file_of_more_lines_than_allowed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text("\n" * 301)
    (tmp_path / "short.py").write_text("\n" * 300)
    assert len(list(too_long([tmp_path / "long.py", tmp_path / "short.py"], {}))) == 1


def test_a_name_that_a_test_imports_and_that_is_gone_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lab" / "below").mkdir(parents=True)
    (tmp_path / "lab" / "one.py").write_text("import json as read\nA = 1\ndef b(): ...\n")
    test = Path("tests") / "test_one.py"
    test.parent.mkdir()
    test.write_text("from lab import below, one\nfrom lab.one import A, b, read, c\nfrom os import gone\n")
    assert list(lost_imports([test])) == ["tests/test_one.py:2: lab.one has no c"]


def test_nothing_tracked_is_large_but_locks_and_fonts() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split("\n")
    files = [ROOT / name for name in listed if name and not name.endswith((".lock", ".ttf", ".woff2", ".png"))]
    assert [str(path) for path in files if path.exists() and path.stat().st_size > 300_000] == []
