"""The seed ERP in SQLite and in a private MariaDB; every test runs on both."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers.common import erp
from servers.common.database import Database
from servers.sim_testgeluran.executor import Executor
from tests.mariadb import load_erp, mariadb


@pytest.fixture(scope="package")
def sqlite_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite+aiosqlite:///{erp.build(tmp_path_factory.mktemp('erp') / 'erp.db')}"


@pytest.fixture(scope="package")
def mariadb_url() -> Iterator[str]:
    with mariadb() as server:
        load_erp(server)
        yield server.url("reader")


@pytest.fixture(params=["sqlite", "mariadb"])
def url(request: pytest.FixtureRequest) -> str:
    chosen: str = request.getfixturevalue(f"{request.param}_url")
    return chosen


@pytest.fixture
def executor(url: str) -> Executor:
    return Executor(Database(url))
