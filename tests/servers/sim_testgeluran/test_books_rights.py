"""`agentd books check` on a database in which the account may see nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from servers.common.database import ConfigurationError, Database
from servers.sim_testgeluran.check import check


async def test_a_database_without_a_visible_table_is_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "empty.db")) as made:
        made.execute("PRAGMA user_version = 1")
    books = tmp_path / "books.toml"
    with pytest.raises(ConfigurationError, match="no table"):
        await check(Database(f"sqlite+aiosqlite:///{tmp_path / 'empty.db'}"), {"BOOKS_FILE": str(books)})
    assert not books.exists()
