"""The document that `python -m servers.sim_testgeluran export-schema` writes, read and checked. Searches nothing."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

SHIPPED = Path(__file__).with_name("erp_schema.json")
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


def read_schema(path: Path) -> Schema:
    """Raises SchemaError."""
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
