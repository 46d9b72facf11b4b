"""Which tests `make quick` leaves out. That those it runs start no process, each run of it checks itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import is_slow


class Program:
    def run(self) -> int:
        return subprocess.run([sys.executable, "-c", ""], check=True).returncode


@pytest.fixture
def started() -> Program:
    return Program()


def test_a_test_marked_slow_is_left_out(request: pytest.FixtureRequest) -> None:
    assert not is_slow(request.node)
    request.node.add_marker("slow")
    assert is_slow(request.node)


def test_a_test_is_left_out_whose_fixture_starts_a_process(request: pytest.FixtureRequest, started: Program) -> None:
    assert started.run() == 0 and is_slow(request.node)


@pytest.mark.parametrize("kind", ["mariadb", "none"])
def test_a_test_is_left_out_whose_parameter_asks_for_a_database(request: pytest.FixtureRequest, kind: str) -> None:
    assert is_slow(request.node) == (kind == "mariadb")
