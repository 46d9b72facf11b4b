"""Repairs an audit's findings where the truth is known: from the journal, the entries or the signed letters.

Nothing is deleted or overwritten except rows that contradict their own entries. What can't be repaired is listed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

import pypdfium2

from hardening.files import sha256
from servers.certificate.issuing.issued import normal_code
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.maintenance import audit
from servers.certificate.register import chain
from servers.certificate.register.tables import COLUMNS

CODE = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}\b")
HIGHEST = 100_000
"""The highest number tried in a series and year to find the one that a letter shows."""


@dataclass(frozen=True)
class Step:
    """One repair, as text and action; without an action it can't be repaired."""

    what: str
    do: Callable[[], object] | None = None


def steps(service: LetterService) -> Iterator[Step]:
    """Yield the repairs in order, each determined after those before are done. Raises LedgerError, JournalError."""
    yield from _from_journal(service)
    yield from _rows(service)
    yield from _archive(service)
    yield from _files(service)
    yield from _journal(service)


def accept_key(service: LetterService) -> Step:
    """Let the present key sign from now on, though no earlier CA certifies it."""
    return Step(
        f"the key of {service.keys.files.cert} signs this register's letters from now on",
        lambda: service.keys.remember(service.now()),
    )


def go_on_after(service: LetterService, series: str, last: int) -> Step:
    """Assign no number of this year up to `last`; no repair for a series that no letter has or that is further."""
    now, known = service.now(), sorted(letter.series for letter in service.catalogue.types.values())
    at = service.ledger.rows()[1].get((series, now.year), 0)
    if series not in known:
        return Step(f"no letter has the series {series}; there are {', '.join(known)}")
    if last < at:
        return Step(f"series {series} of {now.year} is at {at} already: name that number or a higher one")
    return Step(
        f"series {series} of {now.year} goes on after {last}",
        lambda: service.ledger.note("skipped", {"series": series, "year": now.year, "last": last}, now),
    )


def _from_journal(service: LetterService) -> Iterator[Step]:
    """Re-enter what the register lost from the journal; everything, if the register itself was lost."""
    ledger, journal = service.ledger, service.journal.entries()
    here = ledger.entries()
    if here and ledger.last_day() is None and journal and here[0].hash != journal[0].hash:
        here = []
    lost = journal[len(here) :]
    if not lost:
        return
    if chain.faults(journal) or [one.hash for one in here] != [one.hash for one in journal[: len(here)]]:
        what = f"{len(lost)} entries of the journal can't be re-entered: register and journal differ before them"
        yield Step(f"{what}. Put the register back from a backup, then repair")
        return
    yield Step(f"re-enter {len(lost)} entries from the journal: {_words(lost)}", lambda: ledger.replay(lost))


def _rows(service: LetterService) -> Iterator[Step]:
    """Restore changed or deleted rows from their entries, if the chain is intact."""
    entries = service.ledger.entries()
    rows = {row["number"]: row for row in service.ledger.rows()[0]}
    wrong = {
        number: recorded
        for number, recorded in chain.fold(entries).items()
        if number not in rows or audit.differing(rows[number], recorded)
    }
    if not wrong:
        return
    numbers = ", ".join(wrong)
    if chain.faults(entries):
        yield Step(f"letters {numbers} differ from their entries, but the entries were changed too: compare a backup")
        return
    yield Step(f"put back what the entries say of {numbers}", lambda: service.ledger.put_back(wrong))


def _archive(service: LetterService) -> Iterator[Step]:
    journaled = {row["file"] for row in chain.fold(service.journal.entries()).values()}
    for name in service.checks.unknown_letters():
        if name in journaled:
            continue  # re-entered from the journal, complete
        row = read_letter(service, name)
        if isinstance(row, str):
            yield Step(f"{name} can't be re-entered: {row}")
        elif service.ledger.by_number(row["number"]) is not None:
            yield Step(f"{name} can't be re-entered: number {row['number']} is another letter's; both may be in use")
        else:
            yield Step(
                f"re-enter {row['number']} from its PDF {name}: it verifies again, its answers and approvals are lost",
                partial(_keep, service, row),
            )


def _keep(service: LetterService, letter: Mapping[str, Any]) -> None:
    service.ledger.note("kept", {"letter": letter, "from": "the archive"}, service.now())


def _files(service: LetterService) -> Iterator[Step]:
    orphans = service.archive.folder / "orphans"
    aside = {sha256(file): file for file in orphans.glob("*.pdf")}
    for row in service.ledger.all():
        if row.file is None or (target := service.archive.path(row.file)).exists():
            continue
        if (found := aside.get(row.sha256 or "")) is None:
            yield Step(f"the PDF of letter {row.number} is lost: put {row.file} back from a backup")
        else:
            yield Step(f"bring {row.file} back from orphans/", lambda a=found, b=target: a.rename(b))  # type: ignore[misc]


def _journal(service: LetterService) -> Iterator[Step]:
    refusal = service.checks.journal_fits()
    if refusal is not None and refusal.kind in ("journal_missing", "journal_cut"):
        yield Step("write what the journal lacks again from the register", service.checks.rewrite_journal)


def read_letter(service: LetterService, name: str) -> dict[str, Any] | str:
    """Return the register row for one of our signed letters, without answers; or the reason why it can't be read."""
    pdf = service.archive.path(name).read_bytes()
    with pypdfium2.PdfDocument(pdf) as document:
        title, dated = document.get_metadata_value("Title"), document.get_metadata_value("CreationDate")
        text = "\n".join(page.get_textpage().get_text_range() for page in document)
    named = (one for one in service.catalogue.types.values() if title.startswith(f"{one.title} "))
    letter = max(named, key=lambda one: len(one.title), default=None)  # `Surat Pengantar` begins other titles too
    code = CODE.search(text)
    if letter is None or code is None or not re.match(r"D:\d{8}", dated):
        return "it shows no number, date and code of a letter offered here"
    day = date(int(dated[2:6]), int(dated[6:8]), int(dated[8:10]))
    number = title.removeprefix(f"{letter.title} ")
    parts = range(1, HIGHEST)
    seq = next(
        (seq for seq in parts if service.office.number(seq, letter.series, day, letter.number_pattern) == number), None
    )
    if seq is None:
        return f"{number} is no number by the office file's number_pattern"
    shown, until = normal_code(code.group()), letter.valid_until(day, service.office)
    return dict.fromkeys(COLUMNS) | {
        "letter_type": letter.key,
        "series": letter.series,
        "year": day.year,
        "seq": seq,
        "number": number,
        "day": day.isoformat(),
        "code": shown,
        "code_digest": chain.digest(shown),
        "answers": "{}",
        "status": "issued",
        "file": name,
        "sha256": hashlib.sha256(pdf).hexdigest(),
        "size": len(pdf),
        "reserved_at": day.isoformat(),
        "issued_at": day.isoformat(),
        "valid_until": until.isoformat() if until else None,
    }


def _words(entries: list[chain.Entry]) -> str:
    folded = chain.fold(entries)
    voided = sum(one.event == "voided" for one in entries)
    return f"{len(folded)} letters ({', '.join(list(folded)[:5])}{', …' if len(folded) > 5 else ''}), {voided} voids"
