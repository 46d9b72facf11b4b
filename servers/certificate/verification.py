"""Says whether a letter is genuine, by its code or by its file, and why not. Changes nothing.

A file is genuine only if the ledger knows its exact bytes, the letter isn't void, and the office's signature is
unbroken and covers all of it. Answers about a code that doesn't exist say nothing else.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from typing import Literal

from pydantic import BaseModel, ConfigDict

from servers.certificate.issuing import LetterService, masked_name, normal_code
from servers.certificate.ledger import Letter
from servers.certificate.lettertype import indonesian_date

Verdict = Literal["genuine", "voided", "tampered", "unknown"]

REASONS = {
    "not_pdf": "Berkas ini bukan PDF.",
    "unsigned": "Berkas ini tidak memuat tanda tangan elektronik.",
    "changed": "Isi berkas ini sudah berubah sejak ditandatangani.",
    "appended": "Ada yang ditambahkan pada berkas ini setelah ditandatangani.",
    "foreign": "Berkas ini tidak ditandatangani oleh kantor ini.",
    "intact": "Tanda tangannya utuh, tetapi surat ini tidak terdaftar pada kantor ini.",
}
UNKNOWN_CODE = "Kode ini tidak terdaftar."


class Verification(BaseModel):
    """What `verify_letter` answers. The letter's own fields are null unless the ledger knows it."""

    model_config = ConfigDict(frozen=True)

    status: Verdict
    genuine: bool
    reason: str
    letter_type: str | None = None
    title: str | None = None
    number: str | None = None
    date: str | None = None
    valid_until: str | None = None
    name_masked: str | None = None
    sha256: str | None = None
    voided_at: str | None = None
    void_reason: str | None = None


class Verifier:
    """Verification against one office's ledger and keys."""

    def __init__(self, service: LetterService) -> None:
        self._service = service

    def code(self, code: str) -> Verification:
        """By the code printed on the letter or in its QR; the whole address is taken too."""
        row = self._service.ledger.by_code(normal_code(code.rstrip("/").rpartition("/")[2]))
        if row is None or row.status == "reserved":
            return Verification(status="unknown", genuine=False, reason=UNKNOWN_CODE)
        return self._known(row)

    def file(self, pdf: bytes) -> Verification:
        """By the file itself."""
        from servers.certificate.signing import examine, load_roots

        finding = examine(pdf, load_roots(self._service.roots())).finding
        row = self._service.ledger.by_sha256(hashlib.sha256(pdf).hexdigest())
        if row is None:
            if finding == "changed" and self._begins_with_a_letter(pdf):
                finding = "appended"
            status: Verdict = "tampered" if finding in ("changed", "appended") else "unknown"
            return Verification(status=status, genuine=False, reason=REASONS[finding])
        if finding != "intact":
            return Verification(status="tampered", genuine=False, reason=REASONS[finding])
        return self._known(row)

    def _begins_with_a_letter(self, pdf: bytes) -> bool:
        """Whether cutting the file at one of its first ends of file leaves a letter of ours."""
        ends = itertools.islice(re.finditer(rb"%%EOF\r?\n?", pdf), 4)
        return any(self._service.ledger.by_sha256(hashlib.sha256(pdf[: end.end()]).hexdigest()) for end in ends)

    def _known(self, row: Letter) -> Verification:
        letter = self._service.catalogue.types.get(row.letter_type)
        title = letter.title if letter else row.letter_type
        void = row.status == "void"
        until = self._service.office.valid_until(row.day)
        if void:
            state = "sudah dibatalkan"
        elif until is not None and until < self._service.now().date():
            state = f"asli, tetapi masa berlakunya habis pada {indonesian_date(until)}"
        else:
            state = "asli dan masih berlaku"
        return Verification(
            status="voided" if void else "genuine",
            genuine=not void,
            reason=f"{title} nomor {row.number} {state}.",
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
