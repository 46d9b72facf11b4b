"""The register of letters in a database: numbers, frozen arguments, states, entries. Touches no file, draws nothing.

A letter is RESERVED (it has its number, date, code and arguments, and nothing else may change), then ISSUED (its file
and hash are known) and perhaps VOID. A number is never given twice nor taken back: what fails for good is VOID too.
Each of these is an entry too, written in the same transaction (chain.py). SQLite by default; MariaDB and PostgreSQL by
URL, for several nodes.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from servers.certificate import chain
from servers.certificate.chain import Entry, canonical, digest
from servers.certificate.database import Database, LedgerError
from servers.certificate.records import KeyConflict, Letter, Request
from servers.certificate.register import CHAIN, COLUMNS, calls, counters, entries, guard, letters, unguard
from servers.common import clock


class Ledger:
    """The register behind one database URL. Its methods block: call them from a thread."""

    def __init__(self, url: str) -> None:
        """Raises LedgerError when the URL isn't one of a database we know."""
        self._database = Database(url, _begin)

    def close(self) -> None:
        self._database.close()

    def exists(self) -> bool:
        """Whether a register is there, of any version; makes none."""
        return self._database.exists()

    def chained(self) -> bool:
        """Whether the register that exists has entries; one of an earlier version gets them at its first use."""
        return self._database.exists(entries)

    def known(self, request: Request) -> Letter | None:
        """The letter this request already has. Raises KeyConflict."""
        return self._database.transaction(lambda connection: _known(connection, request))

    def reserve(
        self, request: Request, day: date, at: datetime, number: Callable[[int], str], code: str
    ) -> tuple[Letter, bool]:
        """(the letter, whether it is new). A new one has the next number of its series and year.

        Raises KeyConflict when the request's idempotency key belongs to other arguments.
        """
        return self._database.transaction(lambda connection: _reserve(connection, request, day, at, number, code))

    def issued(self, letter: Letter, file: str, size: int, sha: str, at: datetime) -> Letter:
        """RESERVED → ISSUED. A letter that somebody else issued meanwhile is returned as they left it."""
        change = {"file": file, "size": size, "sha256": sha, "issued_at": at.isoformat()}

        def commit(connection: sa.Connection) -> Letter:
            mine = (letters.c.id == letter.id) & (letters.c.status == "reserved")
            if connection.execute(sa.update(letters).where(mine).values(status="issued", **change)).rowcount:
                _append(connection, "issued", {"number": letter.number, **change}, at.isoformat())
            return _one(connection, letters.c.id == letter.id) or letter

        return self._database.transaction(commit)

    def void(self, letter: Letter, reason: str, at: datetime, by: str | None = None) -> Letter:
        """→ VOID; the row stays, its number is spent, and the same request may be made again. The first void holds."""
        change = {"void_reason": reason[:255], "voided_at": at.isoformat(), "voided_by": by and by[:120]}

        def commit(connection: sa.Connection) -> Letter:
            mine = (letters.c.id == letter.id) & (letters.c.status != "void")
            update = sa.update(letters).where(mine).values(status="void", same_in_session=None, **change)
            if connection.execute(update).rowcount:
                _append(connection, "voided", {"number": letter.number, **change}, at.isoformat())
            return _one(connection, letters.c.id == letter.id) or letter

        return self._database.transaction(commit)

    def by_code(self, code: str) -> Letter | None:
        """Looked up by the code's digest: how long it takes tells nothing about codes that exist."""
        return self._find(letters.c.code_digest == digest(code))

    def by_number(self, number: str) -> Letter | None:
        return self._find(letters.c.number == number)

    def by_sha256(self, sha: str) -> Letter | None:
        return self._find(letters.c.sha256 == sha)

    def of_day(self, day: date) -> list[Letter]:
        """The letters dated so, issued or void, oldest first."""
        return self.all((letters.c.day == day) & (letters.c.status != "reserved"))

    def reserved(self) -> list[Letter]:
        """What a crash left unfinished, oldest first."""
        return self.all(letters.c.status == "reserved")

    def all(self, where: sa.ColumnElement[bool] | None = None) -> list[Letter]:
        """Every letter, oldest first."""
        query = sa.select(letters).order_by(letters.c.id)
        with self._database.reading() as connection:
            rows = connection.execute(query if where is None else query.where(where))
            return [_letter(row) for row in rows.mappings()]

    def last_day(self) -> date | None:
        """The latest date on any letter."""
        with self._database.reading() as connection:
            day = connection.execute(sa.select(sa.func.max(letters.c.day))).scalar()
        return date.fromisoformat(day) if day else None

    def entries(self, after: int = 0, event: str | None = None) -> list[Entry]:
        """The entries after that one, in order; with `event`, only those."""
        query = sa.select(entries).where(entries.c.seq > after).order_by(entries.c.seq)
        with self._database.reading() as connection:
            rows = connection.execute(query if event is None else query.where(entries.c.event == event))
            return [Entry(**row) for row in rows.mappings()]

    def entry(self, seq: int) -> Entry | None:
        """One entry; the last for seq = -1."""
        query = sa.select(entries).order_by(entries.c.seq.desc()).limit(1)
        with self._database.reading() as connection:
            row = connection.execute(query if seq < 0 else query.where(entries.c.seq == seq)).mappings().one_or_none()
        return None if row is None else Entry(**row)

    def note(self, event: chain.Event, body: Mapping[str, Any], at: datetime) -> Entry:
        """Append an entry that changes no letter: key, signed, restored."""
        return self._database.transaction(lambda connection: _append(connection, event, body, at.isoformat()))

    def rows(self) -> tuple[list[dict[str, Any]], dict[tuple[str, int], int]]:
        """The raw rows of the letters, and the counters {(series, year): last}: what an audit compares."""
        with self._database.reading() as connection:
            found = connection.execute(sa.select(letters).order_by(letters.c.id)).mappings().all()
            counted = connection.execute(sa.select(counters)).all()
        return [dict(row) for row in found], {(row.series, row.year): row.last for row in counted}

    def replay(self, lost: Sequence[Entry]) -> None:
        """Enter again, exactly as they were, entries that follow on the last one here, and what they did.

        From the first on, they replace the beginning of a register that has no letter yet. Raises LedgerError.
        """

        def enter(connection: sa.Connection) -> None:
            if lost[0].seq == 1:
                _forget_beginning(connection)
            for one in lost:
                connection.execute(sa.insert(entries).values(**one.model_dump()))
                _set_counter(connection, "", 0, one.seq)
                _redo(connection, one)

        self._database.transaction(enter)

    def keep(self, row: Mapping[str, Any], source: str, at: datetime) -> None:
        """Enter a letter that only the archive knows. Raises LedgerError when its number is taken."""

        def enter(connection: sa.Connection) -> None:
            _redo(connection, _append(connection, "kept", {"letter": dict(row), "from": source}, at.isoformat()))

        self._database.transaction(enter)

    def skip(self, series: str, year: int, last: int, at: datetime) -> None:
        """Give no number up to `last`: they may be on letters that this register has lost."""

        def enter(connection: sa.Connection) -> None:
            _redo(
                connection,
                _append(connection, "skipped", {"series": series, "year": year, "last": last}, at.isoformat()),
            )

        self._database.transaction(enter)

    def mend(self, rows: Mapping[str, Mapping[str, Any]]) -> None:
        """Make the letters of these numbers say what their entries say; the guards are down for as long as it takes."""

        def put_back(connection: sa.Connection) -> None:
            unguard(connection)
            for number, row in rows.items():
                if not connection.execute(sa.update(letters).where(letters.c.number == number).values(**row)).rowcount:
                    connection.execute(sa.insert(letters).values(**row))
                _set_counter(connection, row["series"], row["year"], row["seq"])
            guard(connection)

        self._database.transaction(put_back)

    def _find(self, where: sa.ColumnElement[bool]) -> Letter | None:
        with self._database.reading() as connection:
            return _one(connection, where)


def _one(connection: sa.Connection, where: sa.ColumnElement[bool]) -> Letter | None:
    row = connection.execute(sa.select(letters).where(where)).mappings().one_or_none()
    return None if row is None else _letter(row)


def _known(connection: sa.Connection, request: Request) -> Letter | None:
    """The letter this request already has, its key noted. Raises KeyConflict."""
    if request.key_digest is not None:
        call = connection.execute(sa.select(calls).where(calls.c.idempotency_key == request.key_digest)).one_or_none()
        if call is not None:
            if call.request != request.digest:
                raise KeyConflict
            return _one(connection, letters.c.id == call.letter_id)
    if request.session_digest is None:
        return None
    letter = _one(connection, letters.c.same_in_session == request.session_digest)
    if letter is not None:
        _note_call(connection, request, letter.id)
    return letter


def _reserve(
    connection: sa.Connection, request: Request, day: date, at: datetime, number: Callable[[int], str], code: str
) -> tuple[Letter, bool]:
    # Taking the counter's row first makes everybody else of this series wait, so the question below has one answer.
    seq = _count(connection, request.series, day.year)
    if (known := _known(connection, request)) is not None:
        here = (counters.c.series == request.series) & (counters.c.year == day.year)
        connection.execute(sa.update(counters).where(here).values(last=counters.c.last - 1))
        return known, False
    row = _row(request, day, at, number(seq), code) | {"seq": seq}
    inserted = connection.execute(sa.insert(letters).values(**row))
    (letter_id,) = inserted.inserted_primary_key or (None,)
    _note_call(connection, request, letter_id)
    call = {"key": request.key_digest, "request": request.digest} if request.key_digest else None
    _append(connection, "reserved", {"letter": row, "call": call}, at.isoformat())
    letter = _one(connection, letters.c.id == letter_id)
    assert letter is not None
    return letter, True


def _row(request: Request, day: date, at: datetime, number: str, code: str) -> dict[str, Any]:
    """A reserved letter's columns, all but `seq`."""
    consent = request.consent
    return dict.fromkeys(COLUMNS) | {
        "letter_type": request.letter_type,
        "series": request.series,
        "year": day.year,
        "number": number,
        "day": day.isoformat(),
        "code": code,
        "code_digest": digest(code),
        "answers": json.dumps(request.values, ensure_ascii=False),
        "status": "reserved",
        "reserved_at": at.isoformat(),
        "same_in_session": request.session_digest,
        "approved_by": consent.approved_by and consent.approved_by[:120],
        "proposed_by": consent.proposed_by and consent.proposed_by[:120],
        "proposed": None if consent.proposed is None else canonical(consent.proposed),
        "approvals": canonical([one.model_dump() for one in consent.approvals]) if consent.approvals else None,
    }


def _note_call(connection: sa.Connection, request: Request, letter_id: int | None) -> None:
    if request.key_digest is not None:
        connection.execute(
            sa.insert(calls).values(idempotency_key=request.key_digest, request=request.digest, letter_id=letter_id)
        )


def _count(connection: sa.Connection, series: str, year: int) -> int:
    """The next number of a series, its row locked until the transaction ends."""
    here = (counters.c.series == series) & (counters.c.year == year)
    if connection.execute(sa.update(counters).where(here).values(last=counters.c.last + 1)).rowcount == 0:
        connection.execute(sa.insert(counters).values(series=series, year=year, last=1))
    return int(connection.execute(sa.select(counters.c.last).where(here)).scalar_one())


def _append(connection: sa.Connection, event: chain.Event, body: Mapping[str, Any], at: str) -> Entry:
    """The next entry. Its counter's row is the last lock that any transaction takes."""
    seq = _count(connection, "", 0)
    before = connection.execute(sa.select(entries.c.hash).where(entries.c.seq == seq - 1)).scalar()
    one = chain.entry(seq, event, at, body, before or chain.NOTHING)
    connection.execute(sa.insert(entries).values(**one.model_dump()))
    return one


def _forget_beginning(connection: sa.Connection) -> None:
    """Empty the entries of a register that was made when the real one was lost, and has no letter."""
    if connection.execute(sa.select(letters.c.id).limit(1)).first() is not None:
        raise LedgerError("the register has letters already: its entries are not replaced")
    unguard(connection)
    connection.execute(sa.delete(entries))
    connection.execute(sa.delete(counters))
    guard(connection)


def _redo(connection: sa.Connection, one: Entry) -> None:
    """Do to the letters what an entry says was done."""
    body = one.data
    if one.event in ("reserved", "kept"):
        row = body["letter"]
        inserted = connection.execute(sa.insert(letters).values(**row))
        _set_counter(connection, row["series"], row["year"], row["seq"])
        if call := body.get("call"):
            (letter_id,) = inserted.inserted_primary_key or (None,)
            values = {"idempotency_key": call["key"], "request": call["request"], "letter_id": letter_id}
            connection.execute(sa.insert(calls).values(**values))
    elif one.event in ("issued", "voided"):
        change = {name: value for name, value in body.items() if name != "number"}
        change |= {"status": "issued"} if one.event == "issued" else {"status": "void", "same_in_session": None}
        connection.execute(sa.update(letters).where(letters.c.number == body["number"]).values(**change))
    elif one.event == "skipped":
        _set_counter(connection, body["series"], body["year"], body["last"])


def _set_counter(connection: sa.Connection, series: str, year: int, least: int) -> None:
    """The series goes on after `least`, if it isn't further already."""
    here = (counters.c.series == series) & (counters.c.year == year)
    last = connection.execute(sa.select(counters.c.last).where(here)).scalar()
    if last is None:
        connection.execute(sa.insert(counters).values(series=series, year=year, last=least))
    elif last < least:
        connection.execute(sa.update(counters).where(here).values(last=least))


def _begin(connection: sa.Connection) -> None:
    """The chain's first entries: over the rows there, when an earlier version made the register."""
    if connection.execute(sa.select(counters.c.last).where(CHAIN)).scalar() is not None:
        return
    at = clock.now().isoformat()
    rows = connection.execute(sa.select(letters).order_by(letters.c.id)).mappings().all()
    _append(connection, "begun", {"register": secrets.token_hex(16), "letters": len(rows)}, at)
    for row in rows:
        _append(connection, "kept", {"letter": {name: row[name] for name in COLUMNS}, "from": "an earlier version"}, at)


def _letter(row: sa.RowMapping) -> Letter:
    own = set(Letter.model_fields) - {"values", "proposed", "approvals"}
    return Letter(
        **{name: row[name] for name in own},
        values=json.loads(row["answers"]),
        proposed=json.loads(row["proposed"]) if row["proposed"] else None,
        approvals=json.loads(row["approvals"]) if row["approvals"] else (),
    )
