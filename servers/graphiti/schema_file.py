"""The document that `python -m servers.sim_testgeluran export-schema` writes, read and checked. Searches nothing.

The sample company's is not written anywhere: it is derived from its seed.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from servers.common import erp

SHIPPED = erp.SEED
MAX_BYTES = 16 * 2**20


class SchemaError(ValueError):
    """The file can't be used; the text says which, where and what to do."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class Column(_Part):
    name: str
    type: str
    nullable: bool = True
    comment: str | None = None
    primary_key: bool = False
    kind: str | None = None
    """What the office's glossary says that it is, over its type and name."""
    sample_values: tuple[str, ...] = ()
    """The few values that it holds."""


class ForeignKey(_Part):
    columns: tuple[str, ...]
    referred_table: str
    referred_columns: tuple[str, ...]


class Table(_Part):
    name: str
    comment: str | None = None
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()

    @cached_property
    def joining(self) -> frozenset[str]:
        """The columns that foreign keys start from."""
        return frozenset(column for key in self.foreign_keys for column in key.columns)


class Schema(_Part):
    """A database's tables; `digest` changes whenever the document does."""

    database: str = ""
    dialect: str = ""
    tables: tuple[Table, ...]
    digest: str = ""
    profiled: bool = False
    """An office's own database: keys and values come with its columns."""


def read_schema(path: Path) -> Schema:
    """Raises SchemaError."""
    try:
        content = json.dumps(_sample()).encode() if path == SHIPPED else path.read_bytes()
    except OSError as error:
        raise SchemaError(
            f"The schema file {path.name} can't be read ({error.strerror}); write one with "
            "`python -m servers.sim_testgeluran export-schema` and set SCHEMA_FILE to it."
        ) from error
    if len(content) > MAX_BYTES:
        raise SchemaError(f"The schema file {path.name} is larger than {MAX_BYTES // 2**20} MiB.")
    try:
        schema = Schema.model_validate_json(content)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in fault["loc"]) or "the document"
        raise SchemaError(
            f"The schema file {path.name} is not what export-schema writes: {place}: {fault['msg']}."
        ) from error
    if not schema.tables:
        raise SchemaError(f"The schema file {path.name} holds no table.")
    return schema.model_copy(update={"digest": hashlib.sha256(content).hexdigest()})


def _sample() -> dict[str, Any]:
    """The document of the sample company's tables, by their names."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(erp.script(rows=False))
        made = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        tables = [_table(database, name, sql) for name, sql in made]
    return {"database": "erp", "dialect": "sqlite", "tables": tables}


def _table(database: sqlite3.Connection, name: str, sql: str) -> dict[str, Any]:
    comment, comments = erp.sqlite_comments(sql)
    columns = database.execute("SELECT name, type, [notnull], pk FROM pragma_table_info(?)", (name,)).fetchall()
    keys = database.execute("SELECT [from], [table], [to] FROM pragma_foreign_key_list(?) ORDER BY 1", (name,))
    return {
        "name": name,
        "comment": comment,
        "columns": [
            {
                "name": column,
                "type": kind,
                "nullable": not not_null,
                "comment": comments.get(column),
                "primary_key": bool(place),
            }
            for column, kind, not_null, place in columns
        ],
        "primary_key": [column for column, _, _, place in sorted(columns, key=lambda each: each[3]) if place],
        "foreign_keys": [
            {"columns": [column], "referred_table": table, "referred_columns": [referred]}
            for column, table, referred in keys
        ],
    }
