"""One read-only engine on the shipped curriculum, shared by all tests that only read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hardening.e5 import e5
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import load_examples
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.folder import CURRICULUM
from tests.servers.text2cypher.harbour import HARBOUR


@pytest.fixture(scope="session", autouse=True)
def embedded_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> None:
    """Compute the tests' embeddings once for all workers; they took a third of the tests' time."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "vectors"
    folder.mkdir(exist_ok=True)

    def kept(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @cache
        def vectors(texts: Any) -> Any:
            file = folder / sha256(repr((compute.__name__, texts)).encode()).hexdigest()
            if not file.exists():
                np.save(made := base / "vectors.npy", compute(texts))
                made.replace(file)
            return np.load(file)

        return lambda texts: vectors(texts if isinstance(texts, str) else tuple(texts))

    model = e5()
    model.query, model.passage = kept(model.query), kept(model.passage)


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
