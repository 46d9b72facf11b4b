"""Reads the database's tables by reflection, and finds the right names. Runs no query for data."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, Inspector, inspect, text
from sqlalchemy.engine.reflection import ObjectKind
from sqlalchemy.exc import OperationalError
from sqlalchemy.types import Date, DateTime, Integer, Numeric

from servers.common.database import Database
from servers.common.erp import sqlite_comments

DIALECTS = {"sqlite": "sqlite", "postgresql": "postgres"}
"""SQLAlchemy's names to ours. MariaDB is its own dialect there, but MySQL here, since planners use the same SQL."""


@dataclass(frozen=True)
class ColumnInfo:
    name: str
    type: str
    nullable: bool
    comment: str | None
    kind: str = ""
    """"date", "datetime", "number" or ""."""


@dataclass(frozen=True)
class ForeignKey:
    columns: tuple[str, ...]
    referred_table: str
    referred_columns: tuple[str, ...]


@dataclass(frozen=True)
class TableInfo:
    name: str
    comment: str | None
    columns: Mapping[str, ColumnInfo]
    primary_key: tuple[str, ...]
    foreign_keys: tuple[ForeignKey, ...]
    folded: Mapping[str, str] = field(default_factory=dict)
    """{lower-cased column name: its real name}."""


@dataclass(frozen=True)
class Catalogue:
    """All tables and views of one database, by name. `dialect` is "mysql", "postgres" or "sqlite"."""

    database: str
    dialect: str
    tables: Mapping[str, TableInfo]

    def table(self, name: str) -> TableInfo | None:
        """Return the table of this name, or the only one whose name differs just in case; otherwise None."""
        if name in self.tables:
            return self.tables[name]
        same = [table for key, table in self.tables.items() if key.lower() == name.lower()]
        return same[0] if len(same) == 1 else None

    def only(self, names: frozenset[str]) -> Catalogue:
        """Return the catalogue of these tables (lower-case), without foreign keys to others; all if empty."""
        if not names:
            return self
        kept = {name: table for name, table in self.tables.items() if name.lower() in names}
        tables = {
            name: replace(table, foreign_keys=tuple(key for key in table.foreign_keys if key.referred_table in kept))
            for name, table in kept.items()
        }
        return Catalogue(self.database, self.dialect, tables)

    def nearest_table(self, name: str) -> str | None:
        return nearest(name, self.tables)

    def tables_with(self, column: str) -> list[str]:
        return sorted(table.name for table in self.tables.values() if column.lower() in table.folded)


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the most similar of `names`, or None if none is similar."""
    folded = {each.lower(): each for each in names}
    close = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


async def catalogue_of(database: Database, *, timeout_seconds: float = 30.0) -> Catalogue:
    """Return the tables that may be queried. Raises DatabaseError."""
    found = await database.inspect(
        lambda connection: reflect(connection, database.schemas), timeout_seconds=timeout_seconds
    )
    return found.only(database.tables)


def reflect(connection: Connection, schemas: Sequence[str] = ()) -> Catalogue:
    """Read the catalogue. On SQLite, comments are the `--` notes in CREATE TABLE.

    With several schemas (PostgreSQL), a table hides those of the same name in later schemas, as in a query.
    """
    tables: dict[str, TableInfo] = {}
    for schema in schemas or (None,):
        tables = _tables(connection, schema) | tables
    name = connection.engine.url.database or ""
    return Catalogue(name, DIALECTS.get(connection.dialect.name, "mysql"), dict(sorted(tables.items())))


def _tables(connection: Connection, schema: str | None) -> dict[str, TableInfo]:
    inspector = inspect(connection)
    of: dict[str, Any] = {"schema": schema, "kind": ObjectKind.ANY}
    try:
        columns = inspector.get_multi_columns(**of)
    except OperationalError:  # MariaDB shows no table to an account that may read only some of its columns
        of["filter_names"] = [name for name in _names(inspector) if _may_be_shown(inspector, name)]
        columns = inspector.get_multi_columns(**of)
    keys = inspector.get_multi_pk_constraint(**of)
    foreign = inspector.get_multi_foreign_keys(**of)
    comments = _comments(connection, inspector, of)
    tables = {}
    parts = _partitions(connection, schema)
    for key, table_columns in sorted(columns.items(), key=lambda item: item[0][1]):
        name = key[1]
        if name in parts:
            continue
        comment, column_comments = comments.get(name, (None, {}))
        infos = {
            column["name"]: ColumnInfo(
                name=column["name"],
                type=str(column["type"]).split(" COLLATE")[0].split(" CHARACTER SET")[0],
                nullable=column["nullable"],
                comment=column.get("comment") or column_comments.get(column["name"]),
                kind=_kind(column["type"]),
            )
            for column in table_columns
        }
        tables[name] = TableInfo(
            name=name,
            comment=comment or None,
            columns=infos,
            primary_key=tuple(keys[key]["constrained_columns"]) if key in keys else (),
            foreign_keys=tuple(
                ForeignKey(tuple(each["constrained_columns"]), each["referred_table"], tuple(each["referred_columns"]))
                for each in sorted(foreign.get(key, []), key=lambda each: list(each["constrained_columns"]))
            ),
            folded={column.lower(): column for column in infos},
        )
    return tables


def _partitions(connection: Connection, schema: str | None) -> set[str]:
    """Return PostgreSQL's tables whose rows another table of the same schema has, too."""
    if connection.dialect.name != "postgresql":
        return set()
    query = (
        "SELECT c.relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid JOIN pg_class p ON p.oid = inhparent "
        "WHERE c.relnamespace = p.relnamespace "
        "AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = coalesce(:schema, current_schema()))"
    )
    return {str(row[0]) for row in connection.execute(text(query), {"schema": schema})}


def _names(inspector: Inspector) -> list[str]:
    return [*inspector.get_table_names(), *inspector.get_view_names()]


def _may_be_shown(inspector: Inspector, name: str) -> bool:
    try:
        inspector.get_columns(name)
    except OperationalError:
        return False
    return True


def _comments(
    connection: Connection, inspector: Inspector, of: Mapping[str, Any]
) -> dict[str, tuple[str | None, dict[str, str]]]:
    """Return each table's comment, and its columns' comments if reflection doesn't return them."""
    if connection.dialect.name != "sqlite":
        noted = inspector.get_multi_table_comment(**of)
        return {key[1]: (comment["text"], {}) for key, comment in noted.items()}
    rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL")
    return {name: sqlite_comments(sql) for name, sql in rows}


def _kind(kind: Any) -> str:
    for name, types in (("datetime", DateTime), ("date", Date), ("number", (Integer, Numeric))):
        if isinstance(kind, types):
            return name
    return ""
