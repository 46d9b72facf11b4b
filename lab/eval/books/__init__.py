"""Third-party databases as files for tests and the evaluation: parts of Chinook and Northwind (both MIT)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import MetaData, String, Text, create_engine, event, select

DATABASES = ("chinook", "northwind")
SAMPLE = "sample"
"""The shipped sample company, which strangers also ask about."""


def build(name: str, file: Path) -> Path:
    """Create the database `name` (one of DATABASES) as a new SQLite file."""
    with closing(sqlite3.connect(file)) as database:
        database.executescript(_script(name))
    return file


def load(name: str, url: str) -> None:
    """Load it into the empty PostgreSQL or MariaDB database at `url`, using a synchronous driver."""
    metadata = MetaData()
    event.listen(metadata, "column_reflect", _generic)
    target = create_engine(url)
    with create_engine("sqlite://").connect() as source, target.begin() as writing:
        filled = source.connection.driver_connection
        assert isinstance(filled, sqlite3.Connection)
        filled.executescript(_script(name))
        metadata.reflect(source)
        _portable(metadata)
        metadata.create_all(writing)
        for table in metadata.sorted_tables:
            writing.execute(table.insert(), [dict(row) for row in source.execute(select(table)).mappings()])
    target.dispose()


def _script(name: str) -> str:
    return Path(__file__).with_name(f"{name}.sql").read_text(encoding="utf-8")


def _portable(metadata: MetaData) -> None:
    for table in metadata.tables.values():
        keys = {*table.primary_key.columns, *(key.parent for key in table.foreign_keys)}
        for column in table.columns:
            column.autoincrement, column.server_default = False, None
            if column in keys and isinstance(column.type, Text):  # MariaDB needs a length for text in a key
                column.type = String(40)


def _generic(_: object, __: object, column: dict[str, object]) -> None:
    column["type"] = column["type"].as_generic()  # type: ignore[attr-defined]
