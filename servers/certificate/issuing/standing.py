"""Reasons to refuse issuing: register, archive, key and clock must agree. No I/O.

Each mismatch could repeat a number or make a letter that can't be verified; so issuing waits for a person. Verification
continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Literal

from pydantic import BaseModel

from servers.certificate.register.chain import Entry
from servers.certificate.register.journal import Tail, line

AUDIT = "`agentd letters audit` lists everything; `agentd letters repair` re-enters what the archive knows"
KEYS = (
    "put the office's key folder back from a backup; or, if the key is lost for good, `agentd letters init --renew` "
    "makes a new one (letters issued so far stay genuine)"
)

NODES = (
    "where other nodes share this register, let `office_dir` of the server `certificate` be the folder with their key, "
    "and make none; else "
)
"""Placed before KEYS if several nodes may share the register's database."""


def _keys(shared: bool) -> str:
    return f"{NODES if shared else ''}{KEYS}"


class Refusal(BaseModel, frozen=True):
    """A mismatch, for the office: `what` is wrong and `to_do` about it. `kind` is a stable name."""

    kind: Literal[
        "register_behind",
        "journal_missing",
        "journal_cut",
        "archive_ahead",
        "key_missing",
        "foreign_key",
        "clock_behind",
    ]
    what: str
    to_do: str


class NotNow(Exception):
    """No letter is issued until a person has fixed something."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(f"{refusal.what}. To do: {refusal.to_do}")


def register_behind(journal: Entry | None, here: Entry | None, journaled: bool) -> Refusal | None:
    """Compare the journal's last entry with `here`, the register's of that number; `journaled`: it had a journal."""
    if journal is None:
        if not journaled:
            return None
        what = "the archive has no journal (register.jsonl), though the register has issued letters with one"
        to_do = "mount the archive, or put it back from a backup; `agentd letters repair` writes a lost journal again"
        return Refusal(kind="journal_missing", what=what, to_do=to_do)
    if here is not None and here.hash == journal.hash:
        return None
    known = "does not know" if here is None else "has something else than"
    what = f"the register is an older or another copy: it {known} entry {journal.seq} ({journal.event}, {journal.at})"
    return Refusal(kind="register_behind", what=f"{what} of the journal beside the archive", to_do=AUDIT)


def journal_cut(tail: Tail, later: Sequence[Entry]) -> Refusal | None:
    """Compare how the journal ends with `later`, the register's entries after it.

    An entry is in the register before its line is begun, and a letter's reservation is in the journal before the letter
    is made. Entries that a person re-entered or skipped numbers by settle what a line cut off may have said.
    """
    settled = any(one.event in ("kept", "skipped") for one in later)
    if tail.torn and not settled and not (later and line(later[0]).startswith(tail.torn)):
        what = f"the journal ends in part of an entry {tail.seq + 1} that the register does not know: both were cut off"
        to_do = "find out the highest number that anybody holds: `agentd letters repair --next SERIES=NUMBER`"
        return Refusal(kind="register_behind", what=what, to_do=f"{to_do}; {AUDIT}")
    reserved = {one.data["letter"]["number"] for one in later if one.event == "reserved"}
    cut = [one.data["number"] for one in later if one.event == "issued" and one.data["number"] in reserved]
    if not cut:
        return None
    what = f"the archive's journal (register.jsonl) was cut off: it lacks entries from {tail.seq + 1} on, of {cut[0]}"
    to_do = (
        "put it back from a backup; or, if `agentd letters audit` names nothing else, `agentd letters repair` adds them"
    )
    return Refusal(kind="journal_cut", what=what, to_do=to_do)


def archive_ahead(unknown: Sequence[str]) -> Refusal | None:
    """Refuse if there are `unknown` letters: signed ones in the archive that the register doesn't have."""
    if not unknown:
        return None
    more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
    what = f"the archive is ahead of the register, which does not know {', '.join(unknown[:3])}{more}"
    return Refusal(kind="archive_ahead", what=what, to_do=AUDIT)


def key_missing(folder: str, letters: bool, shared: bool) -> Refusal | None:
    """Refuse if `folder` has no key though the register has `letters`; without letters it is a new office.

    `shared`: other nodes may use the register too.
    """
    if not letters:
        return None
    what = f"{folder} holds no office key, but the register has letters"
    return Refusal(kind="key_missing", what=what, to_do=_keys(shared))


def foreign_key(key: str, shared: bool) -> Refusal:
    """Refuse a key that no CA recorded in the register certifies."""
    own = "for a key of your own that is meant to replace it: `agentd letters repair --accept-key`"
    what = f"the office's key ({key}) is not the one that signed the register's letters"
    return Refusal(kind="foreign_key", what=what, to_do=f"{_keys(shared)}; {own}")


def clock_behind(today: date, last: date | None) -> Refusal | None:
    """Refuse if a letter of today would have a higher number but an earlier date than the last one."""
    if last is None or today >= last:
        return None
    what = f"today is {today.isoformat()} by this machine's clock, but a letter is dated {last.isoformat()}"
    return Refusal(kind="clock_behind", what=what, to_do="set the clock right (timedatectl); nothing else is needed")
