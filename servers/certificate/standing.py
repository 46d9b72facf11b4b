"""Why the office may issue no letter now: the register, the archive, the key and the clock must fit. Pure.

Each of these would give a number twice, or a letter that nobody can verify; so issuing waits for a person. Verifying
goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict

from servers.certificate.chain import Entry

AUDIT = "`agentd letters audit` lists everything; `agentd letters repair` re-enters what the archive knows"
KEYS = (
    "put the office's key folder back from a backup; or, if the key is lost for good, `agentd letters init --renew` "
    "makes a new one (letters issued so far stay genuine)"
)

NODES = (
    "where other nodes share this register, let `office_dir` of the server `certificate` be the folder with their key, "
    "and make none; else "
)
"""Before KEYS, where the register is in a database that several nodes may share."""


def _keys(shared: bool) -> str:
    return f"{NODES if shared else ''}{KEYS}"


class Refusal(BaseModel):
    """What doesn't fit, for the office: `what` is wrong and what `to_do`. `kind` is a stable name."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["register_behind", "journal_missing", "archive_ahead", "key_missing", "foreign_key", "clock_behind"]
    what: str
    to_do: str


class NotNow(Exception):
    """No letter is issued until a person has put something right."""

    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal
        super().__init__(f"{refusal.what}. To do: {refusal.to_do}")


def register_behind(journal: Entry | None, here: Entry | None, journaled: bool) -> Refusal | None:
    """`here` is the register's entry of the journal's last number; `journaled`: the register once had a journal."""
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


def archive_ahead(unknown: Sequence[str]) -> Refusal | None:
    """`unknown`: signed letters in the archive that the register doesn't know."""
    if not unknown:
        return None
    more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
    what = f"the archive is ahead of the register, which does not know {', '.join(unknown[:3])}{more}"
    return Refusal(kind="archive_ahead", what=what, to_do=AUDIT)


def key_missing(folder: str, letters: bool, shared: bool) -> Refusal | None:
    """There is no key in `folder`; with `letters` in the register that is no fresh office.

    `shared`: other nodes may use the register, too.
    """
    if not letters:
        return None
    what = f"{folder} holds no office key, but the register has letters"
    return Refusal(kind="key_missing", what=what, to_do=_keys(shared))


def foreign_key(place: str, shared: bool) -> Refusal:
    """The key there is vouched for by none of the CAs that the register remembers."""
    own = "for a key of your own that is meant to replace it: `agentd letters repair --accept-key`"
    what = f"the office's key ({place}) is not the one that signed the register's letters"
    return Refusal(kind="foreign_key", what=what, to_do=f"{_keys(shared)}; {own}")


def clock_behind(today: date, last: date | None) -> Refusal | None:
    """A letter of today would have a higher number and an earlier date than the last one."""
    if last is None or today >= last:
        return None
    what = f"today is {today.isoformat()} by this machine's clock, but a letter is dated {last.isoformat()}"
    return Refusal(kind="clock_behind", what=what, to_do="set the clock right (timedatectl); nothing else is needed")
