"""`agentd audit`: who approved, changed, voided or deleted what, from the state folder's audit trail. Read-only."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from agentd.cli import options

if TYPE_CHECKING:
    from agentd.audit import AuditTrail, Entry


def register(commands: Any) -> None:
    parser = options.command(commands, "audit", "show and verify the audit trail", run)
    parser.add_argument("--verify", action="store_true", help="only verify the trail; exit 0 if it is intact")
    parser.add_argument("--expect", metavar="NUMBER:HASH", help="verify, and look for an end that was recorded earlier")
    parser.add_argument("--action", metavar="PREFIX", default="", help="for example approval or session.deleted")
    parser.add_argument("--actor", metavar="ID", help="who did it")
    parser.add_argument("--subject", metavar="ID", help="the run, session, letter or token concerned")
    parser.add_argument("--since", metavar="TIME", type=_time, help="as 2026-01-31 or 2026-01-31T08:00, in UTC")
    parser.add_argument("--until", metavar="TIME", type=_time, help="before that time, in UTC")
    parser.add_argument("--json", action="store_true", help="one JSON object per line, as stored")


def _time(text: str) -> str:
    """The time in the format of entries. Raises ArgumentTypeError."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; write it as 2026-01-31 or 2026-01-31T08:00") from None
    return (time if time.tzinfo is None else time.astimezone(UTC)).replace(tzinfo=None).isoformat()


def run(given: argparse.Namespace) -> int:
    """Return 0; with --verify 1 if something was changed or is missing. Raises CommandError without a state folder."""
    from agentd import config
    from agentd.audit import AuditTrail
    from agentd.clock import SystemClock
    from agentd.errors import CommandError

    state = config.state_folder(given.state)
    if not state.is_dir():
        raise CommandError(f"there is no state folder {state}")
    trail = AuditTrail(state, SystemClock())
    if given.verify or given.expect:
        return _verify(trail, given.expect)
    found = [entry for entry in trail.entries() if _meant(entry, given)]
    for entry in found:
        print(_as_json(entry) if given.json else _as_line(entry))
    if not found:
        print(f"{'no such entry' if trail.head() else 'no entry yet'} in {state}", file=sys.stderr)
    return 0


def _verify(trail: AuditTrail, expected: str | None) -> int:
    from agentd.apps.setup.audit_check import verify

    verdict = verify(trail)
    problems = list(verdict.problems)
    if expected and expected not in {f"{entry.number}:{entry.digest}" for entry in trail.entries()}:
        problems.append(f"the entry {expected} is not in the trail")
    for problem in problems:
        print(f"agentd audit: {problem}", file=sys.stderr)
    for note in verdict.notes:
        print(f"note: {note}", file=sys.stderr)
    if problems:
        return 1
    print(f"{verdict.head.number} entries, none changed, none missing. The end is {verdict.head}")
    return 0


def _meant(entry: Entry, given: argparse.Namespace) -> bool:
    return (
        entry.action.startswith(given.action)
        and given.actor in (None, entry.actor)
        and given.subject in (None, entry.subject)
        and (given.since is None or given.since <= entry.at)
        and (given.until is None or entry.at < given.until)
    )


def _as_json(entry: Entry) -> str:
    from dataclasses import asdict

    return json.dumps(asdict(entry))


def _as_line(entry: Entry) -> str:
    facts = " ".join(f"{name}={json.dumps(value)}" for name, value in entry.facts.items())
    return (
        f"{entry.number:>6}  {entry.at[:19]}Z  {entry.action:<22} {entry.actor:<16} {entry.subject}  {facts}".rstrip()
    )
