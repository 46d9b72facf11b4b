"""Reads the database's tables by reflection, and finds the right names. Runs no query for data."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from sqlalchemy import Connection, Inspector, inspect, text
from sqlalchemy.engine.reflection import ObjectKind
from sqlalchemy.exc import OperationalError, UnreflectableTableError
from sqlalchemy.types import Date, DateTime, Integer, Numeric

from servers.common.database import Database
from servers.common.erp import sqlite_comments

T = TypeVar("T")
DIALECTS = {"sqlite": "sqlite", "postgresql": "postgres"}
"""SQLAlchemy's names to ours. MariaDB is its own dialect there, but MySQL here, since planners use the same SQL."""
UNDECLARED = frozenset({"kind", "sample_values", "holds", "date", "profiled"})
"""What a database doesn't declare, but a glossary or we."""


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    nullable: bool = True
    comment: str | None = None
    primary_key: bool = False
    kind: str | None = None
    """Its kind in the office's glossary, such as `temporal`."""
    sample_values: tuple[str, ...] = ()
    """Its values in the glossary, if there are only a few."""
    holds: str = field(default="", compare=False, repr=False)
    """"date", "datetime", "number" or "", by its type."""


@dataclass(frozen=True)
class ForeignKey:
    columns: tuple[str, ...]
    referred_table: str
    referred_columns: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table or view."""

    name: str
    columns: tuple[Column, ...]
    comment: str | None = None
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    date: str | None = None
    """The column in the office's glossary whose date counts if a question doesn't say which."""

    def column(self, name: str) -> Column | None:
        """Return the column of this name, or else one whose name differs just in case."""
        return named(name, self._by_name)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    @cached_property
    def joining(self) -> frozenset[str]:
        """The columns that refer to other tables."""
        return frozenset(column for key in self.foreign_keys for column in key.columns)


@dataclass(frozen=True)
class Catalogue:
    """All tables and views of one database, by name. `dialect` is "mysql", "postgres" or "sqlite"."""

    tables: tuple[Table, ...]
    database: str = ""
    dialect: str = ""
    profiled: bool = False
    """True for an office's own database with its glossary."""

    @cached_property
    def by_name(self) -> dict[str, Table]:
        return {table.name: table for table in self.tables}

    @cached_property
    def things(self) -> frozenset[str]:
        """The tables' names in lower case, also in the singular, and their first letters."""
        names = {table.name.lower() for table in self.tables}
        return frozenset(each for name in names for each in (name, name.removesuffix("s"), name[:1]))

    @cached_property
    def digest(self) -> str:
        """A text that changes whenever the tables do."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def document(self) -> dict[str, Any]:
        """`{"database", "dialect", "tables": [{"name", "comment", "columns", "primary_key", "foreign_keys"}]}`: for
        programs that plan queries without the database."""
        made: dict[str, Any] = asdict(self, dict_factory=lambda each: {k: v for k, v in each if k not in UNDECLARED})
        return made

    def table(self, name: str) -> Table | None:
        """Return the table of this name, or the only one whose name differs just in case; otherwise None."""
        same = [table for table in self.tables if table.name.lower() == name.lower()]
        return self.by_name.get(name) or (same[0] if len(same) == 1 else None)

    def only(self, names: frozenset[str]) -> Catalogue:
        """Return the catalogue of these tables (lower-case), without foreign keys to others; all if empty."""
        kept = [table for table in self.tables if table.name.lower() in names]
        known = {table.name for table in kept}
        tables = tuple(
            replace(table, foreign_keys=tuple(key for key in table.foreign_keys if key.referred_table in known))
            for table in kept
        )
        return replace(self, tables=tables) if names else self

    def nearest_table(self, name: str) -> str | None:
        return nearest(name, self.by_name)

    def tables_with(self, column: str) -> list[str]:
        return sorted(table.name for table in self.tables if table.column(column))


def named(name: str, among: Mapping[str, T]) -> T | None:
    """Return what has this name, or else one whose name differs just in case."""
    same = (each for other, each in among.items() if other.casefold() == name.casefold())
    return among[name] if name in among else next(same, None)


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
    tables: dict[str, Table] = {}
    for schema in schemas or (None,):
        tables = {each.name: each for each in _reflected(connection, schema)} | tables
    name = (connection.engine.url.database or "").rpartition("/")[2].removesuffix(".db")
    dialect = DIALECTS.get(connection.dialect.name, "mysql")
    return Catalogue(tuple(table for _, table in sorted(tables.items())), name, dialect)


def _reflected(connection: Connection, schema: str | None) -> Iterator[Table]:
    """The tables and views of one schema, None for the default one, with what the account may read of them."""
    inspector = inspect(connection)
    of: dict[str, Any] = {"schema": schema, "kind": ObjectKind.ANY}
    try:
        columns = inspector.get_multi_columns(**of)
    except OperationalError:  # MariaDB shows the definition of no view, and of no table with rights on columns alone
        names = (*inspector.get_table_names(), *inspector.get_view_names())
        of["filter_names"] = [name for name in names if _may_be_shown(inspector, name)]
        columns = inspector.get_multi_columns(**of)
        yield from _granted(connection, of["filter_names"])
    keys = inspector.get_multi_pk_constraint(**of)
    foreign = inspector.get_multi_foreign_keys(**of)
    comments = _comments(connection, inspector, of)
    hidden = _hidden(connection, schema)
    for key, table_columns in columns.items():
        name = key[1]
        if (name, None) in hidden:
            continue
        comment, column_comments = comments.get(name, (None, {}))
        primary_key = tuple(keys[key]["constrained_columns"]) if key in keys else ()
        shown = [column for column in table_columns if (name, column["name"]) not in hidden]
        ties = sorted(foreign.get(key, []), key=lambda each: list(each["constrained_columns"]))
        yield Table(
            name=name,
            comment=comment or None,
            columns=tuple(_column(column, column_comments, primary_key) for column in shown),
            primary_key=primary_key,
            foreign_keys=tuple(
                ForeignKey(tuple(each["constrained_columns"]), each["referred_table"], tuple(each["referred_columns"]))
                for each in ties
            ),
        )


def _column(found: Mapping[str, Any], comments: Mapping[str, str], primary_key: Sequence[str]) -> Column:
    """A column as SQLAlchemy reflects it."""
    name, kind = found["name"], getattr(found["type"], "data_type", found["type"])  # of a domain: what it is made of
    return Column(
        name=name,
        type=str(kind).split(" COLLATE")[0].split(" CHARACTER SET")[0],
        nullable=found["nullable"],
        comment=found.get("comment") or comments.get(name),
        primary_key=name in primary_key,
        holds=_holds(type(kind)),
    )


HIDDEN = """
WITH here AS (SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
WHERE nspname = coalesce(:schema, current_schema()))
SELECT c.relname, NULL FROM pg_inherits JOIN here c ON c.oid = inhrelid JOIN here p ON p.oid = inhparent
UNION ALL SELECT relname, attname FROM here JOIN pg_attribute ON attrelid = here.oid
WHERE attnum > 0 AND relkind IN ('r', 'v', 'm', 'p', 'f') AND NOT has_column_privilege(here.oid, attnum, 'SELECT')
AND has_any_column_privilege(here.oid, 'SELECT')
"""


def _hidden(connection: Connection, schema: str | None) -> set[tuple[str, str | None]]:
    """Return PostgreSQL's `(table, None)` whose rows another table of the schema has, too, and the `(table, column)`
    that the account may not read, of tables of which it may read others."""
    if connection.dialect.name != "postgresql":
        return set()
    return {(name, column) for name, column in connection.execute(text(HIDDEN), {"schema": schema})}


GRANTED = """
SELECT table_name, column_name, data_type, is_nullable, column_comment, column_key
FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY ordinal_position
"""


def _granted(connection: Connection, shown: Sequence[str]) -> Iterator[Table]:
    """Return MariaDB's other tables, with the columns that the account may read; their keys are not known."""
    found: dict[str, list[Column]] = {}
    kinds: Mapping[str, type] = connection.dialect.ischema_names  # type: ignore[attr-defined]
    for table, name, kind, nullable, comment, key in connection.execute(text(GRANTED)):
        about = {"comment": comment or None, "primary_key": key == "PRI", "holds": _holds(kinds.get(kind, str))}
        found.setdefault(table, []).append(Column(name, kind.upper(), nullable == "YES", **about))
    return (Table(name, tuple(columns)) for name, columns in found.items() if name not in shown)


def _may_be_shown(inspector: Inspector, name: str) -> bool:
    try:
        inspector.get_columns(name)
    except (OperationalError, UnreflectableTableError):  # the latter: a view of something that is gone
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


def _holds(kind: type) -> str:
    for name, types in (("datetime", DateTime), ("date", Date), ("number", (Integer, Numeric))):
        if issubclass(kind, types):
            return name
    return ""
