"""One sealed engine over the shipped curriculum for all tests that only read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import load_examples
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.folder import CURRICULUM
from tests.servers.text2cypher.harbour import HARBOUR


@pytest.fixture(scope="session")
def backend() -> Iterator[EmbeddedBackend]:
    engine = EmbeddedBackend(CURRICULUM)
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def bench(backend: EmbeddedBackend) -> Workbench:
    return Workbench(backend, load_examples())


@pytest.fixture(scope="session")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    folder: Path = tmp_path_factory.mktemp("harbour")
    for name, text in HARBOUR.items():
        (folder / name).write_text(text, encoding="utf-8")
    engine = EmbeddedBackend(folder)
    yield Workbench(engine, [], folder)
    engine.close()
