"""That the forks of `make quick` lose no test, no failure and no fixture."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forks import PART

CONFTEST = """
import pytest
from tests.forks import Forks

def pytest_configure(config):
    config.pluginmanager.register(Forks(2))

@pytest.fixture
def five():
    return 5
"""


def run(folder: Path, **files: str) -> tuple[int, str]:
    (folder / "conftest.py").write_text(CONFTEST)
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir", str(folder), str(folder)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_every_part_has_the_folders_fixtures_and_every_failure_is_shown(tmp_path: Path) -> None:
    good = {f"good{each:02}": "def test(five):\n    assert five == 5" for each in range(2 * PART)}
    code, said = run(
        tmp_path, **good, bad="def test(five):\n    assert five == 6", broken="import nothing_of_this_name"
    )
    assert code == pytest.ExitCode.TESTS_FAILED
    assert f"1 failed, {2 * PART} passed, 1 error" in said and "assert 5 == 6" in said


def test_a_fork_that_dies_fails_the_run(tmp_path: Path) -> None:
    code, said = run(tmp_path, dying="import os\n\ndef test():\n    os._exit(0)")
    assert code == pytest.ExitCode.INTERNAL_ERROR and "a fork of the tests ended before its tests" in said
