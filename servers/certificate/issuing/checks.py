"""Checks before issuing that register, journal, archive, key and clock agree; maintains the journal.

standing.py describes what disagrees. Issues nothing.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from servers.certificate.issuing import standing
from servers.certificate.issuing.keys import OfficeKeys
from servers.certificate.issuing.standing import NotNow, Refusal
from servers.certificate.register import chain
from servers.certificate.register.archive import Archive, file_name
from servers.certificate.register.chain import Entry
from servers.certificate.register.journal import Journal, Tail
from servers.certificate.register.ledger import Ledger
from servers.certificate.register.restored import Restored

log = logging.getLogger(__name__)

AFTER_THE_FIRST_LETTER = {"reserved", "issued", "voided", "signed", "skipped"}
"""Events that are recorded only if there is a journal."""


class Checks:
    """Checks of one office's register against its archive. The methods block."""

    def __init__(
        self, ledger: Ledger, archive: Archive, journal: Journal, keys: OfficeKeys, now: Callable[[], datetime]
    ) -> None:
        self._ledger, self._archive, self._journal, self._keys, self._now = ledger, archive, journal, keys, now
        self._unknown: list[str] | None = None

    def require(self) -> None:
        """Raise NotNow if a letter issued now could be wrong; also raises JournalError, OfficeKeyError, OSError."""
        for check in (self.journal_fits, self._archive_fits, self._key_fits, self._clock_fits):
            if (refusal := check()) is not None:
                raise NotNow(refusal)
        self._keys.remember(self._now())
        self.follow()

    def refusals(self) -> Iterator[Refusal]:
        """Yield everything that disagrees, changing nothing."""
        self._unknown = None
        for check in (self.journal_fits, self._archive_fits, self._key_fits, self._clock_fits):
            try:
                refusal = check()
            except NotNow as error:
                refusal = error.refusal
            if refusal is not None:
                yield refusal

    def follow(self) -> None:
        """Append the register's new entries to the journal. Raises NotNow, JournalError, OSError."""

        def later(tail: Tail) -> Sequence[Entry]:
            entries = self._ledger.entries(after=tail.seq)
            if (refusal := self._compare(tail, entries)) is not None:
                raise NotNow(refusal)
            return entries

        self._journal.follow(later)

    def rewrite_journal(self) -> None:
        """Recreate what the journal lost from the register."""
        self._journal.follow(lambda tail: self._ledger.entries(after=tail.seq))

    def seal(self) -> bool:
        """Sign the register's head if anything changed since; return whether it was signed. Raises as `require`."""
        last, first = self._ledger.entry(-1), self._ledger.entry(1)
        if last is None or first is None or last.event == "signed" or self._ledger.last_day() is None:
            return False
        if (refusal := self.journal_fits() or self._key_fits()) is not None:
            raise NotNow(refusal)
        self._keys.remember(self._now())
        signature = self._keys.signer.statement(chain.statement(first.data["register"], last.seq, last.hash))
        key = self._keys.known()[-1].fingerprint
        body = {"seq": last.seq, "hash": last.hash, "key": key, "signature": base64.b64encode(signature).decode()}
        self._ledger.note("signed", body, self._now())
        self.follow()
        return True

    def seal_daily(self) -> None:
        """Call `seal`, unless the head was signed today."""
        signed = self._ledger.entries(event="signed")
        if not signed or datetime.fromisoformat(signed[-1].at).date() != self._now().date():
            self.seal()

    def note_restore(self, restored: Restored | None) -> None:
        """Record in the register that it was restored from a backup."""
        noted = [one.data["restored_at"] for one in self._ledger.entries(event="restored")]
        if restored is None or restored.restored_at in noted:
            return
        log.warning("the register was put back from a backup of %s", restored.backup_made_at)
        self._ledger.note("restored", restored.model_dump(), self._now())

    def journal_fits(self) -> Refusal | None:
        """Compare register and journal while no reserved letter can be finished. Raises JournalError, OSError."""
        with self._journal.unchanging() as tail:
            return self._compare(tail, self._ledger.entries(after=tail.seq))

    def unknown_letters(self) -> list[str]:
        """Return signed letters in the archive that no row names and no unfinished row could have written."""
        orphans = self.orphans()
        if not orphans:
            return []
        from servers.certificate.signing.signing import examine

        roots = self._keys.roots()
        findings = {name: examine(self._archive.path(name).read_bytes(), roots) for name in orphans}
        return [name for name, finding in findings.items() if finding in ("intact", "foreign")]

    def orphans(self) -> list[str]:
        """Return PDFs in the archive that no row names and no unfinished row could have written."""
        rows = self._ledger.all()
        named = {row.file or file_name(row) for row in rows}
        return [name for name in self._archive.names() if name not in named]

    def _compare(self, tail: Tail, later: Sequence[Entry]) -> Refusal | None:
        """Compare the journal's end with the register, whose entries after it are `later`."""
        last = tail.last
        here = self._ledger.entry(last.seq) if last is not None else self._ledger.entry(-1)
        journaled = last is None and any(one.event in AFTER_THE_FIRST_LETTER for one in later)
        return standing.register_behind(last, here, journaled) or standing.journal_cut(tail, later)

    def _archive_fits(self) -> Refusal | None:
        if self._unknown is None or self._unknown:  # look again at earlier findings: they may have been repaired
            self._unknown = self.unknown_letters()
        return standing.archive_ahead(self._unknown)

    def _key_fits(self) -> Refusal | None:
        if not self._keys.exist() and self._ledger.last_day() is None:
            return None  # a new office: its key is created at first use, not by checking
        return None if self._keys.belongs() else standing.foreign_key(str(self._keys.files.cert), self._keys.shared)

    def _clock_fits(self) -> Refusal | None:
        return standing.clock_behind(self._now().date(), self._ledger.last_day())
