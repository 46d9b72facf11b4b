"""Third-party databases as files for tests and the evaluation: parts of Chinook and Northwind (both MIT), sql-eval and
Spider's development set.

The last two are not kept here: `python -m lab.eval.books.sql_eval` and `.spider` fetch them.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sqlalchemy import MetaData, String, Text, create_engine, event, select

from lab.eval.clones import SOURCE

DATABASES = ("chinook", "northwind")
SAMPLE = "sample"
"""The shipped sample company, which strangers also ask about."""
SQL_EVAL = tuple(
    "academic advising atis broker car_dealership derm_treatment ewallet geography restaurants scholar yelp".split()
)
"""The databases of sql-eval."""
SPIDER = tuple(
    "battle_death car_1 concert_singer course_teach cre_Doc_Template_Mgt dog_kennels employee_hire_evaluation flight_2 "
    "museum_visit network_1 orchestra pets_1 poker_player real_estate_properties singer student_transcripts_tracking "
    "tvshow voter_1 world_1 wta_1".split()
)
"""The databases of Spider's development set."""


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


def folder_of(module: str) -> Path:
    """Where what lab.eval.books.MODULE fetches is kept: the environment's SQL_EVAL, SPIDER."""
    return Path(os.environ.get(module.upper(), f"var/{module}"))


def fetched_by_command(module: str, fetch: Callable[[Path, str], None], about: str) -> None:
    """Fetch what lab.eval.books.MODULE does, as its command line says; `about` is its docstring."""
    parser = argparse.ArgumentParser(prog=f"python -m lab.eval.books.{module}", description=about.splitlines()[0])
    where = f"where it is kept; {module.upper()} names it later"
    parser.add_argument("--data", type=Path, default=folder_of(module), help=where)
    parser.add_argument("--source", default=SOURCE, help="where repositories are: {owner}, {name}")
    given = parser.parse_args()
    fetch(given.data, given.source)


def text_of(name: str, kind: str) -> str:
    """The database's script (`kind` sql) or questions (toml). Raises FileNotFoundError that says how to fetch."""
    module = "sql_eval" if name in SQL_EVAL else "spider" if name in SPIDER else None
    folder = folder_of(module) if module else Path(__file__).parent
    file = folder / f"{name}.{kind}"
    if module and not file.exists():
        how = f"python -m lab.eval.books.{module} --data {folder}"
        where = f"run `{how}` first, or set {module.upper()} to the folder that has it"
        raise FileNotFoundError(f"{file}: not there; {where}")
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
