"""Counts wrong PINs and locks after three, in a database that all processes share: a SQLite file on the machine, or for
an office with several nodes their shared PostgreSQL. Knows no PINs.

A try is taken before the PIN is compared, so that simultaneous attempts at several kiosks also share three tries.
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
"""The PostgreSQL advisory lock that protects the whole table."""

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
    """Whether the PIN may be compared; if not, `retry_after_s` says when to try again."""

    granted: bool
    left: int
    """Tries left after this one, if it is wrong."""
    retry_after_s: int = 0


class Locks:
    """The wrong tries of the last 15 minutes; `now` returns Unix time, used only with SQLite."""

    def __init__(self, database: Path | str, now: Callable[[], float]) -> None:
        """`database`: a file, or a PostgreSQL address. Raises RegisterError, whose text never repeats the address."""
        self._now = now
        self._made = False
        self._shared = isinstance(database, str)
        self._name = "the nodes' shared database" if isinstance(database, str) else str(database)
        self._folder = None if isinstance(database, str) else database.parent
        self._engine = _postgresql(database) if isinstance(database, str) else _sqlite(database)

    def take(self, subject: str) -> Try:
        """Take one try for a NIK, or for an unknown card. Raises RegisterError."""
        with self._transaction() as (connection, now):
            # Expired rows are deleted here, so that invented NIKs don't fill the disk.
            connection.execute(_TRIES.delete().where(_TRIES.c.at <= now - LOCK_SECONDS))
            # Rows in the future were written before the clock was set back: they would lock for all that time.
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
        """Reset the tries after a correct PIN. Raises RegisterError."""
        with self._transaction() as (connection, _):
            connection.execute(_TRIES.delete().where(_TRIES.c.subject == _key(connection, subject)))

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _transaction(self) -> Iterator[tuple[sa.Connection, float]]:
        """Open a transaction, one at a time across processes, and yield it with the time. Raises RegisterError."""
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
            self._made = False  # the file may have been deleted
            # Without a count nobody is verified: otherwise a full disk would allow guessing every PIN.
            kind = type(getattr(error, "orig", None) or error).__name__
            raise RegisterError(
                f"the count of wrong PINs can't be kept in {self._name} ({kind}); "
                "see to its owner and to space on the disk, or to the database's server"
            ) from None


def _locked(connection: sa.Connection) -> float:
    """Lock the count until the end of the transaction; return the database's time, since nodes' clocks differ."""
    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_ONE_AT_A_TIME)))
    return float(connection.execute(sa.text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one())


def _postgresql(address: str) -> sa.Engine:
    """The database that all nodes count tries in; it is given up after WAIT_SECONDS. Raises RegisterError."""
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
    """Return a NIK's key in the table: a keyed hash, so that readers of the table learn no NIK."""
    secret = connection.execute(sa.select(_SECRET.c.value)).scalar()
    if secret is None:
        secret = os.urandom(32)
        connection.execute(_SECRET.insert().values(value=secret))
    return hashlib.blake2b(subject.encode("utf-8", "replace"), key=secret, digest_size=16).digest()
