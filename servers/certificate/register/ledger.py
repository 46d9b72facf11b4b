"""The register of letters in a database: numbers, frozen arguments, states, entries. Accesses no files, draws nothing.

A letter is RESERVED (its number, date, code and arguments are fixed), then ISSUED (its file and hash are known), and
later perhaps VOID. A number is never reused or taken back: a letter that can't be finished becomes VOID too. Each
change also appends an entry in the same transaction (chain.py). SQLite by default; for several nodes, MariaDB or
PostgreSQL by URL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from servers.certificate.register import chain
from servers.certificate.register.chain import Entry, digest
from servers.certificate.register.database import Database, LedgerError
from servers.certificate.register.records import Letter, Request
from servers.certificate.register.rows import (
    append_entry,
    begin_chain,
    find_one,
    forget_beginning,
    known_letter,
    redo,
    reserve_letter,
    set_counter,
)
from servers.certificate.register.tables import counters, entries, guard, letters, unguard


class Ledger:
    """The register at one database URL. Its methods block: call them from a thread."""

    def __init__(self, url: str) -> None:
        """Raises LedgerError for a URL of an unsupported database."""
        self._database = Database(url, begin_chain)

    def close(self) -> None:
        self._database.close()

    def exists(self) -> bool:
        """Return whether there is a register of any version, without creating one."""
        return self._database.exists()

    def chained(self) -> bool:
        """Return whether the existing register has entries; one of an earlier version gets them at its first use."""
        return self._database.exists(entries)

    def known(self, request: Request) -> Letter | None:
        """Return the letter this request already has, or None. Raises KeyConflict."""
        return self._database.transaction(lambda connection: known_letter(connection, request))

    def reserve(
        self, request: Request, day: date, at: datetime, number: Callable[[int], str], code: str
    ) -> tuple[Letter, bool]:
        """Return (letter, whether it is new). A new one has the next number of its series and year.

        Raises KeyConflict if the request's idempotency key was used with other arguments.
        """
        return self._database.transaction(lambda connection: reserve_letter(connection, request, day, at, number, code))

    def issued(self, letter: Letter, file: str, size: int, sha: str, at: datetime) -> Letter:
        """Change RESERVED to ISSUED. A letter that was finished elsewhere meanwhile is returned unchanged."""
        change = {"file": file, "size": size, "sha256": sha, "issued_at": at.isoformat()}
        return self._end(letter, "issued", change, at, letters.c.status == "reserved")

    def void(self, letter: Letter, reason: str, at: datetime, by: str | None = None) -> Letter:
        """Change to VOID; row and number stay, and the same request may be made again. Only the first void counts."""
        change = {"void_reason": reason[:255], "voided_at": at.isoformat(), "voided_by": by and by[:120]}
        return self._end(letter, "voided", change, at, letters.c.status != "void")

    def _end(
        self, letter: Letter, event: chain.Event, change: Mapping[str, Any], at: datetime, still: sa.ColumnElement[bool]
    ) -> Letter:
        """Change the row and append the entry, if the letter is `still` so; return the row as it is then."""

        def commit(connection: sa.Connection) -> Letter:
            mine = letters.c.id == letter.id
            update = sa.update(letters).where(mine, still).values(**chain.ENDS[event], **change)
            if connection.execute(update).rowcount:
                append_entry(connection, event, {"number": letter.number, **change}, at.isoformat())
            return find_one(connection, mine) or letter

        return self._database.transaction(commit)

    def by_code(self, code: str) -> Letter | None:
        """Look a letter up by its code's digest, so that timing reveals nothing about existing codes."""
        return self._find(letters.c.code_digest == digest(code))

    def by_number(self, number: str) -> Letter | None:
        """Look a letter up by its number, which people also write in lower case."""
        any_case = sa.func.upper(letters.c.number) == number.strip().upper()
        return self._find(letters.c.number == number) or self._find(any_case)

    def by_sha256(self, sha: str) -> Letter | None:
        return self._find(letters.c.sha256 == sha)

    def of_day(self, day: date) -> list[Letter]:
        """Return the letters of this date, issued or void, oldest first."""
        return self.all((letters.c.day == day.isoformat()) & (letters.c.status != "reserved"))

    def reserved(self) -> list[Letter]:
        """Return the letters that a crash left unfinished, oldest first."""
        return self.all(letters.c.status == "reserved")

    def all(self, where: sa.ColumnElement[bool] | None = None) -> list[Letter]:
        """Return all letters, oldest first."""
        query = sa.select(letters).order_by(letters.c.id)
        with self._database.reading() as connection:
            rows = connection.execute(query if where is None else query.where(where))
            return [Letter.model_validate(row) for row in rows.mappings()]

    def last_day(self) -> date | None:
        """Return the latest date of any letter."""
        with self._database.reading() as connection:
            day = connection.execute(sa.select(sa.func.max(letters.c.day))).scalar()
        return date.fromisoformat(day) if day else None

    def entries(self, after: int = 0, event: str | None = None) -> list[Entry]:
        """Return the entries after this one, in order; with `event`, only those of that event."""
        query = sa.select(entries).where(entries.c.seq > after).order_by(entries.c.seq)
        with self._database.reading() as connection:
            rows = connection.execute(query if event is None else query.where(entries.c.event == event))
            return [_read(row) for row in rows.mappings()]

    def entry(self, seq: int) -> Entry | None:
        """Return one entry; the last for seq = -1."""
        query = sa.select(entries).order_by(entries.c.seq.desc()).limit(1)
        with self._database.reading() as connection:
            row = connection.execute(query if seq < 0 else query.where(entries.c.seq == seq)).mappings().one_or_none()
        return None if row is None else _read(row)

    def note(self, event: chain.Event, body: Mapping[str, Any], at: datetime) -> Entry:
        """Append an entry and do what it says: keep a letter, skip numbers; key, signed and restored change none.

        Raises LedgerError, also if the number of a letter to keep is taken.
        """

        def enter(connection: sa.Connection) -> Entry:
            one = append_entry(connection, event, body, at.isoformat())
            redo(connection, one)
            return one

        return self._database.transaction(enter)

    def rows(self) -> tuple[list[dict[str, Any]], dict[tuple[str, int], int]]:
        """Return the raw rows of the letters, and the counters as {(series, year): last}, for an audit."""
        with self._database.reading() as connection:
            found = connection.execute(sa.select(letters).order_by(letters.c.id)).mappings().all()
            counted = connection.execute(sa.select(counters)).all()
        return [dict(row) for row in found], {(row.series, row.year): row.last for row in counted}

    def replay(self, lost: Sequence[Entry]) -> None:
        """Append entries again, unchanged, that follow the last one here, and repeat their effects.

        If they start with the first entry, they replace the entries of a register without letters. Raises LedgerError.
        """

        def enter(connection: sa.Connection) -> None:
            if lost[0].seq == 1:
                forget_beginning(connection)
            for one in lost:
                connection.execute(sa.insert(entries).values(**one.model_dump()))
                set_counter(connection, "", 0, one.seq)
                redo(connection, one)

        self._database.transaction(enter)

    def put_back(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Restore these letters' rows to what their entries say, with the guards removed meanwhile."""

        def put_back(connection: sa.Connection) -> None:
            unguard(connection)
            for number, row in rows.items():
                if not connection.execute(sa.update(letters).where(letters.c.number == number).values(**row)).rowcount:
                    connection.execute(sa.insert(letters).values(**row))
                set_counter(connection, row["series"], row["year"], row["seq"])
            guard(connection)

        self._database.transaction(put_back)

    def _find(self, where: sa.ColumnElement[bool]) -> Letter | None:
        with self._database.reading() as connection:
            return find_one(connection, where)


def _read(row: Mapping[Any, Any]) -> Entry:
    try:
        return Entry(**row)
    except ValidationError:
        what = f"entry {row['seq']} of the register is `{row['event']}`, which this version does not know"
        raise LedgerError(f"{what}: a newer agentd wrote it; install that one, and repair nothing with this") from None
