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
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from pydantic import BaseModel, ConfigDict

from servers.certificate import officekey, restored
from servers.certificate.archive import Archive, file_name
from servers.certificate.catalogue import Catalogue
from servers.certificate.checks import Checks
from servers.certificate.database import LedgerError
from servers.certificate.journal import Journal, JournalError
from servers.certificate.keys import OfficeKeys
from servers.certificate.ledger import Ledger
from servers.certificate.lettertype import LetterType
from servers.certificate.office import Office
from servers.certificate.records import Consent, KeyConflict, Letter, Request
from servers.certificate.settings import Settings
from servers.certificate.standing import NotNow
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
        self.journal = Journal(settings.archive)
        self.keys = OfficeKeys(settings, office.kelurahan, self.ledger, self.archive)
        self.checks = Checks(self.ledger, self.archive, self.journal, self.keys, self.now)

    def close(self) -> None:
        """Sign the register's head, then let go of it."""
        self._seal(self.checks.seal)
        self.ledger.close()

    def seal_daily(self) -> None:
        """Sign the register's head unless that was done today; what prevents it is logged."""
        self._seal(self.checks.seal_daily)

    def _seal(self, seal: Callable[[], object]) -> None:
        try:
            if self.ledger.exists():
                seal()
        except (NotNow, LedgerError, JournalError, OSError, officekey.OfficeKeyError) as error:
            log.error("the register's head is not signed: %s", error)

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
        consent: Consent = Consent(),  # noqa: B008 - frozen
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
            consent=consent,
        )
        try:
            row, new = self._issue(request)
        except KeyConflict as error:
            raise IssueError(
                "idempotency_conflict",
                "Permintaan ini sudah pernah diproses dengan data lain. Ajukan sebagai permintaan baru.",
            ) from error
        except NotNow as error:
            log.error("no letter is issued: %s", error)
            raise IssueError(
                "refused", "Surat belum dapat diterbitkan: register surat perlu diperiksa petugas kantor lebih dahulu."
            ) from error
        except (LedgerError, JournalError, OSError, officekey.OfficeKeyError) as error:
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

    def void(self, row: Letter, reason: str, by: str | None = None) -> Letter:
        """Void a letter; the journal hears of it now or, if it can't be written, with the next entry."""
        self._follow()
        row = self.ledger.void(row, reason, self.now(), by)
        self._follow()
        return row

    def _follow(self) -> None:
        try:
            self.checks.follow()
        except (NotNow, JournalError, OSError) as error:
            log.error("the register's journal is not written: %s", error)

    def changed(self, row: Letter) -> list[str]:
        """The fields in which a letter says something else than was proposed, however it was written."""
        letter = self.catalogue.types.get(row.letter_type)
        if row.proposed is None or letter is None:
            return []
        return letter.changed(row.proposed, row.values, row.day, self._pages.glyphs())

    def recover(self) -> None:
        """Finish or void every reserved letter nobody is working on, then sweep the folder. Raises NotNow first."""
        self._load_key()  # or every letter would be voided for want of a key
        with self.archive.exclusive():
            self._require()
            self.checks.note_restore(restored.read(self.settings.home))
            self._finish_reserved()
            strangers = self.checks.strangers()
            for name in strangers:
                log.warning("no letter names %s: set aside in orphans/", name)
            self.archive.sweep(strangers)
            self.checks.follow()

    def finish_waiting(self) -> None:
        """What `recover` does, if a letter is reserved: tried again while the server runs."""
        if self.ledger.exists() and self.ledger.reserved():
            self.recover()

    def verify_url(self, code: str) -> str:
        return f"{(self.settings.verify_base_url or self.office.verify_base_url).rstrip('/')}/verify/{code}"

    @property
    def key_files(self) -> officekey.KeyFiles:
        """The office's key: the configured one, or its own, made at first use."""
        return self.keys.files

    @property
    def statement_key(self) -> Ed25519PrivateKey:
        """The key of the QR codes' statements: the configured one, or the office's own, made at first use."""
        return self.keys.statement

    def statement_keys(self) -> list[Ed25519PublicKey]:
        """The public keys that our statements lead to, of the key folder and of the register."""
        return self.keys.statement_keys()

    def _issue(self, request: Request) -> tuple[Letter, bool]:
        known = self.ledger.known(request)
        if known is not None and known.status != "reserved":
            return known, False
        self._load_key()  # a key that can't be used fails here, before a number is taken
        self._reached("before_reserve")
        with self.archive.shared():
            self._require()
            now = self.now()
            row, new = self.ledger.reserve(
                request, now.date(), now, lambda seq: self._number(seq, request.series, now), _new_code()
            )
            if new:
                self._reached("reserved")
                self.checks.follow()
                return self._finish(row), True
        if row.status != "reserved":
            return row, False
        # Somebody is at it, or died at it. Alone with the lock we know which: then nothing is left half done.
        with self.archive.exclusive():
            self._require()
            self._finish_reserved()
        return self._issue(request)

    def _require(self) -> None:
        if restored.unfinished(self.settings.home.parent):
            raise LedgerError("a restore into this state folder was cut off: run `agentd restore` again")
        self.checks.require()

    def _load_key(self) -> None:
        _ = self._signer, self.statement_key

    def _number(self, seq: int, series: str, now: datetime) -> str:
        self._reached("in_reservation")
        return self.office.number(seq, series, now.date())

    def _finish_reserved(self) -> None:
        """All of them, also when one has to wait: its error is raised at the end."""
        waiting: Exception | None = None
        for row in self.ledger.reserved():
            try:
                self._finish(row)
            except officekey.SigningWaits:
                raise  # the others would wait for the same, one time limit after another
            except (OSError, MemoryError) as error:
                waiting = error
        if waiting is not None:
            raise waiting

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
        except (OSError, MemoryError) as error:
            # The machine's fault, not the letter's: it keeps its number and is drawn at the next try.
            log.error("letter %s stays reserved: %s", row.number, error)
            raise
        except Exception as error:
            # Whatever a letter can't be drawn or signed for will be so next time too; the number must not hang.
            log.exception("letter %s voided: it can't be drawn or signed", row.number)
            return self.ledger.void(row, f"gagal dibuat ({type(error).__name__})", self.now())
        name = file_name(row)
        self.archive.publish(name, pdf, self._reached)
        row = self.ledger.issued(row, name, len(pdf), hashlib.sha256(pdf).hexdigest(), self.now())
        self._reached("committed")
        self.checks.follow()
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

    @property
    def _signer(self) -> Any:
        return self.keys.signer


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
