"""Reads and checks the document from `python -m servers.sim_testgeluran export-schema`. Searches nothing.

The sample company's document is not stored: it is derived from its seed.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from sqlalchemy import create_engine

from servers.common import erp
from servers.common.catalogue import reflect
from servers.common.schema_document import schema_document

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
    """The kind in the office's glossary, which overrides type and name."""
    sample_values: tuple[str, ...] = ()
    """The column's values, if there are only a few."""


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
    date: str | None = None
    """The date column to use if a question names none, from the office's glossary."""

    @cached_property
    def joining(self) -> frozenset[str]:
        return frozenset(column for key in self.foreign_keys for column in key.columns)


class Schema(_Part):
    """A database's tables; `digest` changes whenever the document does."""

    database: str = ""
    dialect: str = ""
    tables: tuple[Table, ...]
    digest: str = ""
    profiled: bool = False
    """True for an office's own database: its columns come with keys and values."""


def read_schema(path: Path) -> Schema:
    """Read the file, or the sample's document. Raises SchemaError."""
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
    """Return the document of the sample company's tables."""
    with create_engine("sqlite://").connect() as connection:
        made = connection.connection.driver_connection
        assert isinstance(made, sqlite3.Connection)
        made.executescript(erp.script(rows=False))
        return schema_document(reflect(connection)) | {"database": "erp"}
