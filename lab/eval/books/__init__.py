"""Databases made by other hands, as files: parts of Chinook and Northwind (both MIT), for tests and the evaluation."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

DATABASES = ("chinook", "northwind")


def build(name: str, file: Path) -> Path:
    """The database `name` of DATABASES as a new SQLite file."""
    with closing(sqlite3.connect(file)) as database:
        database.executescript(Path(__file__).with_name(f"{name}.sql").read_text(encoding="utf-8"))
    return file
