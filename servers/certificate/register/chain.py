"""The register's entries: every event of a letter, in order, each with the hash of the previous one. No I/O.

The table of letters is what the entries add up to (`fold`). So a row that was changed, inserted or deleted outside the
service differs from its entries, and a changed or lost entry breaks the chain.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal

from pydantic import BaseModel

from hardening.texts import canonical

Event = Literal["begun", "kept", "key", "reserved", "issued", "voided", "signed", "skipped", "restored"]
NOTHING = "0" * 64
"""The `previous` hash of the first entry."""
ENDS: Mapping[Event, Mapping[str, Any]] = {
    "issued": {"status": "issued"},
    "voided": {"status": "void", "same_in_session": None},
}
"""{event that ends a letter's reservation or force: the columns that it sets besides those of its body}."""


class Entry(BaseModel, frozen=True):
    """One entry. `seq` counts from 1 without gap, `at` is ISO 8601, `body` canonical JSON (see `canonical`).

    | event | body |
    |---|---|
    | begun | register (a random id), letters (how many rows there were: a register of an earlier version) |
    | kept | letter: a whole row, of an earlier version or re-entered from the archive (then `from` says so) |
    | key | certificate, roots: PEM; whose signature the register's letters have from here on |
    | reserved | letter: the row as frozen; call: digests of the idempotency key and of the request, or null |
    | issued | number, file, size, sha256, issued_at |
    | voided | number, void_reason, voided_at, voided_by |
    | signed | seq, hash of the entry before; key: SHA-256 of the certificate; signature: base64 |
    | skipped | series, year, last: numbers up to `last` are not given, for they may be on lost letters |
    | restored | backup_made_at: the state was put back from a backup of that time |
    """

    seq: int
    event: Event
    at: str
    body: str
    previous: str
    hash: str

    @property
    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.body)
        return data


def entry(seq: int, event: Event, at: str, body: Mapping[str, Any], previous: str) -> Entry:
    """Create the entry with its hash."""
    text = canonical(body)
    return Entry(
        seq=seq, event=event, at=at, body=text, previous=previous, hash=digest(previous, str(seq), event, at, text)
    )


def digest(*parts: str) -> str:
    """Return the SHA-256 of the parts, in hex; the ledger also uses it to look up codes and keys."""
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def faults(entries: Iterable[Entry]) -> list[str]:
    """Describe where the chain is broken; empty if it is intact."""
    found, seq, previous = [], 0, NOTHING
    for one in entries:
        if one.seq != seq + 1:
            found.append(f"entries {seq + 1} to {one.seq - 1} are gone")
        elif one.previous != previous:
            found.append(f"entry {one.seq} ({one.event}) does not follow entry {seq}: one of them was replaced")
        if one.hash != digest(one.previous, str(one.seq), one.event, one.at, one.body):
            found.append(f"entry {one.seq} ({one.event}) was changed")
        seq, previous = one.seq, one.hash
    return found


def fold(entries: Iterable[Entry]) -> dict[str, dict[str, Any]]:
    """Return the rows that the entries add up to, as {number: row}; a row's keys are columns of the table `letters`."""
    rows: dict[str, dict[str, Any]] = {}
    for one in entries:
        body = one.data
        if one.event in ("kept", "reserved"):
            rows[body["letter"]["number"]] = body["letter"]
        elif one.event in ENDS and body["number"] in rows:
            rows[body["number"]] = {**rows[body["number"]], **body, **ENDS[one.event]}
    return rows


def statement(register: str, seq: int, sha: str) -> bytes:
    """Return the bytes that the office's key signs as the head of its register."""
    return f"agentd register head\n{register}\n{seq}\n{sha}\n".encode()
