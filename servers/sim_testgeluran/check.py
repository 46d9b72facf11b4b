"""`check`: reads the office's database and writes its glossary, books.toml, for people to edit."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from servers.common import books_file
from servers.common.catalogue import Catalogue, Table, catalogue_of
from servers.common.database import ConfigurationError, Database
from servers.common.phrases import phrases
from servers.sim_testgeluran.naming import LABEL, MONEY, NAME_PARTS, QUANTITY, is_price, words_of
from servers.sim_testgeluran.profile import CURRENCIES, UNREAD, UNREADABLE, profiled

SAID = phrases("servers.sim_testgeluran")
MOST, COUNTS = 10, 2
"""The number of questions, and how many of them may count a table's rows if there are others."""


async def look(database: Database, environ: Mapping[str, str] = os.environ) -> tuple[str, bool]:
    """Describe the database in a line, and return whether books.toml matches its current tables. Raises as `check`."""
    catalogue = await catalogue_of(database)
    written = books_file.read(Path(environ.get("BOOKS_FILE") or "books.toml")).get("fingerprint")
    line = f"{catalogue.database} ({catalogue.dialect}), {len(catalogue.tables)} tables"
    return line, written == books_file.fingerprint(catalogue)


async def check(database: Database, environ: Mapping[str, str] = os.environ) -> list[str]:
    """Write books.toml with what was found, keeping people's edits; return a report, one line per finding.

    Raises DatabaseError, BooksFileError, OSError.
    """
    file = Path(environ.get("BOOKS_FILE") or "books.toml")
    catalogue = await catalogue_of(database)
    if not catalogue.tables:
        raise ConfigurationError("The database has no table that this account may see: check [books] and its rights.")
    former = books_file.read(file)
    found = await profiled(database, catalogue)
    fingerprint = books_file.fingerprint(catalogue)
    read = frozenset(name.lower() for name, each in found["tables"].items() if "rows" in each)
    content: dict[str, Any] = {
        "fingerprint": fingerprint,
        "database": catalogue.database,
        **found,
        "questions": await proposed(database, books_file.overlaid(catalogue, found).only(read)),
    }
    text = books_file.written(books_file.merged(content, former))
    await asyncio.to_thread(file.write_text, text, encoding="utf-8")
    declared = sum(len(table.foreign_keys) for table in catalogue.tables)
    lines = [
        f"{catalogue.database} ({catalogue.dialect}): {len(catalogue.tables)} tables; joins: "
        f"{declared} declared, {len(found['joins'])} guessed"
    ]
    if unread := [name for name, each in found["tables"].items() if str(each.get("about", "")).startswith(UNREAD)]:
        lines.append(f"not readable, see `about` in the file: {', '.join(unread)}")
    if limited := await _limited(database):
        lines.append(f"row-level security hides rows of it from this account: {', '.join(limited)}")
    if former.get("fingerprint") not in (None, fingerprint):
        lines.append("the tables have changed since the last check")
    proposed_labels = {name: each["proposed"] for name, each in found["tables"].items() if each.get("proposed")}
    if proposed_labels:
        said = ", ".join(f"{name} = {label}" for name, label in proposed_labels.items())
        lines.append(f"proposed labels, used once you write them to `label`: {said}")
    lines += [f"- {each['ask']}" for each in content["questions"]]
    return [*lines, f"written: {file} (edit it: labels, synonyms, meanings of codes)"]


async def _limited(database: Database) -> list[str]:
    """Return PostgreSQL's tables of which this account sees some rows only, so that a total is of those."""
    asked = "SELECT relname FROM pg_class WHERE relrowsecurity AND row_security_active(oid) ORDER BY relname"
    return [str(row[0]) for row in (await database.fetch(asked)).rows] if database.kind == "postgres" else []


async def proposed(database: Database, catalogue: Catalogue) -> list[dict[str, str]]:
    """Return `[{"ask", "sql"}]`, only with queries that ran and returned a row."""
    found: list[dict[str, str]] = []
    for ask, sql in _candidates(catalogue, database.quote):
        try:
            rows = await database.fetch(sql, max_rows=5, timeout_seconds=20.0)
        except UNREADABLE:
            continue
        if rows.rows and any(value is not None for value in rows.rows[0]):
            found.append({"ask": ask, "sql": sql})
        if len(found) == MOST:
            break
    return found


def _candidates(catalogue: Catalogue, quote: Any) -> Iterator[tuple[str, str]]:
    """Yield counts, totals and totals by joined tables in turn, so that the first ten are of every kind."""
    tables = sorted(catalogue.tables, key=lambda table: -len(table.foreign_keys))
    counts = list(_counts(tables, quote))
    kinds = [list(_totals(tables, quote)), list(_rankings(tables, quote)), counts[:COUNTS]]
    for place in range(max(map(len, kinds), default=0)):
        yield from (kind[place] for kind in kinds if place < len(kind))
    yield from counts[COUNTS:]


def _counts(tables: list[Table], quote: Any) -> Iterator[tuple[str, str]]:
    for table in tables:
        ask = SAID["count"].format(things=words_of(table.name))
        yield ask, f"SELECT COUNT(*) AS ROW_COUNT FROM {quote(table.name)}"


def _totals(tables: list[Table], quote: Any) -> Iterator[tuple[str, str]]:
    for table in tables:
        for amount in _amounts(table)[:1]:
            words = words_of(amount)
            function, phrase = ("AVG", SAID["mean"]) if is_price(amount) else ("SUM", SAID["sum"])
            figure = words if function == "SUM" and words.startswith("total") else phrase.format(amount=words)
            ask = SAID["total"].format(figure=figure, things=words_of(table.name))
            yield ask, f"SELECT {function}({quote(amount)}) AS TOTAL FROM {quote(table.name)}"


def _rankings(tables: list[Table], quote: Any) -> Iterator[tuple[str, str]]:
    known = {table.name: table for table in tables}
    for table in tables:
        for key in table.foreign_keys:
            other = known.get(key.referred_table)
            added = [each for each in _amounts(table) if not is_price(each)]
            if other is None or other is table or not (labels := _labels(other)):
                continue
            name, there = quote(table.name), quote(other.name)
            figure = f"SUM({name}.{quote(added[0])})" if added else "COUNT(*)"
            what = (
                SAID["largest"].format(amount=words_of(added[0]))
                if added
                else SAID["most"].format(things=words_of(table.name))
            )
            own = f"{there}.{quote(key.referred_columns[0])}"
            called = [f"{there}.{quote(label)}" for label in labels]
            shown = f"{called[0]} AS NAME" if len(called) == 1 else ", ".join(called)
            on = f"{name}.{quote(key.columns[0])} = {own}"
            yield (
                SAID["ranking"].format(things=words_of(other.name), figure=what),
                f"SELECT {shown}, {figure} AS TOTAL FROM {name} JOIN {there} ON {on} "
                f"GROUP BY {own}, {', '.join(called)} ORDER BY TOTAL DESC LIMIT 5",  # names may repeat
            )


def _amounts(table: Table) -> list[str]:
    """Return the columns of money that can be summed or averaged: no keys, no price beside a quantity, and none of rows
    in several currencies."""
    if any(len(column.sample_values) > 1 and {*column.sample_values} <= CURRENCIES for column in table.columns):
        return []
    numbers = [
        column.name
        for column in table.columns
        if re.match(r"(?i)dec|num|double|float|real|.*int", column.type)
        and column.name not in {*table.joining, *table.primary_key}
    ]
    # The mean of a price would have to be weighted by each row's quantity.
    has_quantity = any(map(QUANTITY.search, numbers))
    return [name for name in numbers if MONEY.search(name) and not (has_quantity and is_price(name))]


def _labels(table: Table) -> list[str]:
    """Return the columns with a thing's name: one, or the parts of a person's."""
    found = [each.name for each in table.columns if LABEL.search(each.name)]
    parts = [name for name in found if NAME_PARTS.search(name)]
    return parts if len(parts) > 1 else found[:1]
