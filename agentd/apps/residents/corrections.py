"""Requests to correct the register, from what residents dispute. Only officers resolve them; it changes no register.

A request outlasts its visit, because it is a task of the office; the resident's words are deleted on resolution.
"""

from __future__ import annotations

from collections.abc import Mapping
from uuid import uuid4

import sqlalchemy as sa
from pydantic import Field
from sqlalchemy.engine import Connection

from agentd.clock import iso
from agentd.errors import NotFound
from agentd.messages import Caller, Dispute, Message
from agentd.ports import Clock
from agentd.runs.store import RunStore

LONGEST = 500
"""Maximum characters stored of the resident's words."""

TABLES = sa.MetaData()
CORRECTIONS = sa.Table(
    "agentd_corrections",
    TABLES,
    sa.Column("correction_id", sa.String(40), primary_key=True),
    sa.Column("session_id", sa.String(200), nullable=False),
    sa.Column("nik", sa.String(16), nullable=False),
    sa.Column("field", sa.String(100), nullable=False),
    sa.Column("title", sa.String(200), nullable=False),
    sa.Column("registered", sa.Text, nullable=False),
    sa.Column("said", sa.Text, nullable=False),
    sa.Column("created_at", sa.String(40), nullable=False),
    sa.Column("resolved_at", sa.String(40)),
    sa.Column("resolved_by", sa.String(200)),
    sa.Column("note", sa.String(500)),
)


class CorrectionShown(Message):
    """What a resident says differs from the register. The words of a resolved one are gone."""

    correction_id: str
    session_id: str
    nik: str = Field(repr=False)
    field: str
    title: str
    registered: str = Field(repr=False, description="What the register holds.")
    said: str = Field(repr=False, description="The resident's own sentence.")
    created_at: str
    resolved_at: str | None
    resolved_by: str | None
    note: str | None


def _open(correction_id: str) -> sa.ColumnElement[bool]:
    return sa.and_(CORRECTIONS.c.correction_id == correction_id, CORRECTIONS.c.resolved_at.is_(None))


class Corrections:
    """The requests of all residents."""

    def __init__(self, store: RunStore, clock: Clock) -> None:
        store.add_tables(TABLES)
        self._writes = store.writes
        self._clock = clock

    async def note(self, session_id: str, nik: str, disputed: Mapping[str, Dispute]) -> None:
        """Add a request for each field; an open one for the same value is not added twice."""

        def work(db: Connection) -> None:
            mine = sa.and_(CORRECTIONS.c.nik == nik, CORRECTIONS.c.resolved_at.is_(None))
            open_ = set(db.execute(sa.select(CORRECTIONS.c.field, CORRECTIONS.c.registered).where(mine)).tuples())
            for name, about in disputed.items():
                if (name, about.registered) in open_:
                    continue
                made = CorrectionShown(
                    correction_id=uuid4().hex,
                    session_id=session_id,
                    nik=nik,
                    field=name,
                    title=about.title,
                    registered=about.registered,
                    said=about.said[:LONGEST],
                    created_at=iso(self._clock.now()),
                    resolved_at=None,
                    resolved_by=None,
                    note=None,
                )
                db.execute(CORRECTIONS.insert(), made.model_dump())

        await self._writes.do(work)

    async def list(self, *, resolved: bool, limit: int) -> list[CorrectionShown]:
        """The open or the resolved requests, newest first."""
        done = CORRECTIONS.c.resolved_at.is_not(None) if resolved else CORRECTIONS.c.resolved_at.is_(None)
        query = sa.select(CORRECTIONS).where(done).order_by(CORRECTIONS.c.created_at.desc()).limit(limit)
        return await self._writes.do(lambda db: [CorrectionShown(**row) for row in db.execute(query).mappings()])

    async def is_open(self, correction_id: str) -> bool:
        """Whether the request waits for an officer; False if there is no such request."""
        query = sa.select(CORRECTIONS.c.correction_id).where(_open(correction_id))
        return await self._writes.do(lambda db: db.execute(query).first() is not None)

    async def resolve(self, correction_id: str, note: str | None, caller: Caller) -> CorrectionShown:
        """Mark a request as resolved and delete its values. Raises NotFound if it is not open."""
        at = iso(self._clock.now())

        def work(db: Connection) -> CorrectionShown | None:
            mine = _open(correction_id)
            row = db.execute(sa.select(CORRECTIONS).where(mine)).mappings().first()
            if row is None:
                return None
            done = {"said": "", "registered": "", "resolved_at": at, "resolved_by": caller.id, "note": note}
            db.execute(CORRECTIONS.update().where(mine).values(done))
            return CorrectionShown(**{**row, **done})

        found = await self._writes.do(work)
        if found is None:
            raise NotFound("there is no such open correction request")
        return found
