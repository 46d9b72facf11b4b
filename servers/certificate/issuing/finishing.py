"""Finishes a letter that has its number: draws, signs, stores and commits it. Assigns no number.

A letter that can never be drawn or signed becomes VOID; after a problem of the machine it stays reserved.
"""

from __future__ import annotations

import hashlib
import logging
import os
import signal
from collections.abc import Callable
from datetime import datetime

from servers.certificate.issuing.checks import Checks
from servers.certificate.issuing.drafting import Drafts
from servers.certificate.register.archive import Archive, file_name
from servers.certificate.register.ledger import Ledger
from servers.certificate.register.records import Letter
from servers.certificate.signing import officekey

log = logging.getLogger(__name__)

# Points where CERTIFICATE_CRASH_AT can kill the process as by kill -9, in order.
CRASH_POINTS = (
    "before_reserve",  # nothing is written yet
    "in_reservation",  # number taken, transaction open
    "reserved",  # the row is RESERVED
    "rendered",  # the PDF is drawn, in memory
    "signed",  # and signed
    "written",  # a .part file, not synced
    "synced",  # a .part file on the disk
    "renamed",  # the file has its name, the row is still RESERVED
    "committed",  # ISSUED, not reported yet
)


class Finisher:
    """Finishes one office's letters, from number to file."""

    def __init__(
        self,
        drafts: Drafts,
        ledger: Ledger,
        archive: Archive,
        checks: Checks,
        now: Callable[[], datetime],
        crash_at: str | None,
    ) -> None:
        self._drafts, self._ledger, self._archive, self._checks = drafts, ledger, archive, checks
        self._now, self._crash_at = now, crash_at

    def finish_reserved(self) -> None:
        """Finish all reserved letters, even if one has to wait; its error is raised at the end."""
        waiting: Exception | None = None
        for row in self._ledger.reserved():
            try:
                self.finish(row)
            except officekey.SigningWaits:
                raise  # the others would also wait, one time limit after another
            except (OSError, MemoryError) as error:
                waiting = error
        if waiting is not None:
            raise waiting

    def finish(self, row: Letter) -> Letter:
        """Draw, sign, store and commit one reserved letter. If that can never succeed, return it as VOID."""
        letter = self._drafts.type_of(row)
        if letter is None:
            log.error("letter %s voided: its type %s is no longer offered", row.number, row.letter_type)
            return self._ledger.void(row, self._drafts.spoken.say("void_type_gone"), self._now())
        try:
            pdf = self._drafts.draw(letter, row)
            self.reached("rendered")
            pdf = self._drafts.sign(pdf)
            self.reached("signed")
        except (OSError, MemoryError) as error:
            # A problem of the machine, not of the letter: it keeps its number and is drawn at the next attempt.
            log.error("letter %s stays reserved: %s", row.number, error)
            raise
        except Exception as error:
            # Any other error would recur at the next attempt; the number must not stay reserved.
            log.exception("letter %s voided: it can't be drawn or signed", row.number)
            return self._ledger.void(
                row, self._drafts.spoken.say("void_failed", error=type(error).__name__), self._now()
            )
        name = file_name(row)
        self._archive.publish(name, pdf, self.reached)
        row = self._ledger.issued(row, name, len(pdf), hashlib.sha256(pdf).hexdigest(), self._now())
        self.reached("committed")
        self._checks.follow()
        return row

    def reached(self, point: str) -> None:
        """Die here as by kill -9, if configured for this point (for drills)."""
        if self._crash_at == point:
            os.kill(os.getpid(), signal.SIGKILL)
