"""How the embedded model's threads wait for each other, as OpenMP itself tells it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

LOADS = "from bridges.llamacpp.engine import library; library()"


@pytest.mark.parametrize(("own", "policy"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "active"}, "ACTIVE")])
def test_threads_that_wait_leave_the_core_to_others_unless_the_office_says_otherwise(
    own: dict[str, str], policy: str
) -> None:
    environ = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    told = subprocess.run(
        [sys.executable, "-c", LOADS],
        env={**environ, **own, "OMP_DISPLAY_ENV": "true"},
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert f"OMP_WAIT_POLICY = '{policy}'" in told
