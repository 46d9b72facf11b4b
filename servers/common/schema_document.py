"""The schema as a JSON document, for programs that plan queries without the database. It contains no data."""

from __future__ import annotations

from typing import Any

from servers.common.catalogue import Catalogue, TableInfo


def schema_document(catalogue: Catalogue) -> dict[str, Any]:
    """`{"database", "dialect", "tables": [{"name", "comment", "columns", "primary_key", "foreign_keys"}]}`."""
    return {
        "database": catalogue.database.rpartition("/")[2].removesuffix(".db"),
        "dialect": catalogue.dialect,
        "tables": [_table(table) for table in catalogue.tables.values()],
    }


def _table(table: TableInfo) -> dict[str, Any]:
    return {
        "name": table.name,
        "comment": table.comment,
        "columns": [
            {
                "name": column.name,
                "type": column.type,
                "nullable": column.nullable,
                "comment": column.comment,
                "primary_key": column.name in table.primary_key,
            }
            for column in table.columns.values()
        ],
        "primary_key": list(table.primary_key),
        "foreign_keys": [
            {
                "columns": list(key.columns),
                "referred_table": key.referred_table,
                "referred_columns": list(key.referred_columns),
            }
            for key in table.foreign_keys
        ],
    }
