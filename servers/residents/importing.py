"""Imports residents from rows of text into our own schema: a whole file in one transaction, or nothing."""

from __future__ import annotations

import datetime
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from servers.residents import codes
from servers.residents.database import Database
from servers.residents.resident import NIK, known
from servers.residents.schema import metadata, residents

_COLUMNS = tomllib.loads(Path(__file__).with_name("columns.toml").read_text(encoding="utf-8"))
FIELDS: dict[str, str] = _COLUMNS["fields"]
UNUSED = frozenset(_COLUMNS["unused"]["names"].split())
NAMES = tuple(column.name for column in residents.c)
CODED = ("jenis_kelamin", "agama", "status_perkawinan", "kewarganegaraan", "pendidikan", "golongan_darah", "hubungan")
BATCH = 1000
DAY = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})\Z")
SEXES: dict[str, str] = _COLUMNS["sexes"]


class BadRow(ValueError):
    """A row that can't be imported; the text names the column, never the value."""


@dataclass(frozen=True)
class BadLine:
    line: int
    reason: str


class NothingImported(Exception):
    """Some rows are bad, so none was imported."""

    def __init__(self, bad: list[BadLine]) -> None:
        super().__init__(f"{len(bad)} bad row{'s' * (len(bad) != 1)}: nothing was imported")
        self.bad = bad


def field_of(header: str, chosen: Mapping[str, str]) -> str | None:
    """Return a column's field; "" for one to leave out, None for an unknown one."""
    name = re.sub(r"[^a-z0-9]", "", header.lower())
    return chosen.get(header, "" if name in UNUSED or not name else FIELDS.get(name))


def run(
    database: Database, rows: Iterable[tuple[int, list[str]]], fields: list[str], progress: Callable[[int], None]
) -> int:
    """Import the rows; return the number of residents. `fields` are the columns' fields in order, "" for none.

    Residents already in the register, by NIK, are replaced; others stay. Raises NothingImported, RegisterError.
    """
    bad: list[BadLine] = []
    count = 0
    taken = _taken(rows, fields, bad)
    with database.connection() as connection:
        metadata.create_all(connection)
        while batch := list(islice(taken, BATCH)):
            connection.execute(sa.delete(residents).where(residents.c.nik.in_([row["nik"] for row in batch])))
            connection.execute(sa.insert(residents), batch)
            count += len(batch)
            progress(count)
        if bad:
            raise NothingImported(bad)
    return count


def _taken(rows: Iterable[tuple[int, list[str]]], fields: list[str], bad: list[BadLine]) -> Iterator[dict[str, Any]]:
    """Yield the good rows for the table, and collect the others in `bad`; after the first bad one none is yielded."""
    niks: dict[int, int] = {}
    cards: dict[str, int] = {}
    for line, cells in rows:
        if not any(cells):
            continue
        try:
            row = resident_of(dict(zip(fields, cells, strict=False)))
            _once("NIK", niks, int(row["nik"]), line)
            if row["card"] is not None:
                _once("card", cards, row["card"].lower(), line)
        except BadRow as error:
            bad.append(BadLine(line, str(error)))
            continue
        if not bad:
            yield row


def _once(what: str, seen: dict[Any, int], value: Any, line: int) -> None:
    first = seen.setdefault(value, line)
    if first != line:
        raise BadRow(f"the same {what} as line {first}")


def resident_of(cells: Mapping[str, str]) -> dict[str, Any]:
    """Convert cells by field to a row of the table. Raises BadRow."""
    row: dict[str, Any] = {name: known(cells.get(name)) for name in NAMES}
    if NIK.fullmatch(row["nik"] or "") is None:
        raise BadRow("nik is not 16 digits (in a spreadsheet, format the column as text)")
    for name in ("no_kk", "nik_ayah", "nik_ibu"):
        if row[name] is not None and NIK.fullmatch(row[name]) is None:
            raise BadRow(f"{name} is not 16 digits")
    if row["nama"] is None:
        raise BadRow("nama is empty")
    for name in CODED:
        row[name] = _spoken(name, row[name])
    row["pekerjaan"] = _occupation(row["pekerjaan"])
    row["tanggal_lahir"] = _day(row["tanggal_lahir"])
    row["standing"] = _standing(row["standing"])
    for column in residents.c:
        text = row[column.name]
        if isinstance(text, str) and not text.isprintable():
            raise BadRow(f"{column.name} has a character that can't be seen, which no letter prints: type it again")
        length = getattr(column.type, "length", None)
        if length is not None and isinstance(text, str) and len(text) > length:
            raise BadRow(f"{column.name} has more than {length} characters")
    return row


def _spoken(name: str, text: str | None) -> str | None:
    """Convert a code to its word, and a word to its spelling in letters."""
    if text is None or (name == "golongan_darah" and text == "13"):
        return None
    if text.isdecimal():
        word = codes.word(name, text)
        if word is None:
            raise BadRow(f"{name} has a code that nobody knows")
        return word
    if name == "jenis_kelamin":
        return _sex(text)
    words = {_plain(word): word for word in codes.WORDS[name].values()}
    return words.get(_plain(text), text)


def _sex(text: str) -> str:
    sex = SEXES.get(_plain(text).replace("-", ""))
    if sex is None:
        raise BadRow("jenis_kelamin is neither L nor P, nor one of their words")
    return sex


def _plain(text: str) -> str:
    return re.sub(r"[^a-z+-]", "", text.lower())


def _occupation(text: str | None) -> str | None:
    if text is not None and text.isdecimal():
        raise BadRow("pekerjaan is a number, and its words are in the office's own list: write the word")
    return codes.occupation(text)


def _standing(text: str | None) -> str:
    if text is None:
        return "resident"
    standing = codes.word("standing", text) or _COLUMNS["standings"].get(text.lower())
    if standing is None:
        raise BadRow("standing is no known status_dasar")
    return standing


def _day(text: str | None) -> datetime.date | None:
    if text is None or text.startswith("0000-00-00"):
        return None
    found = DAY.match(text)
    try:
        if found is not None:
            return datetime.date(int(found[3]), int(found[2]), int(found[1]))
        return datetime.date.fromisoformat(text[:10])
    except ValueError:
        raise BadRow("tanggal_lahir is no day; write 1985-08-17 or 17-08-1985") from None
