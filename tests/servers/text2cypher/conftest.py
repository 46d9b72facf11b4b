"""One sealed engine over the shipped curriculum for all tests that only read it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import load_examples
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.folder import CURRICULUM


@pytest.fixture(scope="session")
def backend() -> Iterator[EmbeddedBackend]:
    engine = EmbeddedBackend(CURRICULUM)
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def bench(backend: EmbeddedBackend) -> Workbench:
    return Workbench(backend, load_examples())
