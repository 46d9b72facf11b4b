"""Issues letters: reserve, render and sign, put on disk, commit, publish; finishes or voids what a crash left.

The order is what makes it safe. A number is taken in one transaction together with the frozen values; the file is
whole and on disk before the ledger says ISSUED; nothing is handed out before that. ledger.py tells of the states,
archive.py of the lock.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import re
import secrets
import signal
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from pydantic import BaseModel, ConfigDict

from servers.certificate import officekey, statementkey
from servers.certificate.archive import Archive
from servers.certificate.catalogue import Catalogue
from servers.certificate.ledger import KeyConflict, Ledger, LedgerError, Letter, Request
from servers.certificate.lettertype import LetterType
from servers.certificate.office import Office
from servers.certificate.settings import Settings
from servers.certificate.statement import sign, stated
from servers.common import clock

log = logging.getLogger(__name__)

# Where CERTIFICATE_CRASH_AT can make the process die as by kill -9, in the order they are passed.
CRASH_POINTS = (
    "before_reserve",  # nothing is written yet
    "in_reservation",  # number taken, transaction open
    "reserved",  # the row is RESERVED
    "rendered",  # the PDF is drawn, in memory
    "signed",  # and signed
    "written",  # a .part file, not synced
    "synced",  # a .part file on the disk
    "renamed",  # the file has its name, the row is still RESERVED
    "committed",  # ISSUED, nobody told yet
)

# Crockford's base 32: no I, L, O, U. 16 characters are 80 random bits.
CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class IssueError(Exception):
    """A letter can't be issued. `kind` is a stable name, the text an Indonesian sentence for the citizen."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(message)


class Issued(BaseModel):
    """A letter that exists: what `generate_…` answers. `path` is absolute, `date` ISO, `size` in bytes."""

    model_config = ConfigDict(frozen=True)

    number: str
    letter_type: str
    title: str
    date: str
    path: str
    file_name: str
    sha256: str
    size: int
    verify_code: str
    verify_url: str
    name_masked: str
    already_issued: bool
    warnings: list[str] = []


class LetterService:
    """The office's letters. Methods block and may be called from several threads and processes at once."""

    def __init__(self, settings: Settings, office: Office, catalogue: Catalogue) -> None:
        self.settings, self.office, self.catalogue = settings, office, catalogue
        self.ledger = Ledger(settings.database_url)
        self.archive = Archive(settings.archive)

    def close(self) -> None:
        self.ledger.close()

    def now(self) -> datetime:
        """The time in the office's zone."""
        return clock.now(self.settings.zone)

    def warm_up(self) -> None:
        """Load fonts, key and ledger, and finish what a crash left, so that the first letter takes no longer."""
        self._pages.glyphs()
        self.recover()

    def check(self, letter: LetterType, arguments: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
        """(canonical values, warnings). Raises lettertype.InvalidFields."""
        return letter.check(arguments, self.now().date(), self._pages.glyphs())

    def issue(
        self,
        letter: LetterType,
        arguments: Mapping[str, Any],
        idempotency_key: str | None = None,
        session_id: str | None = None,
        approved_by: str | None = None,
    ) -> Issued:
        """Issue a letter, or return the one this key or session already has for the same values.

        Raises lettertype.InvalidFields or IssueError; after either, nobody has been given a letter.
        """
        values, warnings = self.check(letter, arguments)
        request = Request(
            letter_type=letter.key,
            series=letter.series,
            values=values,
            idempotency_key=idempotency_key,
            session_id=session_id,
            approved_by=approved_by,
        )
        try:
            row, new = self._issue(request)
        except KeyConflict as error:
            raise IssueError(
                "idempotency_conflict",
                "Permintaan ini sudah pernah diproses dengan data lain. Ajukan sebagai permintaan baru.",
            ) from error
        except (LedgerError, OSError, officekey.OfficeKeyError) as error:
            log.error("a letter could not be issued: %s", error)
            raise IssueError(
                "unavailable", "Surat belum dapat diterbitkan karena gangguan sistem. Silakan coba lagi sebentar lagi."
            ) from error
        if row.status == "void" and new:
            raise IssueError("failed", "Surat tidak dapat dibuat. Petugas kantor sudah dapat melihatnya di register.")
        if row.status == "void":
            raise IssueError("voided", f"Surat nomor {row.number} untuk permintaan ini sudah dibatalkan.")
        return self._issued(row, letter, already=not new, warnings=warnings)

    def preview(self, letter: LetterType, arguments: Mapping[str, Any]) -> bytes:
        """A watermarked draft's PDF: no number, no signature, nothing recorded. Raises lettertype.InvalidFields."""
        values, _ = self.check(letter, arguments)
        return bytes(self._pages.render(letter, values, self.office, None, self.now().date()))

    def recover(self) -> None:
        """Finish or void every reserved letter nobody is working on, then sweep the folder."""
        self._load_key()  # or every letter would be voided for want of a key
        with self.archive.exclusive():
            self._finish_reserved()
            for name in self.archive.sweep({row.file for row in self.ledger.all() if row.file}):
                log.warning("no letter names %s: set aside in orphans/", name)

    def verify_url(self, code: str) -> str:
        return f"{(self.settings.verify_base_url or self.office.verify_base_url).rstrip('/')}/verify/{code}"

    @functools.cached_property
    def key_files(self) -> officekey.KeyFiles:
        """The office's key: the configured one, or its own, made at first use."""
        settings = self.settings
        if settings.key_file is None or settings.cert_file is None:
            return officekey.ensure(settings.office_dir, self.office.kelurahan, settings.passphrase)
        chain = settings.chain_file or settings.cert_file
        return officekey.KeyFiles(settings.key_file, settings.cert_file, (chain,), (chain,))

    def roots(self) -> tuple[Path, ...]:
        """The CA certificates our signatures lead to; makes nothing, so an office that never signed has none."""
        if self.settings.key_file is not None:
            return self.key_files.roots
        return officekey.roots(self.settings.office_dir)

    @functools.cached_property
    def statement_key(self) -> Ed25519PrivateKey:
        """The key of the QR codes' statements: the configured one, or the office's own, made at first use."""
        settings = self.settings
        if settings.statement_key_file is not None:
            return statementkey.load(settings.statement_key_file, settings.passphrase)
        return statementkey.ensure(settings.office_dir, settings.passphrase)

    def statement_keys(self) -> list[Ed25519PublicKey]:
        """The public keys that our statements lead to; makes nothing, like `roots`."""
        configured = [self.statement_key.public_key()] if self.settings.statement_key_file is not None else []
        return configured + statementkey.public_keys(self.settings.office_dir)

    def _issue(self, request: Request) -> tuple[Letter, bool]:
        self._load_key()  # a key that can't be used fails here, before a number is taken
        self._reached("before_reserve")
        with self.archive.shared():
            now = self.now()
            row, new = self.ledger.reserve(
                request, now.date(), now, lambda seq: self._number(seq, request.series, now), _new_code()
            )
            if new:
                self._reached("reserved")
                return self._finish(row), True
        if row.status != "reserved":
            return row, False
        # Somebody is at it, or died at it. Alone with the lock we know which: then nothing is left half done.
        with self.archive.exclusive():
            self._finish_reserved()
        return self._issue(request)

    def _load_key(self) -> None:
        _ = self._signer, self.statement_key

    def _number(self, seq: int, series: str, now: datetime) -> str:
        self._reached("in_reservation")
        return self.office.number(seq, series, now.date())

    def _finish_reserved(self) -> None:
        for row in self.ledger.reserved():
            self._finish(row)

    def _finish(self, row: Letter) -> Letter:
        """Render, sign, store and commit one reserved letter. What can never succeed becomes VOID and is returned."""
        letter = self.catalogue.types.get(row.letter_type)
        if letter is None:
            log.error("letter %s voided: its type %s is no longer offered", row.number, row.letter_type)
            return self.ledger.void(row, "jenis surat tidak lagi tersedia", self.now())
        try:
            issue = self._pages.Issue(
                number=row.number,
                day=row.day,
                code=row.code,
                verify_url=self.verify_url(row.code),
                statement=sign(stated(letter, row.values, row.number, row.day), self.statement_key),
            )
            pdf = self._pages.render(letter, row.values, self.office, issue, row.day)
            self._reached("rendered")
            pdf = self._signer.sign(pdf)
            self._reached("signed")
        except Exception as error:
            # Whatever a letter can't be drawn or signed for will be so next time too; the number must not hang.
            log.exception("letter %s voided: it can't be drawn or signed", row.number)
            return self.ledger.void(row, f"gagal dibuat ({type(error).__name__})", self.now())
        name = f"{row.year}/{row.letter_type}-{re.sub(r'[^A-Za-z0-9.]+', '-', row.number).strip('-.')}.pdf"
        self.archive.publish(name, pdf, self._reached)
        row = self.ledger.issued(row, name, len(pdf), hashlib.sha256(pdf).hexdigest(), self.now())
        self._reached("committed")
        return row

    def _issued(self, row: Letter, letter: LetterType, already: bool, warnings: list[str]) -> Issued:
        assert row.file is not None and row.sha256 is not None and row.size is not None
        path = self.archive.path(row.file)
        return Issued(
            number=row.number,
            letter_type=row.letter_type,
            title=letter.title,
            date=row.day.isoformat(),
            path=str(path),
            file_name=path.name,
            sha256=row.sha256,
            size=row.size,
            verify_code=row.code,
            verify_url=self.verify_url(row.code),
            name_masked=masked_name(letter, row.values),
            already_issued=already,
            warnings=warnings,
        )

    def _reached(self, point: str) -> None:
        if self.settings.crash_at == point:
            os.kill(os.getpid(), signal.SIGKILL)

    @functools.cached_property
    def _pages(self) -> Any:
        """The module page; imported when first needed, for reportlab takes 0.3 s."""
        from servers.certificate import page

        return page

    @functools.cached_property
    def _signer(self) -> Any:
        """The office's signer; pyHanko takes half a second to import."""
        from servers.certificate.signing import OfficeSigner

        return OfficeSigner(self.key_files, self.settings.passphrase, self.office.kelurahan)


def masked_name(letter: LetterType, values: Mapping[str, str]) -> str:
    """The applicant's name for people who only hold the code: each word's first letter."""
    name = next((values.get(key, "") for key, field in letter.fields.items() if field.kind == "person-name"), "")
    return " ".join(f"{word[0]}***" for word in name.split())


def normal_code(code: str) -> str:
    """A code as it is printed, however it was typed: case, spaces, O for 0, I or L for 1."""
    plain = re.sub(r"[\s-]", "", code.upper()).translate(str.maketrans("OIL", "011"))
    return "-".join(plain[start : start + 4] for start in range(0, len(plain), 4))


def _new_code() -> str:
    return normal_code("".join(secrets.choice(CODE_ALPHABET) for _ in range(16)))
