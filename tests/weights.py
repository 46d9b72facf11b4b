"""The embedded model's weights for tests marked `model`, downloaded once into the user's cache.

A run that uses them also uses all the machine's cores, so a lock admits one run at a time, until its process ends.
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
    """The verified GGUF file of the default model. Import this fixture where it is used."""
    folder = WeightsFolder.from_environment()
    path = folder.pull(DEFAULT, lambda done, total: None, print)
    _alone(path.with_suffix(".tests"))
    return path


@cache
def _alone(path: Path) -> TextIO:
    """Wait for other test runs. Cached per process, because each module that imports the fixture has its own copy."""
    lock = path.open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock
