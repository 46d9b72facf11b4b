"""Decides whether a letter is genuine, by its code or its file, and says why not. Changes nothing.

A QR code contains the address and, after a `#`, a signed statement; then the result includes what the genuine paper
says. A file is genuine only if the ledger has its exact bytes, the letter isn't void, and the office's signature is
intact and covers all of it. Results for an unknown code reveal nothing else.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from typing import Literal

from pydantic import BaseModel

from servers.certificate.issuing.issued import masked_name, normal_code
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.register.database import LedgerError
from servers.certificate.register.records import Letter
from servers.certificate.signing.statement import Statement, StatementError, read, stated

Verdict = Literal["genuine", "voided", "tampered", "unknown", "unconfirmed"]


class Paper(BaseModel, frozen=True):
    """What the genuine paper says by the signed statement in its QR code. `date` is ISO; empty: the letter has none."""

    letter_type: str
    title: str
    number: str
    date: str
    name: str
    nik_last4: str
    purpose: str
    valid_until: str = ""


class Verification(BaseModel, frozen=True):
    """What `verify_letter` answers. The letter's own fields are null unless the ledger knows it.

    `cause` is a stable name for `reason`: a key of `[verification]` in languages/*.toml, its sentence in the office's
    language. `paper` is null unless a genuine statement was asked about. `unconfirmed`: the statement is genuine, and
    the register couldn't be asked.
    """

    status: Verdict
    genuine: bool
    reason: str
    cause: str
    letter_type: str | None = None
    title: str | None = None
    number: str | None = None
    date: str | None = None
    valid_until: str | None = None
    name_masked: str | None = None
    sha256: str | None = None
    voided_at: str | None = None
    void_reason: str | None = None
    paper: Paper | None = None


class Verifier:
    """Verifies letters against one office's ledger and keys."""

    def __init__(self, service: LetterService) -> None:
        self._service = service

    def code(self, code: str) -> Verification:
        """Verify the code printed on a letter, or the address in its QR code, with the statement after it if any."""
        address, _, text = code.partition("#")
        if text:
            return self.statement(text.strip(), address)
        row = self._service.ledger.by_code(_code_of(address))
        if row is None or row.status == "reserved":
            return self._refused("unknown", "unknown_code")
        return self._known(row)

    def statement(self, text: str, address: str = "") -> Verification:
        """Verify the signed statement of a QR code; the `address` before it must belong to the same letter."""
        try:
            statement = read(text, self._service.keys.statement_keys())
        except StatementError as error:
            return self._refused("tampered", error.fault)
        paper, ledger, code = self._paper(statement), self._service.ledger, _code_of(address)
        try:
            row = ledger.by_code(code) if code else ledger.by_number(statement.number)
        except LedgerError:
            return self._refused("unconfirmed", "unconfirmed", paper)
        if row is None or row.status == "reserved":
            return self._refused("unknown", "statement_alone", paper)
        if not self._says(row, statement):
            return self._refused("tampered", "statement_elsewhere")
        return self._known(row).model_copy(update={"paper": paper})

    def file(self, pdf: bytes) -> Verification:
        """Verify a letter's PDF by its bytes in the register and its signature."""
        from servers.certificate.signing.signing import examine

        row = self._service.ledger.by_sha256(hashlib.sha256(pdf).hexdigest())
        if row is None:
            return self._unknown_file(pdf)
        finding = examine(pdf, self._service.keys.roots())
        if finding == "foreign":  # the bytes are the office's own, so its certificate is missing
            return self._refused("unknown", "no_certificate")
        if finding != "intact":
            return self._refused("tampered", finding)
        return self._known(row)

    def _unknown_file(self, pdf: bytes) -> Verification:
        """Say what is wrong with a file that the register doesn't know; a process that can be ended reads it."""
        from servers.certificate.verifying import unknown_files

        finding = unknown_files.shared().examine(pdf, self._service.keys.roots())
        if finding in ("changed", "unreadable") and self._begins_with_a_letter(pdf):
            finding = "appended"
        return self._refused("tampered" if finding in ("unreadable", "changed", "appended") else "unknown", finding)

    def _refused(self, status: Verdict, cause: str, paper: Paper | None = None) -> Verification:
        reason = self._service.office.speech.verification[cause]
        return Verification(status=status, genuine=False, reason=reason, cause=cause, paper=paper)

    def _begins_with_a_letter(self, pdf: bytes) -> bool:
        """Return whether the file, cut at one of its first end-of-file marks, is a letter of ours."""
        ends = itertools.islice(re.finditer(rb"%%EOF\r?\n?", pdf), 4)
        return any(self._service.ledger.by_sha256(hashlib.sha256(pdf[: end.end()]).hexdigest()) for end in ends)

    def _paper(self, statement: Statement) -> Paper:
        letter = self._service.catalogue.types.get(statement.letter_type)
        title = letter.title if letter else statement.letter_type
        until = statement.valid_until.isoformat() if statement.valid_until else ""
        same = statement.model_dump(exclude={"day", "valid_until"})
        return Paper(title=title, date=statement.day.isoformat(), valid_until=until, **same)

    def _says(self, row: Letter, statement: Statement) -> bool:
        """Return whether the register agrees; without its type or values, only the row's own columns are compared."""
        letter = self._service.catalogue.types.get(row.letter_type)
        if letter is not None and row.values:  # a letter re-entered from its PDF has no values
            return stated(letter, row.values, row.number, row.day, row.valid_until) == statement
        return (row.letter_type, row.number, row.day) == (statement.letter_type, statement.number, statement.day)

    def _known(self, row: Letter) -> Verification:
        letter = self._service.catalogue.types.get(row.letter_type)
        title = letter.title if letter else row.letter_type
        void = row.status == "void"
        until = row.valid_until or (None if row.basis else self._service.office.valid_until(row.day))
        cause = "voided" if void else "valid"
        if not void and until is not None and until < self._service.now().date():
            cause = "expired"
        speech = self._service.office.speech
        reason = speech.verification[cause]
        return Verification(
            status="voided" if void else "genuine",
            genuine=not void,
            reason=reason.format(title=title, number=row.number, date=speech.date(until) if until else ""),
            cause=cause,
            letter_type=row.letter_type,
            title=title,
            number=row.number,
            date=row.day.isoformat(),
            valid_until=until.isoformat() if until else None,
            name_masked=masked_name(letter, row.values) if letter else None,
            sha256=row.sha256,
            voided_at=row.voided_at,
            void_reason=row.void_reason,
        )


def _code_of(address: str) -> str:
    """Return the code at the end of an address, or one typed alone."""
    return normal_code(address.strip().rstrip("/").rpartition("/")[2])
