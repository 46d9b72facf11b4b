"""Compares register, entries, journal, archive and key, and reports every disagreement. Changes nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from hardening.files import sha256
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.register import chain, restored
from servers.certificate.register.chain import Entry
from servers.certificate.register.journal import JournalError
from servers.certificate.register.tables import COLUMNS
from servers.certificate.signing.officekey import Identity, OfficeKeyError

ENTRIES_COUNTER = ("", 0)
"""The key of the counter of entries: no series, no year."""
JSON_COLUMNS = ("answers", "proposed", "approvals", "basis")


class Finding(BaseModel, frozen=True):
    """`fault`: something was changed, inserted or lost, or issuing is refused. `note`: correct, but worth knowing."""

    mark: Literal["fault", "note"] = "fault"
    what: str
    to_do: str = ""


def audit(service: LetterService) -> list[Finding]:
    """Return all findings, faults first. Raises LedgerError when the register can't be read."""
    if not service.ledger.exists():
        return list(_without_register(service))
    if not service.ledger.chained():
        what = "an earlier agentd made this register: what was done to it before can't be seen"
        return [Finding(mark="note", what=what, to_do="its entries begin when this agentd is started")]
    entries = service.ledger.entries()
    try:
        journal = service.journal.entries()
    except (JournalError, OSError) as error:
        journal = []
        broken = [Finding(what=str(error), to_do="put the file back from a backup")]
    else:
        broken = list(against_journal(entries, journal))
    rows, counters = service.ledger.rows()
    found = [
        *why_not_now(service),
        *broken,
        *(Finding(what=fault) for fault in chain.faults(entries)),
        *heads(entries, service.keys.known()),
        *against_entries(rows, chain.fold(entries)),
        *numbers(rows, counters, entries),
        *files(service, rows),
        *notes(entries, rows),
    ]
    return sorted(dict.fromkeys(found), key=lambda one: one.mark)


def why_not_now(service: LetterService) -> Iterator[Finding]:
    """Yield the reasons why the office refuses to issue."""
    if restored.unfinished(service.settings.home.parent):
        yield Finding(what="a restore was cut off", to_do="run `agentd restore` again")
    if not service.ledger.exists():
        yield from _without_register(service)
        return
    if not service.ledger.chained():
        return
    try:
        for refusal in service.checks.refusals():
            yield Finding(what=f"no letter is issued: {refusal.what}", to_do=refusal.to_do)
        service.keys.open()
    except (OfficeKeyError, JournalError, OSError) as error:
        yield Finding(what=f"no letter is issued: {error}")


def against_journal(entries: Sequence[Entry], journal: Sequence[Entry]) -> Iterator[Finding]:
    """Yield differences between the register's entries and the journal beside the archive."""
    here = {one.seq: one.hash for one in entries}
    differing = [one.seq for one in journal if one.seq in here and here[one.seq] != one.hash]
    lost = [one.seq for one in journal if one.seq not in here]
    if differing:
        what = f"entries {_ranges(differing)} of the register are others than in the journal beside the archive"
        yield Finding(what=what, to_do="one of them was replaced: compare both with a backup")
    if lost:
        what = f"the register has lost entries {_ranges(lost)}, which the journal beside the archive has"
        yield Finding(what=what, to_do="`agentd letters repair` re-enters them")
    for fault in chain.faults(journal):
        yield Finding(what=f"journal: {fault}", to_do="put register.jsonl back from a backup")


def heads(entries: Sequence[Entry], known: Iterable[Identity]) -> Iterator[Finding]:
    """Check the signed heads: someone who rewrites the chain can't sign it."""
    hashes = {one.seq: one.hash for one in entries}
    keys = {one.fingerprint: one for one in known}
    for one in entries:
        if one.event != "signed":
            continue
        body = one.data
        key = keys.get(body["key"])
        text = chain.statement(entries[0].data.get("register", ""), body["seq"], body["hash"])
        if key is None or not _signed(key.certificate, text, body["signature"]):
            yield Finding(what=f"entry {one.seq}: the signature of the register's head is not the office's")
        elif hashes.get(body["seq"]) != body["hash"]:
            what = f"entries up to {body['seq']} are not what the office signed on {one.at}: they were rewritten"
            yield Finding(what=what, to_do="put the register back from a backup, then repair")


def against_entries(rows: Sequence[Mapping[str, Any]], folded: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield letters that were changed, inserted or deleted in the register without an entry."""
    here = {row["number"]: row for row in rows}
    to_do = "`agentd letters repair` puts back what its entries say"
    for number, recorded in folded.items():
        if number not in here:
            yield Finding(what=f"letter {number} was deleted from the register", to_do=to_do)
        elif changed := differing(here[number], recorded):
            what = f"letter {number} was changed in the register: {', '.join(changed)}"
            yield Finding(what=what, to_do=to_do)
    for number in here.keys() - folded.keys():
        what = f"letter {number} was put into the register without an entry, by another hand or an earlier agentd"
        yield Finding(what=what, to_do="find out who did so; it stays there as evidence")


def differing(row: Mapping[str, Any], recorded: Mapping[str, Any]) -> list[str]:
    """Return the columns in which a row differs from its entries; for JSON columns, the fields inside."""
    found = []
    for name in COLUMNS:
        if row[name] == recorded.get(name):
            continue
        try:
            one, other = json.loads(row[name] or "{}"), json.loads(recorded.get(name) or "{}")
        except (TypeError, ValueError):
            one = other = None
        if name in JSON_COLUMNS and isinstance(one, dict) and isinstance(other, dict):
            found += [f"{name}.{key}" for key in sorted({*one, *other}) if one.get(key) != other.get(key)]
        else:
            found.append(name)
    return found


def numbers(
    rows: Sequence[Mapping[str, Any]], counters: Mapping[tuple[str, int], int], entries: Sequence[Entry]
) -> Iterator[Finding]:
    """Yield missing numbers, and counters that would repeat or skip numbers."""
    bodies = [entry.data for entry in entries if entry.event == "skipped"]
    skipped = {(body["series"], body["year"]): body["last"] for body in bodies}
    given: dict[tuple[str, int], set[int]] = {}
    for row in rows:
        given.setdefault((row["series"], row["year"]), set()).add(row["seq"])
    for (series, year), seqs in given.items():
        allowed = set(range(1, skipped.get((series, year), 0) + 1))
        if gaps := sorted(set(range(1, max(seqs))) - seqs - allowed):
            yield Finding(what=f"series {series} of {year}: numbers {_ranges(gaps)} are missing")
    highest = {key: max((*given.get(key, ()), skipped.get(key, 0)), default=0) for key in counters}
    highest[ENTRIES_COUNTER] = entries[-1].seq if entries else 0
    for (series, year), last in counters.items():
        if last != highest[series, year]:
            counted = f"series {series} of {year}" if series else "the entries"
            what = f"the counter of {counted} says {last}, not {highest[series, year]}"
            yield Finding(what=what, to_do="the last rows were deleted, or the counter was changed")


def files(service: LetterService, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield letters whose PDF is missing or differs."""
    for row in rows:
        if row["file"] is None:
            continue
        try:
            sha = sha256(service.archive.path(row["file"]))
        except OSError:
            to_do = "put it back from a backup; `agentd letters repair` looks in orphans/"
            yield Finding(what=f"the PDF of letter {row['number']} is lost: {row['file']}", to_do=to_do)
            continue
        if sha != row["sha256"]:
            what = f"the PDF of letter {row['number']} is not the one that was issued: {row['file']}"
            yield Finding(what=what, to_do="put it back from a backup")


def notes(entries: Sequence[Entry], rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield what is correct but worth knowing."""
    if entries and (before := entries[0].data.get("letters")):
        what = f"an earlier agentd made the first {before} letters: they are guarded since {entries[0].at}, not before"
        yield Finding(mark="note", what=what)
    for one in entries:
        if one.event == "restored":
            what = (
                f"the register was put back on {one.data['restored_at']} from a backup of {one.data['backup_made_at']}:"
                " numbers given between these times may be on letters that it does not know"
            )
            to_do = "`agentd letters repair --next SERIES=NUMBER` goes on after the highest number that anybody holds"
            yield Finding(mark="note", what=what, to_do=to_do)
        elif one.event == "kept" and one.data["from"].startswith("the archive"):
            what = f"letter {one.data['letter']['number']} was re-entered from its PDF on {one.at}, without its answers"
            yield Finding(mark="note", what=what)
        elif one.event == "skipped":
            body = one.data
            yield Finding(mark="note", what=f"series {body['series']} of {body['year']}: goes on after {body['last']}")
    if waiting := [row["number"] for row in rows if row["status"] == "reserved"]:
        yield Finding(mark="note", what=f"reserved, to be finished at the next start: {', '.join(waiting)}")


def head(service: LetterService) -> str:
    """Return `NUMBER:HASH` of the last entry; kept elsewhere, it proves later that no entry was cut off or changed."""
    last = service.ledger.entry(-1) if service.ledger.chained() else None
    return "0:" if last is None else f"{last.seq}:{last.hash}"


def expected(service: LetterService, noted: str) -> Iterator[Finding]:
    """Check that a head noted earlier is still in the register."""
    number, _, sha = noted.partition(":")
    one = service.ledger.entry(int(number)) if service.ledger.chained() and number.isdecimal() else None
    if one is None or one.hash != sha:
        what = f"entry {noted}, noted earlier, is not in the register: it was cut off or written again"
        yield Finding(what=what, to_do="put the register back from a backup of that time")


def _without_register(service: LetterService) -> Iterator[Finding]:
    names, journal = service.archive.names(), service.journal.file.exists()
    if names or journal:
        what = f"there is no register ({service.settings.register_place}), but an archive of {len(names)} letters"
        to_do = "put the register back from a backup, then `agentd letters repair`"
        yield Finding(what=what, to_do=to_do)


def _signed(certificate: str, text: bytes, signature: str) -> bool:
    from servers.certificate.signing.signing import signed_by

    try:
        return signed_by(certificate, text, base64.b64decode(signature, validate=True))
    except ValueError:
        return False


def _ranges(seqs: Sequence[int]) -> str:
    """Format ascending numbers as ranges: `1–3, 7`."""
    parts: list[list[int]] = []
    for seq in seqs:
        if parts and seq == parts[-1][1] + 1:
            parts[-1][1] = seq
        else:
            parts.append([seq, seq])
    return ", ".join(f"{low}" if low == high else f"{low}–{high}" for low, high in parts)
