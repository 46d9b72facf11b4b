"""A database that is away, drops, freezes or has a wrong address."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from servers.common.database import ConfigurationError, Database, LostError, TimeLimitError, UnavailableError
from servers.common.database_address import given_url, sample_url
from tests.mariadb import PASSWORD, MariaDB
from tests.servers.mysql.test_database import ENDLESS, _running

# ── a database in trouble ────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_wrong_password_is_said_without_repeating_anything(maria: MariaDB) -> None:
    with pytest.raises(UnavailableError) as raised:
        await Database(maria.url("reader", password="falsch-0815")).fetch("SELECT 1")
    assert raised.value.reason == "access denied (wrong user or password)"
    for secret in ("falsch-0815", "reader", "127.0.0.1", str(maria.port)):
        assert secret not in str(raised.value)


async def test_a_refused_connection_is_named(unused_tcp_port: int) -> None:
    with pytest.raises(UnavailableError) as raised:
        await Database(f"mysql://reader:{PASSWORD}@127.0.0.1:{unused_tcp_port}/erp").fetch("SELECT 1")
    assert raised.value.reason == "Connection refused"
    assert PASSWORD not in str(raised.value)


async def test_an_unknown_database_and_a_missing_file_are_named(maria: MariaDB, tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="unknown database"):
        await Database(maria.url("root") + "_other").fetch("SELECT 1")
    with pytest.raises(UnavailableError, match="file can't be opened"):
        await Database(f"sqlite:///{tmp_path}/nothing.db").fetch("SELECT 1")
    with pytest.raises(UnavailableError, match="file can't be opened"):  # and it didn't come into being
        await Database(f"sqlite:///{tmp_path}/nothing.db").fetch("SELECT 1")


async def test_a_server_that_accepts_and_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("servers.common.database.CONNECT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        database = Database(f"mysql://reader:x@127.0.0.1:{silent.getsockname()[1]}/erp")
        with pytest.raises(UnavailableError, match="doesn't answer"):
            await database.fetch("SELECT 1")


async def test_a_connection_dropped_in_the_middle_is_told_apart_from_a_bad_statement(maria: MariaDB) -> None:
    database = Database(maria.url("reader"))
    task = asyncio.create_task(database.fetch(ENDLESS["mysql"]))
    await _running(maria, "seq_1_to_1000000000", 1)
    [(thread,)] = maria.execute(
        "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT COUNT(*) FROM seq%'"
    )
    maria.execute(f"KILL CONNECTION {thread}")
    with pytest.raises(LostError):
        await task
    assert (await database.fetch("SELECT 1")).rows == [(1,)]


async def test_a_frozen_server_costs_no_more_than_the_limits(maria: MariaDB, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("servers.common.database.KILL_SECONDS", 1)
    database = Database(maria.url("reader"))
    task = asyncio.create_task(database.fetch(ENDLESS["mysql"], timeout_seconds=3))
    await _running(maria, "seq_1_to_1000000000", 1)
    maria.freeze()
    try:
        async with asyncio.timeout(300):
            with pytest.raises(TimeLimitError):
                await task
            with pytest.raises(UnavailableError), monkeypatch.context() as soon:
                soon.setattr("servers.common.database.CONNECT_SECONDS", 0.5)
                await database.fetch("SELECT 1")
    finally:
        maria.thaw()
    assert (await database.fetch("SELECT 1")).rows == [(1,)]


# ── the address ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_address_comes_from_the_environment_then_a_credential_then_the_embedded_erp(tmp_path: Path) -> None:
    credential = tmp_path / "database_url"
    credential.write_text("mysql://a:b@h/d\n")
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path), "AGENTD_STATE": str(tmp_path / "state")}
    assert given_url({**environ, "DATABASE_URL": "sqlite:///x.db"}) == "sqlite:///x.db"
    assert given_url(environ) == "mysql://a:b@h/d"
    credential.unlink()
    assert given_url(environ) is None
    assert sample_url(environ) == f"sqlite+aiosqlite:///{tmp_path}/state/erp.db"
    assert (tmp_path / "state" / "erp.db").exists()


@pytest.mark.parametrize("url", ["mysql//:rahasia", "oracle://u:rahasia@h/d", "mysql://u:rahasia@h/", "x:y:rahasia"])
def test_a_bad_address_is_refused_without_being_repeated(url: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        Database(url)
    assert "rahasia" not in str(raised.value)
    assert "DATABASE_URL" in str(raised.value)
