"""Reads and checks the document from `python -m servers.sim_testgeluran export-schema`. Searches nothing.

The sample company's document is not stored: it is derived from its seed.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import create_engine

from servers.common import erp
from servers.common.catalogue import Catalogue, reflect

SHIPPED = erp.SEED
MAX_BYTES = 16 * 2**20
_CATALOGUE = TypeAdapter(Catalogue)


class SchemaError(ValueError):
    """The file can't be used; the text says which, where and what to do."""


def read_schema(path: Path) -> Catalogue:
    """Read the file, or the sample's document. Raises SchemaError."""
    if path == SHIPPED:
        return _sample()
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SchemaError(
            f"The schema file {path.name} can't be read ({error.strerror}); write one with "
            "`python -m servers.sim_testgeluran export-schema` and set SCHEMA_FILE to it."
        ) from error
    if len(content) > MAX_BYTES:
        raise SchemaError(f"The schema file {path.name} is larger than {MAX_BYTES // 2**20} MiB.")
    try:
        schema = _CATALOGUE.validate_json(content)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in fault["loc"]) or "the document"
        raise SchemaError(
            f"The schema file {path.name} is not what export-schema writes: {place}: {fault['msg']}."
        ) from error
    if not schema.tables:
        raise SchemaError(f"The schema file {path.name} holds no table.")
    return schema


def _sample() -> Catalogue:
    """Return the sample company's tables."""
    with create_engine("sqlite://").connect() as connection:
        made = connection.connection.driver_connection
        assert isinstance(made, sqlite3.Connection)
        made.executescript(erp.script(rows=False))
        return replace(reflect(connection), database="erp")
