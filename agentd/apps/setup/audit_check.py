"""Verifies the audit trail for `agentd audit --verify`: finds changed, inserted and lost entries. It writes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from agentd.audit import HEAD_NAME, AuditTrail, Head, read


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of checking the whole trail: `problems` are changes and losses, `notes` harmless traces of a crash."""

    head: Head
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def verify(trail: AuditTrail) -> Verdict:
    """Check the whole trail."""
    return judge(trail.lines(), trail.head())


def judge(lines: Iterable[str], head: Head | None) -> Verdict:
    """Check a trail of these lines against the head, which names the newest entry. Pure."""
    verdict = Verdict(head or Head())
    last = Head()
    for line, entry in read(lines):
        if entry is None:
            verdict.notes.append(f"line {line} is a write that a crash cut off, or what is left of a removed entry")
            continue
        if entry.number != last.number + 1:
            verdict.problems.append(f"line {line}: entry {entry.number} follows entry {last.number}")
        elif entry.before != last.digest:
            verdict.problems.append(f"line {line}: entry {entry.number} does not belong to the one before it")
        if entry.sealed() != entry.digest:
            verdict.problems.append(f"line {line}: entry {entry.number} was changed")
        last = Head(entry.number, entry.digest)
        if head is not None and head.number == last.number and head.digest != last.digest:
            verdict.problems.append(f"line {line}: entry {entry.number} is not the one that {HEAD_NAME} names")
    if head is None and last.number:
        verdict.problems.append(f"{HEAD_NAME} is missing or unreadable, so that a lost end would not be seen")
    elif head is not None and head.number > last.number:
        verdict.problems.append(f"the end is missing: {HEAD_NAME} names entry {head.number}, the last is {last.number}")
    return Verdict(last, verdict.problems, verdict.notes)
