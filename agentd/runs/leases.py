"""The nodes' leases, by the clock of the shared PostgreSQL alone: a node's own clock decides nothing here.

A run belongs to the execution whose mark stands in its row. Taking runs over takes the mark away first, under the lock
of the dead node's lease; an execution asks for its lease and its mark in one transaction before a call with effects. So
either the lease was renewed and nothing is taken over, or the mark is gone and the call is not made.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Connection

from agentd.runs.tables import nodes, runs
from agentd.runs.transactions import Transactions

_ISO = 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'


def mark_of(node: str) -> str:
    """A mark for one execution on this node; the next one there has another."""
    return f"{node[-80:]}#{uuid4().hex[:12]}"


def _now(minus_s: float = 0.0) -> Any:
    past = sa.func.make_interval(0, 0, 0, 0, 0, 0, minus_s)
    return sa.func.to_char(sa.func.timezone("UTC", sa.func.now() - past), _ISO)


class Leases:
    """Reads and writes of the table of nodes. Each method is one short transaction."""

    def __init__(self, transactions: Transactions) -> None:
        self._do = transactions.do

    async def renew(self, node: str) -> datetime:
        """The node is alive; answers the database's time."""
        return await self._do(lambda db: _renewed(db, node))

    async def fence(self, node: str, run_id: str, mark: str) -> bool:
        """Renew the lease; whether the run is still that execution's, so that nobody takes it over for a lease."""
        mine = sa.select(runs.c.run_id).where(runs.c.run_id == run_id, runs.c.node == mark)

        def work(db: Connection) -> bool:
            _renewed(db, node)
            return db.execute(mine).first() is not None

        return await self._do(work)

    async def expired(self, node: str, lease_s: float) -> list[str]:
        """Other nodes whose lease has ended; from now on no execution there has a run any more."""
        over = sa.select(nodes.c.node).where(nodes.c.node != node, nodes.c.seen_at < _now(lease_s)).with_for_update()

        def work(db: Connection) -> list[str]:
            dead = list(db.execute(over).scalars())
            for name in dead:
                its = sa.or_(runs.c.node == name, runs.c.node.startswith(f"{name[-80:]}#", autoescape=True))
                db.execute(runs.update().where(its, runs.c.status == "running").values(node=None))
            return dead

        return await self._do(work)

    async def forget(self, node: str, lease_s: float) -> None:
        """Its runs were taken over; a node that has come back meanwhile stays known."""
        over = nodes.delete().where(nodes.c.node == node, nodes.c.seen_at < _now(lease_s))
        await self._do(lambda db: db.execute(over))

    async def end(self, node: str) -> None:
        """The node leaves: the others need not wait for its lease."""
        over = nodes.update().where(nodes.c.node == node).values(seen_at="1970-01-01T00:00:00.000000+00:00")
        await self._do(lambda db: db.execute(over))


def _renewed(db: Connection, node: str) -> datetime:
    seen = postgresql.insert(nodes).values(node=node, seen_at=_now())
    renewed = seen.on_conflict_do_update(index_elements=["node"], set_={"seen_at": seen.excluded.seen_at})
    return datetime.fromisoformat(db.execute(renewed.returning(nodes.c.seen_at)).scalar_one())
