"""Fixtures for the letter tests: a frozen clock and a service with its own state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.certificate.issuing.issuing import LetterService
from tests.servers.certificate.letters import NOW, OPENED, open_service


@pytest.fixture(autouse=True)
def frozen_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTD_CLOCK", NOW)


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Release the registers that a test opened."""
    before = len(OPENED)
    yield
    while len(OPENED) > before:
        OPENED.pop().ledger.close()


@pytest.fixture
def service(tmp_path: Path) -> LetterService:
    return open_service(tmp_path)
