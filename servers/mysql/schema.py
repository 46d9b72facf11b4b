"""What tables there are and what is in them, read from the database's own catalogue. Not a search by meaning."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

from pydantic import Field
from sqlalchemy import Connection, Inspector, inspect
from typing_extensions import TypedDict

from servers.common.database import Database
from servers.common.erp.comments import sqlite_comments


class Column(TypedDict):
    """One column. `comment` is left out where the database has none."""

    name: str
    type: str
    nullable: bool
    comment: NotRequired[str]


class Reference(TypedDict):
    """A foreign key: these columns point to those of another table."""

    columns: list[str]
    table: str
    referred_columns: list[str]


class Table(TypedDict):
    """One table. Columns and keys only when it was asked for by name; empty fields are left out."""

    table_name: str
    comment: NotRequired[str]
    columns: NotRequired[list[Column]]
    primary_key: NotRequired[list[str]]
    references: NotRequired[list[Reference]]


class SchemaDescription(TypedDict):
    """The tables asked for, or all of them by name."""

    tables: list[Table]
    unknown_tables: NotRequired[
        Annotated[list[str], Field(description="For each name that is no table, what might have been meant.")]
    ]
    notice: NotRequired[Annotated[str, Field(description="That these are a sample's tables.")]]


async def describe(database: Database, wanted: Sequence[str]) -> SchemaDescription:
    """All tables by name and comment, or those `wanted` in full. Raises like `Database.inspect`."""
    found = await database.inspect(lambda connection: _describe(connection, list(dict.fromkeys(wanted))))
    if database.tables:
        found["tables"] = [table for table in found["tables"] if table["table_name"].casefold() in database.tables]
    return {**found, "notice": database.notice} if database.notice else found


def table_names(connection: Connection) -> list[str]:
    """Tables and views, sorted."""
    inspector = inspect(connection)
    return sorted([*inspector.get_table_names(), *inspector.get_view_names()])


def unknown_table(name: str, names: Sequence[str]) -> str:
    """That `name` is no table, with the nearest that are."""
    near = difflib.get_close_matches(name.lower(), [each.lower() for each in names], n=3)
    hint = [each for each in names if each.lower() in near]
    return f"There is no table {name[:60]!r}" + (f"; did you mean {', '.join(hint)}?" if hint else ".")


def _describe(connection: Connection, wanted: list[str]) -> SchemaDescription:
    names = table_names(connection)
    inspector = inspect(connection)
    comments = _sqlite_notes(connection) if connection.dialect.name == "sqlite" else _comments(inspector)
    if not wanted:
        return {"tables": [_with_comment({"table_name": name}, comments.get(name, (None, {}))[0]) for name in names]}
    tables = [_table(inspector, name, *comments.get(name, (None, {}))) for name in wanted if name in names]
    description: SchemaDescription = {"tables": tables}
    if unknown := [unknown_table(name, names) for name in wanted if name not in names]:
        description["unknown_tables"] = unknown
    return description


def _table(inspector: Inspector, name: str, comment: str | None, column_comments: dict[str, str]) -> Table:
    table = _with_comment({"table_name": name}, comment)
    table["columns"] = [_column(column, column_comments) for column in inspector.get_columns(name)]
    if key := inspector.get_pk_constraint(name)["constrained_columns"]:
        table["primary_key"] = key
    references: list[Reference] = [
        {
            "columns": key["constrained_columns"],
            "table": key["referred_table"],
            "referred_columns": key["referred_columns"],
        }
        for key in inspector.get_foreign_keys(name)
    ]
    if references:
        table["references"] = references
    return table


def _column(column: Any, comments: dict[str, str]) -> Column:
    described: Column = {"name": column["name"], "type": str(column["type"]), "nullable": bool(column["nullable"])}
    if comment := column.get("comment") or comments.get(column["name"]):
        described["comment"] = comment
    return described


def _with_comment(table: Table, comment: str | None) -> Table:
    if comment:
        table["comment"] = comment
    return table


def _comments(inspector: Inspector) -> dict[str, tuple[str | None, dict[str, str]]]:
    found = inspector.get_multi_table_comment()
    return {table: (comment["text"], {}) for (_, table), comment in found.items()}


def _sqlite_notes(connection: Connection) -> dict[str, tuple[str | None, dict[str, str]]]:
    """SQLite has no comments, but keeps the text of CREATE TABLE, notes included."""
    rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL")
    return {name: sqlite_comments(sql) for name, sql in rows}
