"""Lists and describes the tables, from the database's own catalogue. Not a search by meaning."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Annotated, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from servers.common import catalogue
from servers.common.catalogue import catalogue_of
from servers.common.database import Database
from servers.common.server import with_values


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
    """Return all tables with name and comment, or the `wanted` ones in full. Raises DatabaseError."""
    known = (await catalogue_of(database)).by_name
    names = list(dict.fromkeys(wanted))
    found: SchemaDescription = with_values(
        tables=[_table(known[name]) for name in names if name in known] if names else [*map(_named, known.values())],
        unknown_tables=[unknown_table(name, list(known)) for name in names if name not in known] or None,
        notice=database.notice or None,
    )
    return found


def unknown_table(name: str, names: Sequence[str]) -> str:
    """Return that no table is called `name`, and which names are similar."""
    near = difflib.get_close_matches(name.lower(), [each.lower() for each in names], n=3)
    hint = [each for each in names if each.lower() in near]
    return f"There is no table {name[:60]!r}" + (f"; did you mean {', '.join(hint)}?" if hint else ".")


def _table(info: catalogue.Table) -> Table:
    table: Table = with_values(
        **_named(info),
        columns=[
            with_values(name=each.name, type=each.type, nullable=each.nullable, comment=each.comment or None)
            for each in info.columns
        ],
        primary_key=list(info.primary_key) or None,
        references=[
            {"columns": list(key.columns), "table": key.referred_table, "referred_columns": list(key.referred_columns)}
            for key in info.foreign_keys
        ]
        or None,
    )
    return table


def _named(info: catalogue.Table) -> Table:
    named: Table = with_values(table_name=info.name, comment=info.comment or None)
    return named
