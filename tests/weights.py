"""The embedded model's weights for tests marked `model`: pulled once into the user's cache when they are not there.

Whoever has them has the machine's cores, so only one run of tests has them at a time.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridges.llamacpp.weights import DEFAULT, WeightsFolder


@pytest.fixture(scope="session")
def weights() -> Iterator[Path]:
    """The GGUF file of the default model, whole and checked. Import this fixture where it is used."""
    folder = WeightsFolder.from_environment()
    path = folder.pull(DEFAULT, lambda done, total: None, print)
    with path.with_suffix(".tests").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield path
