"""The embedded model's weights for tests marked `model`: pulled once into the user's cache when they are not there.

Whoever has them has the machine's cores, so only one run of tests has them at a time, until its process ends.
"""

from __future__ import annotations

import fcntl
from functools import cache
from pathlib import Path
from typing import TextIO

import pytest

from bridges.llamacpp.weights import DEFAULT, WeightsFolder


@pytest.fixture(scope="session")
def weights() -> Path:
    """The GGUF file of the default model, whole and checked. Import this fixture where it is used."""
    folder = WeightsFolder.from_environment()
    path = folder.pull(DEFAULT, lambda done, total: None, print)
    _alone(path.with_suffix(".tests"))
    return path


@cache
def _alone(path: Path) -> TextIO:
    """Wait for other runs of tests. Once a process: each module that imports the fixture has one of its own."""
    lock = path.open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock
