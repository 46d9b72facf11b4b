"""Counts wrong PINs and locks after three, in one database that all processes share: a SQLite file of the machine, or
where several nodes serve one office the PostgreSQL that they share. Knows no PIN.

A try is taken before the PIN is compared, so that kiosks that try at the same time get three tries together, too.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from servers.residents.resident import RegisterError

TRIES = 3
LOCK_SECONDS = 15 * 60
WAIT_SECONDS = 10
_ONE_AT_A_TIME = 0x6167_7069_6E73
"""The advisory lock of PostgreSQL that stands for the whole table."""

_TABLES = sa.MetaData()
_TRIES = sa.Table(
    "agentd_pin_tries",
    _TABLES,
    sa.Column("subject", sa.LargeBinary(16), primary_key=True),
    sa.Column("wrong", sa.Integer, nullable=False),
    sa.Column("at", sa.Double, nullable=False),
)
_SECRET = sa.Table("agentd_pin_secret", _TABLES, sa.Column("value", sa.LargeBinary(32), nullable=False))


@dataclass(frozen=True)
class Try:
    """Whether the PIN may be compared; if not, in how many seconds again."""

    granted: bool
    left: int
    """How many tries there are after this one, should it be wrong."""
    retry_after_s: int = 0


class Locks:
    """The wrong tries of the last 15 minutes; `now` gives seconds since 1970, unless the database has a clock."""

    def __init__(self, place: Path | str, now: Callable[[], float]) -> None:
        """A file, or a PostgreSQL's address. Raises RegisterError, whose text never repeats the address."""
        self._now = now
        self._made = False
        self._shared = isinstance(place, str)
        self._name = "the nodes' shared database" if isinstance(place, str) else str(place)
        self._folder = None if isinstance(place, str) else place.parent
        self._engine = _postgresql(place) if isinstance(place, str) else _sqlite(place)

    def take(self, subject: str) -> Try:
        """Take one try for a NIK, or for a card that nobody has. Raises RegisterError."""
        with self._transaction() as (connection, now):
            # Here goes what is over, so that made-up NIKs don't fill the disk.
            connection.execute(_TRIES.delete().where(_TRIES.c.at <= now - LOCK_SECONDS))
            # What lies ahead is from before the clock was set back: it would lock for as long as that.
            connection.execute(_TRIES.update().where(_TRIES.c.at > now).values(at=now))
            key = _key(connection, subject)
            mine = _TRIES.c.subject == key
            row = connection.execute(sa.select(_TRIES).where(mine)).first()
            if row is not None and row.wrong >= TRIES:
                return Try(False, 0, max(1, round(row.at + LOCK_SECONDS - now)))
            if row is None:
                connection.execute(_TRIES.insert().values(subject=key, wrong=1, at=now))
                return Try(True, TRIES - 1)
            connection.execute(_TRIES.update().where(mine).values(wrong=row.wrong + 1, at=now))
            return Try(True, TRIES - row.wrong - 1)

    def forget(self, subject: str) -> None:
        """The PIN was right: the tries before it count no more. Raises RegisterError."""
        with self._transaction() as (connection, _):
            connection.execute(_TRIES.delete().where(_TRIES.c.subject == _key(connection, subject)))

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _transaction(self) -> Iterator[tuple[sa.Connection, float]]:
        """One at a time for all processes, with the time. Raises RegisterError."""
        try:
            if self._folder is not None:
                self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._engine.begin() as connection:
                now = _locked(connection) if self._shared else self._now()
                if not self._made:
                    _TABLES.create_all(connection)
                    self._made = True
                yield connection, now
        except (SQLAlchemyError, OSError) as error:
            self._made = False  # the file may have been taken away
            # Without a count nobody is verified: else a full disk would open every PIN to guessing.
            kind = type(getattr(error, "orig", None) or error).__name__
            raise RegisterError(
                f"the count of wrong PINs can't be kept in {self._name} ({kind}); "
                "see to its owner and to space on the disk, or to the database's server"
            ) from None


def _locked(connection: sa.Connection) -> float:
    """Nobody else counts until the transaction's end; the time is the database's: nodes' clocks differ."""
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_ONE_AT_A_TIME)))
    return float(connection.execute(sa.text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())


def _postgresql(address: str) -> sa.Engine:
    try:
        url = sa.make_url(address)
        if url.get_backend_name() != "postgresql":
            raise ArgumentError(url.get_backend_name())
    except (ArgumentError, ValueError):
        raise RegisterError("the credential residents_locks_url is no address of a PostgreSQL") from None
    arguments = {"connect_timeout": WAIT_SECONDS, "options": f"-c statement_timeout={WAIT_SECONDS * 1000}"}
    return sa.create_engine(
        url.set(drivername="postgresql+psycopg"), connect_args=arguments, pool_pre_ping=True, hide_parameters=True
    )


def _sqlite(file: Path) -> sa.Engine:
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(file)),
        connect_args={"timeout": WAIT_SECONDS, "isolation_level": None},
        hide_parameters=True,
    )

    @sa.event.listens_for(engine, "connect")
    def durable(connection: Any, _: object) -> None:
        connection.execute("PRAGMA synchronous=FULL")

    @sa.event.listens_for(engine, "begin")
    def alone(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _key(connection: sa.Connection, subject: str) -> bytes:
    """What stands in the table for a NIK: a keyed hash, so that it lists no NIK to a reader."""
    secret = connection.execute(sa.select(_SECRET.c.value)).scalar()
    if secret is None:
        secret = os.urandom(32)
        connection.execute(_SECRET.insert().values(value=secret))
    return hashlib.blake2b(subject.encode("utf-8", "replace"), key=secret, digest_size=16).digest()
