"""Proofs of who a session's person is, stored beside the sessions. It asks no register.

A proof ends with the session, when it is forgotten, or after a time without use. No PIN comes here.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from agentd.agent.approval import Level
from agentd.apps.residents.register import Resident
from agentd.clock import SLACK, iso
from agentd.ports import Clock
from agentd.runs.store import RunStore

FAMILIES = 256
"""Maximum number of family cards in memory: more than there are visits at once."""

TABLES = sa.MetaData()
IDENTITIES = sa.Table(
    "agentd_identities",
    TABLES,
    sa.Column("session_id", sa.String(200), primary_key=True),
    sa.Column("nik", sa.String(16), nullable=False),
    sa.Column("level", sa.String(20), nullable=False),
    sa.Column("display_name", sa.String(200), nullable=False),
    sa.Column("expires_at", sa.String(40), nullable=False),
)


@dataclass(frozen=True, slots=True)
class Identity:
    """A proof that holds until `expires_at` (ISO 8601)."""

    session_id: str
    nik: str = field(repr=False)
    level: Level
    display_name: str = field(repr=False)
    expires_at: str = ""

    def shown(self) -> dict[str, Any]:
        """The identity in the form of Session.get, without the NIK."""
        return {"level": self.level, "display_name": self.display_name, "expires_at": self.expires_at}


class Identities:
    """The proofs of all sessions."""

    def __init__(self, store: RunStore, clock: Clock, idle_s: float) -> None:
        store.add_tables(TABLES)
        self._reads, self._writes = store.reads, store.writes
        self._shared = store.shared
        self._proven: set[str] = set()
        self._all_known = False
        """Whether `_proven` has every session with a proof (it may have more); true only without other nodes."""
        self._clock = clock
        self._idle = timedelta(seconds=idle_s)
        self._families: OrderedDict[str, tuple[Resident, ...]] = OrderedDict()

    async def keep(self, identity: Identity) -> Identity:
        """Store a proof, replacing the session's earlier one; its time starts now."""
        kept = replace(identity, expires_at=self._end())
        self._families.pop(identity.session_id, None)

        def work(db: Connection) -> None:
            db.execute(IDENTITIES.delete().where(IDENTITIES.c.session_id == kept.session_id))
            db.execute(IDENTITIES.insert(), asdict(kept))

        self._proven.add(kept.session_id)
        await self._writes.do(work)
        return kept

    async def of(self, session_id: str) -> Identity | None:
        """The session's valid proof, or None."""
        if not await self._may_be_proven(session_id):
            return None  # most sessions: without a write
        return await self._writes.do(lambda db: self._found(db, session_id))

    async def used(self, session_id: str) -> Identity | None:
        """The session's valid proof, or None; its time starts again."""

        def work(db: Connection) -> Identity | None:
            found = self._found(db, session_id)
            if found is None:
                return None
            renewed = replace(found, expires_at=self._end())
            mine = IDENTITIES.c.session_id == session_id
            db.execute(IDENTITIES.update().where(mine).values(expires_at=renewed.expires_at))
            return renewed

        return await self._writes.do(work) if await self._may_be_proven(session_id) else None

    async def _may_be_proven(self, session_id: str) -> bool:
        if self._shared:  # another node may have proven it
            return await self._reads.do(lambda db: _row(db, session_id)) is not None
        if not self._all_known:
            known = sa.select(IDENTITIES.c.session_id)
            self._proven.update(await self._reads.do(lambda db: set(db.execute(known).scalars())))
            self._all_known = True
        return session_id in self._proven

    async def forget(self, session_id: str) -> bool:
        """End the session's proof. Returns whether there was one."""
        self._families.pop(session_id, None)
        query = IDENTITIES.delete().where(IDENTITIES.c.session_id == session_id)
        self._proven.discard(session_id)
        return bool(await self._writes.do(lambda db: db.execute(query).rowcount))

    def family(self, identity: Identity) -> tuple[Resident, ...]:
        """The resident's family card, cached for this visit; empty until the register was asked."""
        return self._families.get(identity.session_id, ())

    def keep_family(self, identity: Identity, family: tuple[Resident, ...]) -> None:
        """Cache the card in memory until the proof ends, so that the register isn't asked at every turn."""
        self._families[identity.session_id] = family
        while len(self._families) > FAMILIES:
            self._families.popitem(last=False)

    def drop_family(self, session_id: str) -> None:
        """Drop the cached card, so that the register is asked again."""
        self._families.pop(session_id, None)

    def _found(self, db: Connection, session_id: str) -> Identity | None:
        """The session's identity, if it is still valid; every expired one is deleted."""
        now = self._clock.now()
        latest = now + self._idle + SLACK  # later ones: the clock was set back since
        over = sa.or_(IDENTITIES.c.expires_at <= iso(now), IDENTITIES.c.expires_at > iso(latest))
        db.execute(IDENTITIES.delete().where(over))
        if (row := _row(db, session_id)) is None:
            self._families.pop(session_id, None)
            return None
        return Identity(**row)

    def _end(self) -> str:
        return iso(self._clock.now() + self._idle)


_SESSION = sa.select(IDENTITIES).where(IDENTITIES.c.session_id == sa.bindparam("id"))


def _row(db: Connection, session_id: str) -> sa.RowMapping | None:
    return db.execute(_SESSION, {"id": session_id}).mappings().first()
