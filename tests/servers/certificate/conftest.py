"""Fixtures for the letter tests: a frozen clock and a service with its own state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.certificate.issuing.issuing import LetterService
from tests.servers.certificate.letters import NOW, open_service


@pytest.fixture(autouse=True)
def frozen_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTD_CLOCK", NOW)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[LetterService]:
    service = open_service(tmp_path)
    yield service
    service.close()
