"""The seed ERP as a file, for a workflow in this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from servers.common.erp import build


@pytest.fixture(scope="session")
def erp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of a read-only SQLite file."""
    return build(tmp_path_factory.mktemp("erp") / "erp.db")
