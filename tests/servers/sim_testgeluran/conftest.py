"""The seed ERP in SQLite and in a private MariaDB; every test runs on both."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from servers.common import erp
from servers.common.database import Database
from servers.sim_testgeluran.executor import Executor
from tests.mariadb import mariadb


@pytest.fixture(scope="package")
def sqlite_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite+aiosqlite:///{erp.build(tmp_path_factory.mktemp('erp') / 'erp.db')}"


@pytest.fixture(scope="package")
def mariadb_url() -> Iterator[str]:
    with mariadb() as server:
        asyncio.run(_load(server.url()))
        yield server.url("reader")


async def _load(url: str) -> None:
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await erp.load(connection)
    await engine.dispose()


@pytest.fixture(params=["sqlite", "mariadb"])
def url(request: pytest.FixtureRequest) -> str:
    chosen: str = request.getfixturevalue(f"{request.param}_url")
    return chosen


@pytest.fixture
def executor(url: str) -> Executor:
    return Executor(Database(url))
