"""The embedded model's weights for tests marked `model`: pulled once into the user's cache when they are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridges.llamacpp.weights import DEFAULT, WeightsFolder


@pytest.fixture(scope="session")
def weights() -> Path:
    """The GGUF file of the default model, whole and checked. Import this fixture where it is used."""
    folder = WeightsFolder.from_environment()
    return folder.pull(DEFAULT, lambda done, total: None, print)
