"""Guesses joins that a database doesn't declare from the names and types of its columns. Reads no rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from servers.common.catalogue import Catalogue

Join = tuple[str, str, str, str]
"""(table, column, referred table, referred column)."""


def guessed(catalogue: Catalogue) -> list[Join]:
    """Return the joins that names suggest, except for declared ones: a column named like another table's single-column
    key (`CustomerId`), or like that table and its key (`customer_id`, `CustomerCode`)."""
    declared = {(table.name, column) for table in catalogue.tables for column in table.joining}
    return [join for join in _suggested(catalogue) if join[:2] not in declared]


def _suggested(catalogue: Catalogue) -> Iterator[Join]:
    keys = {table.name: table.primary_key[0] for table in catalogue.tables if len(table.primary_key) == 1}
    are_texts = {
        (table.name, column.name): re.match(r"(?i)(var)?char|text|nvarchar|nchar|clob", column.type) is not None
        for table in catalogue.tables
        for column in table.columns
    }
    for table, name in are_texts:
        for other, key in keys.items() if keys.get(table) != name else ():
            same = are_texts[table, name] == are_texts[other, key]
            if other != table and same and _refers(name, other, key):
                yield table, name, other, key
                break


def _refers(column: str, table: str, key: str) -> bool:
    named, whole, part = _plain(column), _plain(table), _plain(key)
    singular = whole.removesuffix("es") if whole.endswith("ses") else whole.removesuffix("s")
    alone = part in ("id", "code", "kode", "no", "nomor")
    if named == part and not alone:
        return part.startswith((whole, singular))
    ends = part if alone else part.removeprefix(whole).removeprefix(singular)
    return bool(ends) and any(named == f"{stem.removeprefix('master')}{ends}" for stem in (whole, singular))


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())
