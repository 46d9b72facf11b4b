"""books.toml, an office's glossary of its database: reads it, applies it to a schema, and writes it the first time.

Its descriptions of tables and columns come before the database's own; its joins count as declared.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from servers.common.catalogue import Catalogue, ForeignKey, Table, named
from servers.common.guessed_keys import Join

COUNTED = ("fingerprint", "database", "questions", "proposed", "rows", "range")
"""Keys that each check recomputes; people don't edit them."""
HEAD = """# What the words and codes of this database mean: written by `agentd books check`, yours to edit.
# `label` and `synonyms` are what people say; `proposed` is not used until you write it there; `date` is the column that
# counts where nobody says which date; `about` what it holds; `kind` one of financial_amount, quantitative, temporal,
# identifier, descriptive; `values` are its few codes with their meaning. [[joins]] marked `guessed` were found by names
# and values: delete what is wrong, and the mark of what is right. A later check keeps your words.
"""


class BooksFileError(ValueError):
    """books.toml can't be read; the text says where and why."""


def read(path: Path | None) -> dict[str, Any]:
    """Return the file's content; empty if there is no file. Raises BooksFileError."""
    if path is None or not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BooksFileError(f"{path.name}: {error}; correct it, or delete it and run `agentd books check`.") from error


def fingerprint(catalogue: Catalogue) -> str:
    """Return a digest of tables, columns, types and declared keys; comments and rows don't count."""
    bare = [
        [table.name, [[each.name, each.type] for each in table.columns], table.primary_key]
        for table in catalogue.tables
    ]
    return hashlib.sha256(json.dumps(bare).encode()).hexdigest()[:16]


def overlaid(catalogue: Catalogue, books: Mapping[str, Any]) -> Catalogue:
    """Return the catalogue with the glossary's comments, kinds, values and joins added."""
    said = books.get("tables", {})
    tables = (_overlaid(table, named(table.name, said) or {}, _joins(books)) for table in catalogue.tables)
    return replace(catalogue, tables=tuple(tables))


def _overlaid(table: Table, words: Mapping[str, Any], joins: Iterable[Join]) -> Table:
    abouts = [(column, named(column.name, words.get("columns", {})) or {}) for column in table.columns]
    return replace(
        table,
        comment=_comment(words, table.comment),
        date=words.get("date"),
        columns=tuple(
            replace(
                column,
                comment=_comment(about, column.comment),
                kind=about.get("kind"),
                sample_values=tuple(about.get("values", ())),
            )
            for column, about in abouts
        ),
        foreign_keys=table.foreign_keys
        + tuple(
            ForeignKey((column,), other, (key,))
            for source, column, other, key in joins
            if source == table.name and column not in table.joining
        ),
    )


def _joins(books: Mapping[str, Any]) -> list[Join]:
    found = []
    for join in books.get("joins", []):
        (source, _, column), (other, _, key) = join["from"].rpartition("."), join["to"].rpartition(".")
        found.append((source, column, other, key))
    return found


def _comment(words: Mapping[str, Any], comment: str | None) -> str | None:
    codes = [f"{code} = {meaning}" for code, meaning in words.get("values", {}).items() if meaning]
    parts = [words.get("label"), ", ".join(words.get("synonyms", [])), words.get("about") or comment, "; ".join(codes)]
    return "; ".join(str(part) for part in parts if part) or None


def merged(found: Mapping[str, Any], former: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a check found, with what people wrote before taking precedence."""
    if not isinstance(former, Mapping):
        return dict(found)
    made = dict(found)
    for key, value in former.items():
        if key in COUNTED and not isinstance(value, Mapping):  # a table or column may have such a name
            continue
        if isinstance(value, Mapping) and isinstance(found.get(key), Mapping):
            made[key] = merged(found[key], value)
        elif value not in ("", [], {}):
            made[key] = value
    return made


def written(content: Mapping[str, Any]) -> str:
    """Return the content as TOML, with explanations in the first lines."""
    lines = [HEAD]
    lines += [f"{key} = {_value(value)}" for key, value in content.items() if not isinstance(value, Mapping | list)]
    for name, table in content.get("tables", {}).items():
        lines += ["", f"[tables.{_key(name)}]"]
        lines += [f"{key} = {_value(value)}" for key, value in table.items() if key != "columns"]
        lines += [
            f"columns.{_key(column)} = {_inline(about)}" for column, about in table.get("columns", {}).items() if about
        ]
    for kind in ("joins", "questions"):
        for entry in content.get(kind, []):
            lines += ["", f"[[{kind}]]", *(f"{key} = {_value(value)}" for key, value in entry.items())]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    return _inline(value) if isinstance(value, Mapping) else json.dumps(value, ensure_ascii=False)


def _inline(value: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + " }"
