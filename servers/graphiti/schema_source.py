"""Where the searched schema comes from: a file that `export-schema` wrote, the office's own database with its glossary,
or the sample company. Searches nothing."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import create_engine

from hardening.files import stamp
from servers.common import books_file, erp
from servers.common.catalogue import Catalogue, catalogue_of, reflect
from servers.common.database import Database, DatabaseError
from servers.common.guessed_keys import guessed

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


log = logging.getLogger(__name__)
FRESH_SECONDS = 60
"""How often a database's tables are read again, at the next question."""
Stamp = tuple[int, ...]


class Source(Protocol):
    """A source of schemas; `stamp` changes when `read` may return a different one."""

    def stamp(self) -> Stamp: ...

    async def read(self) -> Catalogue:
        """Return the schema. Raises SchemaError."""
        ...


class FileSource:
    """A document from export-schema, or the sample company's."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def stamp(self) -> Stamp:
        """Return the file's time and size."""
        return stamp(self._path)

    async def read(self) -> Catalogue:
        """Return the schema. Raises SchemaError."""
        return await asyncio.to_thread(read_schema, self._path)


class DatabaseSource:
    """The tables of the office's database, with books.toml applied; never the sample's."""

    def __init__(self, database: Database, books: Path | None) -> None:
        self._database = database
        self._books = books
        self._fingerprint = ""

    def stamp(self) -> Stamp:
        """Return the current minute, and the glossary's time and size."""
        return (int(time.monotonic() // FRESH_SECONDS), *(stamp(self._books) if self._books else ()))

    async def read(self) -> Catalogue:
        """Return the schema. Raises SchemaError."""
        try:
            catalogue = await catalogue_of(self._database)
            books = books_file.read(self._books)
        except (DatabaseError, books_file.BooksFileError) as error:
            raise SchemaError(str(error)) from error
        if not catalogue.tables:
            raise SchemaError("The database holds no table that may be asked about; check [books].")
        self._note(books_file.fingerprint(catalogue), books.get("fingerprint"))
        if "joins" not in books:
            found = guessed(catalogue)
            joins = [{"from": f"{table}.{column}", "to": f"{other}.{key}"} for table, column, other, key in found]
            books = {**books, "joins": joins}
        return replace(books_file.overlaid(catalogue, books), profiled=True)

    def _note(self, now: str, written: str | None) -> None:
        """Log once that tables have changed since the last read or books.toml: as an error, which agentd repeats."""
        before, self._fingerprint = self._fingerprint or written or now, now
        if before != now:
            log.error("the database's tables have changed; run `agentd books check` to renew its glossary")


def source_of(environ: Mapping[str, str]) -> Source:
    """Return SCHEMA_FILE, else the configured database, else the sample company. Raises ConfigurationError."""
    if given := environ.get("SCHEMA_FILE"):
        return FileSource(Path(given))
    if (database := Database.configured(environ)) is None:
        return FileSource(SHIPPED)
    books = environ.get("BOOKS_FILE")
    return DatabaseSource(database, Path(books) if books else None)
