"""`check`: reads the office's database and writes its glossary, books.toml, for people to edit."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from servers.common import books_file
from servers.common.catalogue import catalogue_of
from servers.common.database import ConfigurationError, Database
from servers.sim_testgeluran.profile import UNREAD, profiled
from servers.sim_testgeluran.proposals import proposed


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
    content: dict[str, Any] = {
        "fingerprint": fingerprint,
        "database": catalogue.database,
        **found,
        "questions": await proposed(database, books_file.overlaid(catalogue, found)),
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
    if former.get("fingerprint") not in (None, fingerprint):
        lines.append("the tables have changed since the last check")
    proposed_labels = {name: each["proposed"] for name, each in found["tables"].items() if each.get("proposed")}
    if proposed_labels:
        said = ", ".join(f"{name} = {label}" for name, label in proposed_labels.items())
        lines.append(f"proposed labels, used once you write them to `label`: {said}")
    lines += [f"- {each['ask']}" for each in content["questions"]]
    return [*lines, f"written: {file} (edit it: labels, synonyms, meanings of codes)"]
