"""Reads comments of a SQLite schema: SQLite keeps the text of CREATE TABLE, and its `--` notes are the comments."""

from __future__ import annotations

import re

_COLUMN = re.compile(r'^\s*[`"\[]?(?P<name>\w+)[`"\]]?\s+\w.*?--\s*(?P<comment>.+?)\s*$')
_HEAD = re.compile(r"^\s*CREATE\s+(?:TEMP\s+|TEMPORARY\s+)?TABLE\b.*?\(\s*--\s*(?P<comment>.+?)\s*$", re.IGNORECASE)
_NO_COLUMN = {"primary", "foreign", "unique", "check", "constraint", "create"}


def sqlite_comments(create_table: str) -> tuple[str | None, dict[str, str]]:
    """Return (the table's comment, {column: comment}), from the `sql` of sqlite_master.

    A note after the opening parenthesis is the table's, one at the end of a column's line is the column's.
    """
    table: str | None = None
    columns: dict[str, str] = {}
    for line in create_table.splitlines():
        if head := _HEAD.match(line):
            table = head["comment"]
        elif (column := _COLUMN.match(line)) and column["name"].lower() not in _NO_COLUMN:
            columns[column["name"]] = column["comment"]
    return table, columns
