"""Third-party databases as files for tests and the evaluation: parts of Chinook and Northwind (both MIT), and sql-eval.

sql-eval is not kept here: `python -m lab.eval.books.sql_eval` fetches it.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import MetaData, String, Text, create_engine, event, select

DATABASES = ("chinook", "northwind")
SAMPLE = "sample"
"""The shipped sample company, which strangers also ask about."""
SQL_EVAL = tuple(
    "academic advising atis broker car_dealership derm_treatment ewallet geography restaurants scholar yelp".split()
)
"""The databases of sql-eval."""


def build(name: str, file: Path) -> Path:
    """Create the database `name` (one of DATABASES) as a new SQLite file."""
    with closing(sqlite3.connect(file)) as database:
        database.executescript(text_of(name, "sql"))
    return file


def load(name: str, url: str) -> None:
    """Load it into the empty PostgreSQL or MariaDB database at `url`, using a synchronous driver."""
    metadata = MetaData()
    event.listen(metadata, "column_reflect", _generic)
    target = create_engine(url)
    with create_engine("sqlite://").connect() as source, target.begin() as writing:
        filled = source.connection.driver_connection
        assert isinstance(filled, sqlite3.Connection)
        filled.executescript(text_of(name, "sql"))
        metadata.reflect(source)
        _portable(metadata)
        metadata.create_all(writing)
        for table in metadata.sorted_tables:
            writing.execute(table.insert(), [dict(row) for row in source.execute(select(table)).mappings()])
    target.dispose()


def sql_eval_folder() -> Path:
    """Where sql-eval is kept: the environment's SQL_EVAL."""
    return Path(os.environ.get("SQL_EVAL", "var/sql-eval"))


def text_of(name: str, kind: str) -> str:
    """The database's script (`kind` sql) or questions (toml). Raises FileNotFoundError that says how to fetch."""
    folder = sql_eval_folder() if name in SQL_EVAL else Path(__file__).parent
    file = folder / f"{name}.{kind}"
    if name in SQL_EVAL and not file.exists():
        how = f"python -m lab.eval.books.sql_eval --data {folder}"
        raise FileNotFoundError(f"{file}: not there; run `{how}` first, or set SQL_EVAL to the folder that has it")
    return file.read_text(encoding="utf-8")


def _portable(metadata: MetaData) -> None:
    for table in metadata.tables.values():
        keys = {*table.primary_key.columns, *(key.parent for key in table.foreign_keys)}
        for column in table.columns:
            column.autoincrement, column.server_default = False, None
            if column in keys and isinstance(column.type, Text):  # MariaDB needs a length for text in a key
                column.type = String(40)


def _generic(_: object, __: object, column: dict[str, object]) -> None:
    column["type"] = column["type"].as_generic()  # type: ignore[attr-defined]
