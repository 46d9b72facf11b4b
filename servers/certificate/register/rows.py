"""The steps of the register's transactions on a connection: rows, numbers, entries. Manages no transaction itself."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from hardening.texts import canonical
from servers.certificate.register import chain
from servers.certificate.register.chain import Entry, digest
from servers.certificate.register.database import LedgerError
from servers.certificate.register.records import KeyConflict, Letter, Request
from servers.certificate.register.tables import CHAIN, COLUMNS, calls, counters, entries, guard, letters, unguard
from servers.common import clock


def find_one(connection: sa.Connection, where: sa.ColumnElement[bool]) -> Letter | None:
    row = connection.execute(sa.select(letters).where(where)).mappings().one_or_none()
    return None if row is None else Letter.model_validate(row)


def known_letter(connection: sa.Connection, request: Request) -> Letter | None:
    """Return the letter this request already has, and record its key. Raises KeyConflict."""
    if request.key_digest is not None:
        call = connection.execute(sa.select(calls).where(calls.c.idempotency_key == request.key_digest)).one_or_none()
        if call is not None:
            if call.request != request.digest:
                raise KeyConflict
            return find_one(connection, letters.c.id == call.letter_id)
    if request.session_digest is None:
        return None
    letter = find_one(connection, letters.c.same_in_session == request.session_digest)
    if letter is not None:
        _note_call(connection, request, letter.id)
    return letter


def reserve_letter(
    connection: sa.Connection, request: Request, day: date, at: datetime, number: Callable[[int], str], code: str
) -> tuple[Letter, bool]:
    """(the request's letter, whether it was reserved now). The next `number` of its series goes to a new one alone."""
    # Locking the counter's row first makes other requests of this series wait, so the check below is reliable.
    seq = _count(connection, request.series, day.year)
    if (known := known_letter(connection, request)) is not None:
        here = (counters.c.series == request.series) & (counters.c.year == day.year)
        connection.execute(sa.update(counters).where(here).values(last=counters.c.last - 1))
        return known, False
    row = _row(request, day, at, number(seq), code) | {"seq": seq}
    inserted = connection.execute(sa.insert(letters).values(**row))
    (letter_id,) = inserted.inserted_primary_key or (None,)
    _note_call(connection, request, letter_id)
    call = {"key": request.key_digest, "request": request.digest} if request.key_digest else None
    append_entry(connection, "reserved", {"letter": row, "call": call}, at.isoformat())
    letter = find_one(connection, letters.c.id == letter_id)
    assert letter is not None
    return letter, True


def _row(request: Request, day: date, at: datetime, number: str, code: str) -> dict[str, Any]:
    """Return a reserved letter's columns, without `seq`."""
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
        "basis": canonical(request.basis.model_dump()),
        "valid_until": request.valid_until.isoformat() if request.valid_until else None,
        "approvals": canonical([one.model_dump() for one in consent.approvals]) if consent.approvals else None,
    }


def _note_call(connection: sa.Connection, request: Request, letter_id: int | None) -> None:
    if request.key_digest is not None:
        connection.execute(
            sa.insert(calls).values(idempotency_key=request.key_digest, request=request.digest, letter_id=letter_id)
        )


def _count(connection: sa.Connection, series: str, year: int) -> int:
    """Return the next number of a series and lock its row until the transaction ends."""
    here = (counters.c.series == series) & (counters.c.year == year)
    if connection.execute(sa.update(counters).where(here).values(last=counters.c.last + 1)).rowcount == 0:
        connection.execute(sa.insert(counters).values(series=series, year=year, last=1))
    return int(connection.execute(sa.select(counters.c.last).where(here)).scalar_one())


def append_entry(connection: sa.Connection, event: chain.Event, body: Mapping[str, Any], at: str) -> Entry:
    """Append the next entry. Its counter's row is the last lock that any transaction takes."""
    seq = _count(connection, "", 0)
    before = connection.execute(sa.select(entries.c.hash).where(entries.c.seq == seq - 1)).scalar()
    one = chain.entry(seq, event, at, body, before or chain.NOTHING)
    connection.execute(sa.insert(entries).values(**one.model_dump()))
    return one


def forget_beginning(connection: sa.Connection) -> None:
    """Delete the entries of a register that replaced a lost one and has no letters. Raises LedgerError if it has."""
    if connection.execute(sa.select(letters.c.id).limit(1)).first() is not None:
        raise LedgerError("the register has letters already: its entries are not replaced")
    unguard(connection)
    connection.execute(sa.delete(entries))
    connection.execute(sa.delete(counters))
    guard(connection)


def redo(connection: sa.Connection, one: Entry) -> None:
    """Apply an entry's event to the letters."""
    body = one.data
    if one.event in ("reserved", "kept"):
        row = body["letter"]
        inserted = connection.execute(sa.insert(letters).values(**row))
        set_counter(connection, row["series"], row["year"], row["seq"])
        if call := body.get("call"):
            (letter_id,) = inserted.inserted_primary_key or (None,)
            values = {"idempotency_key": call["key"], "request": call["request"], "letter_id": letter_id}
            connection.execute(sa.insert(calls).values(**values))
    elif one.event in chain.ENDS:
        change = {**body, **chain.ENDS[one.event]}
        connection.execute(sa.update(letters).where(letters.c.number == body["number"]).values(**change))
    elif one.event == "skipped":
        set_counter(connection, body["series"], body["year"], body["last"])


def set_counter(connection: sa.Connection, series: str, year: int, least: int) -> None:
    here = (counters.c.series == series) & (counters.c.year == year)
    last = connection.execute(sa.select(counters.c.last).where(here)).scalar()
    if last is None:
        connection.execute(sa.insert(counters).values(series=series, year=year, last=least))
    elif last < least:
        connection.execute(sa.update(counters).where(here).values(last=least))


def begin_chain(connection: sa.Connection) -> None:
    """Append the chain's first entries, including existing rows if an earlier version created the register."""
    if connection.execute(sa.select(counters.c.last).where(CHAIN)).scalar() is not None:
        return
    at = clock.now().isoformat()
    rows = connection.execute(sa.select(letters).order_by(letters.c.id)).mappings().all()
    append_entry(connection, "begun", {"register": secrets.token_hex(16), "letters": len(rows)}, at)
    for row in rows:
        append_entry(
            connection, "kept", {"letter": {name: row[name] for name in COLUMNS}, "from": "an earlier version"}, at
        )
