"""Issues letters: reserve, render and sign, write to disk, commit, publish; finishes or voids what a crash left.

The order makes it safe. A number is taken in one transaction together with the frozen values; the file is complete and
on disk before the ledger says ISSUED; nothing is handed out before that. ledger.py explains the states, archive.py the
lock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from servers.certificate.issuing.checks import Checks
from servers.certificate.issuing.drafting import Drafts, pages
from servers.certificate.issuing.finishing import Finisher
from servers.certificate.issuing.issued import Issued, IssueError, masked_name, new_code
from servers.certificate.issuing.keys import OfficeKeys
from servers.certificate.issuing.standing import NotNow
from servers.certificate.letters.basis import DECLARED, Basis
from servers.certificate.letters.catalogue import Catalogue
from servers.certificate.letters.lettertype import LetterType
from servers.certificate.messages import Message
from servers.certificate.office import Office
from servers.certificate.register import restored
from servers.certificate.register.archive import Archive
from servers.certificate.register.database import LedgerError
from servers.certificate.register.journal import Journal, JournalError
from servers.certificate.register.ledger import Ledger
from servers.certificate.register.records import NO_CONSENT, Consent, KeyConflict, Letter, Request
from servers.certificate.settings import Settings
from servers.certificate.signing import officekey
from servers.common import clock

log = logging.getLogger(__name__)


class LetterService:
    """Issues and voids the office's letters. Methods block; several threads and processes may call them at once."""

    def __init__(self, settings: Settings, office: Office, catalogue: Catalogue) -> None:
        self.settings, self.office, self.catalogue = settings, office, catalogue
        self.ledger = Ledger(settings.database_url)
        self.archive = Archive(settings.archive)
        self.journal = Journal(settings.archive)
        self.keys = OfficeKeys(settings, office.kelurahan, self.ledger, self.archive)
        self.checks = Checks(self.ledger, self.archive, self.journal, self.keys, self.now)
        verify_at = settings.verify_base_url or office.verify_base_url
        self._drafts = Drafts(office, catalogue, self.keys, verify_at)
        self._finisher = Finisher(self._drafts, self.ledger, self.archive, self.checks, self.now, settings.crash_at)

    def close(self) -> None:
        """Sign the register's head and close the register."""
        self._seal(self.checks.seal)
        self.ledger.close()

    def seal_daily(self) -> None:
        """Sign the register's head unless that was done today; failures are logged."""
        self._seal(self.checks.seal_daily)

    def _seal(self, seal: Callable[[], object]) -> None:
        try:
            if self.ledger.exists():
                seal()
        except (NotNow, LedgerError, JournalError, OSError, officekey.OfficeKeyError) as error:
            log.error("the register's head is not signed: %s", error)

    def now(self) -> datetime:
        """Return the time in the office's zone."""
        return clock.now(self.settings.zone)

    def warm_up(self) -> None:
        """Load fonts, key and ledger, and finish what a crash left, so that the first letter is as fast as others."""
        pages().glyphs()
        self.recover()

    def check(
        self, letter: LetterType, arguments: Mapping[str, Any], registered: Collection[str] = ()
    ) -> tuple[dict[str, str], list[str]]:
        """Return (canonical values, warnings). Raises fields.InvalidFields."""
        return letter.check(arguments, self.now().date(), pages().glyphs(), registered, self.office.language)

    def issue(
        self,
        letter: LetterType,
        arguments: Mapping[str, Any],
        idempotency_key: str | None = None,
        session_id: str | None = None,
        consent: Consent = NO_CONSENT,
        basis: Basis = DECLARED,
    ) -> Issued:
        """Issue a letter, or return the one this key or session already has for the same values.

        Raises fields.InvalidFields or IssueError; in both cases nobody has received a letter.
        """
        values, warnings = self.check(letter, arguments, basis.registered)
        request = Request(
            letter_type=letter.key,
            series=letter.series,
            values=values,
            idempotency_key=idempotency_key,
            session_id=session_id,
            consent=consent,
            basis=basis,
        )
        try:
            row, new = self._issue(request, letter)
        except KeyConflict as error:
            raise IssueError("idempotency_conflict") from error
        except NotNow as error:
            log.error("no letter is issued: %s", error)
            raise IssueError("refused") from error
        except (LedgerError, JournalError, OSError, officekey.OfficeKeyError) as error:
            log.error("a letter could not be issued: %s", error)
            raise self._unavailable(request) from error
        if row.status == "void" and new:
            raise IssueError("failed")
        if row.status == "void":
            raise IssueError("voided", number=row.number)
        return self._issued(row, letter, already=not new, warnings=warnings)

    def _unavailable(self, request: Request) -> IssueError:
        """The refusal; it tells the number of a letter that is reserved and so finished later."""
        refused = IssueError("unavailable")
        try:
            row = self.ledger.known(request)
        except (LedgerError, KeyConflict):
            return refused
        if row is not None and row.status == "reserved":
            refused.message = Message("issue_waiting", {"number": row.number})
        return refused

    def preview(self, letter: LetterType, arguments: Mapping[str, Any], basis: Basis = DECLARED) -> bytes:
        """Return a watermarked draft as PDF: no number, no signature, nothing recorded. Raises fields.InvalidFields."""
        values, _ = self.check(letter, arguments, basis.registered)
        return bytes(pages().render(letter, values, self.office, None, self.now().date(), basis))

    def void(self, row: Letter, reason: str, by: str | None = None) -> Letter:
        """Void a letter; if the journal can't be written now, the next write adds the entry."""
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
        """Return the fields whose meaning differs from what was proposed."""
        letter = self.catalogue.types.get(row.letter_type)
        if row.proposed is None or letter is None:
            return []
        return letter.changed(row.proposed, row.values, pages().glyphs(), row.registered)

    def recover(self) -> None:
        """Finish or void every reserved letter nobody is working on, then sweep the archive. Raises NotNow first."""
        self._load_key()  # otherwise every letter would be voided for lack of a key
        with self.archive.exclusive():
            self._require()
            self.checks.note_restore(restored.read(self.settings.home))
            self._finisher.finish_reserved()
            orphans = self.checks.orphans()
            for name in orphans:
                log.warning("no letter names %s: set aside in orphans/", name)
            self.archive.sweep(orphans)
            self.checks.follow()

    def finish_waiting(self) -> None:
        """Call `recover` if a letter is reserved; repeated while the server runs."""
        if self.ledger.exists() and self.ledger.reserved():
            self.recover()

    def _issue(self, request: Request, letter: LetterType) -> tuple[Letter, bool]:
        """(the letter, whether this call issued it). Calls itself once a reservation of another process is finished."""
        known = self.ledger.known(request)
        if known is not None and known.status != "reserved":
            return known, False
        self._load_key()  # an unusable key fails here, before a number is taken
        self._finisher.reached("before_reserve")
        with self.archive.shared():
            self._require()
            now = self.now()  # waiting for the lock may have taken until another day
            dated = request.model_copy(update={"valid_until": letter.valid_until(now.date(), self.office)})
            row, new = self.ledger.reserve(
                dated, now.date(), now, lambda seq: self._number(seq, letter, now), new_code()
            )
            if new:
                self._finisher.reached("reserved")
                self.checks.follow()
                return self._finisher.finish(row), True
        if row.status != "reserved":
            return row, False
        # Another process works on it or died doing so. With the exclusive lock it has died: finish the letter.
        with self.archive.exclusive():
            self._require()
            self._finisher.finish_reserved()
        return self._issue(request, letter)

    def _require(self) -> None:
        if restored.unfinished(self.settings.home.parent):
            raise LedgerError("a restore into this state folder was cut off: run `agentd restore` again")
        self.checks.require()

    def _load_key(self) -> None:
        _ = self.keys.signer, self.keys.statement

    def _number(self, seq: int, letter: LetterType, now: datetime) -> str:
        self._finisher.reached("in_reservation")
        return self.office.number(seq, letter.series, now.date(), letter.number_pattern)

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
            verify_url=self._drafts.verify_url(row.code),
            valid_until=row.valid_until.isoformat() if row.valid_until else None,
            name_masked=masked_name(letter, row.values),
            already_issued=already,
            warnings=warnings,
        )
