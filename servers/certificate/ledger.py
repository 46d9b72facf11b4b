"""The register of letters in a database: numbers, frozen arguments, states. Touches no file and draws nothing.

A letter is RESERVED (it has its number, date, code and arguments, and nothing else may change), then ISSUED (its file
and hash are known) and perhaps VOID. A number is never given twice nor taken back: what fails for good is VOID too.
SQLite by default; MariaDB and PostgreSQL by URL, for several nodes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeVar

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

Status = Literal["reserved", "issued", "void"]
ATTEMPTS = 25  # of a transaction that lost a race; each loser has seen a winner

T = TypeVar("T")
metadata = sa.MetaData()
short = sa.String(64)

counters = sa.Table(
    "letter_counters",
    metadata,
    sa.Column("series", sa.String(20), primary_key=True),
    sa.Column("year", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("last", sa.Integer, nullable=False),
)
letters = sa.Table(
    "letters",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("letter_type", short, nullable=False),
    sa.Column("series", sa.String(20), nullable=False),
    sa.Column("year", sa.Integer, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("number", sa.String(120), nullable=False, unique=True),
    sa.Column("day", sa.String(10), nullable=False),
    sa.Column("code", sa.String(24), nullable=False),
    sa.Column("code_digest", short, nullable=False, unique=True),
    sa.Column("answers", sa.Text, nullable=False),
    sa.Column("status", sa.String(10), nullable=False),
    sa.Column("file", sa.String(255)),
    sa.Column("sha256", short, unique=True),
    sa.Column("size", sa.Integer),
    sa.Column("reserved_at", sa.String(40), nullable=False),
    sa.Column("issued_at", sa.String(40)),
    sa.Column("voided_at", sa.String(40)),
    sa.Column("void_reason", sa.String(255)),
    sa.Column("voided_by", sa.String(120)),
    sa.Column("approved_by", sa.String(120)),
    sa.Column("same_in_session", short, unique=True),
    sa.UniqueConstraint("series", "year", "seq"),
    sa.CheckConstraint("status in ('reserved', 'issued', 'void')", name="letters_status"),
    sa.CheckConstraint(
        "status <> 'issued' or (sha256 is not null and file is not null and issued_at is not null)",
        name="letters_issued",
    ),
)
calls = sa.Table(
    "letter_calls",
    metadata,
    sa.Column("idempotency_key", short, primary_key=True),
    sa.Column("request", short, nullable=False),
    sa.Column("letter_id", sa.Integer, sa.ForeignKey("letters.id"), nullable=False),
)

# What the database itself refuses, whoever asks: to change what a letter says, to take back a state, to delete.
_CHANGED = " OR ".join(
    (
        *(
            f"OLD.{column} <> NEW.{column}"
            for column in ("letter_type", "series", "year", "seq", "number", "day", "code", "code_digest", "answers")
        ),
        *(
            f"(OLD.{column} IS NOT NULL AND OLD.{column} <> COALESCE(NEW.{column}, ''))"
            for column in ("approved_by", "voided_by")
        ),
        "(OLD.status <> 'reserved' AND COALESCE(OLD.sha256, '') <> COALESCE(NEW.sha256, ''))",
        "(OLD.status <> 'reserved' AND COALESCE(OLD.file, '') <> COALESCE(NEW.file, ''))",
        "(OLD.status = 'void' AND NEW.status <> 'void')",
        "(OLD.status = 'issued' AND NEW.status = 'reserved')",
    )
)
_KEPT = "a letter in the register is not changed or deleted"
_GUARDS = {
    "sqlite": (
        f"CREATE TRIGGER letters_keep BEFORE UPDATE ON letters WHEN {_CHANGED} "
        f"BEGIN SELECT RAISE(ABORT, '{_KEPT}'); END",
        f"CREATE TRIGGER letters_stay BEFORE DELETE ON letters BEGIN SELECT RAISE(ABORT, '{_KEPT}'); END",
    ),
    "mariadb": (
        f"CREATE TRIGGER letters_keep BEFORE UPDATE ON letters FOR EACH ROW IF {_CHANGED} THEN "
        f"SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '{_KEPT}'; END IF",
        "CREATE TRIGGER letters_stay BEFORE DELETE ON letters FOR EACH ROW "
        f"SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '{_KEPT}'",
    ),
    "postgresql": (
        "CREATE FUNCTION letters_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF TG_OP = 'DELETE' OR {_CHANGED} THEN RAISE EXCEPTION '{_KEPT}'; END IF; RETURN NEW; END $$",
        "CREATE TRIGGER letters_keep BEFORE UPDATE OR DELETE ON letters FOR EACH ROW EXECUTE FUNCTION letters_keep()",
    ),
}
for _dialect, _statements in _GUARDS.items():
    for _statement in _statements:
        _guard = sa.DDL(_statement)  # type: ignore[no-untyped-call]
        sa.event.listen(letters, "after_create", _guard.execute_if(dialect=_dialect))


class LedgerError(RuntimeError):
    """The ledger's database can't be used; the text says why, without any letter's data."""


class KeyConflict(Exception):
    """This idempotency key has already been used with other arguments."""


class Letter(BaseModel):
    """A row of the register."""

    model_config = ConfigDict(frozen=True)

    id: int
    letter_type: str
    series: str
    year: int
    seq: int
    number: str
    day: date
    code: str
    values: dict[str, str]
    status: Status
    file: str | None
    sha256: str | None
    size: int | None
    issued_at: str | None
    voided_at: str | None
    void_reason: str | None
    voided_by: str | None
    approved_by: str | None


class Request(BaseModel):
    """What is to be issued: the letter's type, its canonical values, and what makes the call the same as another."""

    model_config = ConfigDict(frozen=True)

    letter_type: str
    series: str
    values: dict[str, str]
    idempotency_key: str | None = None
    session_id: str | None = None
    approved_by: str | None = None

    @property
    def digest(self) -> str:
        """Of type and values: two requests are the same when this is."""
        return digest(self.letter_type, json.dumps(self.values, sort_keys=True, ensure_ascii=False))

    @property
    def key_digest(self) -> str | None:
        return digest(self.idempotency_key) if self.idempotency_key else None

    @property
    def session_digest(self) -> str | None:
        return digest(self.session_id, self.digest) if self.session_id else None


def digest(*parts: str) -> str:
    """SHA-256 of the parts, in hex; what the ledger looks codes and keys up by."""
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


class Ledger:
    """The register behind one database URL. Its methods block: call them from a thread."""

    def __init__(self, url: str) -> None:
        """Raises LedgerError when the URL isn't one of a database we know."""
        self._engine = _engine(url)
        self._ready = False

    def close(self) -> None:
        self._engine.dispose()

    def reserve(
        self, request: Request, day: date, at: datetime, number: Callable[[int], str], code: str
    ) -> tuple[Letter, bool]:
        """(the letter, whether it is new). A new one has the next number of its series and year.

        Raises KeyConflict when the request's idempotency key belongs to other arguments.
        """
        found = self._transaction(lambda connection: self._known(connection, request))
        if found is not None:
            return found, False
        return self._transaction(lambda connection: self._reserve(connection, request, day, at, number, code))

    def issued(self, letter: Letter, file: str, size: int, sha: str, at: datetime) -> Letter:
        """RESERVED → ISSUED. A letter that somebody else issued meanwhile is returned as they left it."""

        def commit(connection: sa.Connection) -> Letter:
            connection.execute(
                sa.update(letters)
                .where(letters.c.id == letter.id, letters.c.status == "reserved")
                .values(status="issued", file=file, size=size, sha256=sha, issued_at=at.isoformat())
            )
            return self._one(connection, letters.c.id == letter.id) or letter

        return self._transaction(commit)

    def void(self, letter: Letter, reason: str, at: datetime, by: str | None = None) -> Letter:
        """→ VOID; the row stays, its number is spent, and the same request may be made again. The first void holds."""

        def commit(connection: sa.Connection) -> Letter:
            voided = {"void_reason": reason[:255], "voided_at": at.isoformat(), "voided_by": by and by[:120]}
            connection.execute(
                sa.update(letters)
                .where(letters.c.id == letter.id, letters.c.status != "void")
                .values(status="void", same_in_session=None, **voided)
            )
            return self._one(connection, letters.c.id == letter.id) or letter

        return self._transaction(commit)

    def by_code(self, code: str) -> Letter | None:
        """Looked up by the code's digest: how long it takes tells nothing about codes that exist."""
        return self._find(letters.c.code_digest == digest(code))

    def by_number(self, number: str) -> Letter | None:
        return self._find(letters.c.number == number)

    def by_sha256(self, sha: str) -> Letter | None:
        return self._find(letters.c.sha256 == sha)

    def of_day(self, day: date) -> list[Letter]:
        """The letters dated so, issued or void, oldest first."""
        return self.all((letters.c.day == day) & (letters.c.status != "reserved"))

    def reserved(self) -> list[Letter]:
        """What a crash left unfinished, oldest first."""
        return self.all(letters.c.status == "reserved")

    def all(self, where: sa.ColumnElement[bool] | None = None) -> list[Letter]:
        """Every letter, oldest first."""
        query = sa.select(letters).order_by(letters.c.id)
        with self._connect(reading=True) as connection:
            rows = connection.execute(query if where is None else query.where(where))
            return [_letter(row) for row in rows.mappings()]

    def _find(self, where: sa.ColumnElement[bool]) -> Letter | None:
        with self._connect(reading=True) as connection:
            return self._one(connection, where)

    def _one(self, connection: sa.Connection, where: sa.ColumnElement[bool]) -> Letter | None:
        row = connection.execute(sa.select(letters).where(where)).mappings().one_or_none()
        return None if row is None else _letter(row)

    def _known(self, connection: sa.Connection, request: Request) -> Letter | None:
        """The letter this request already has, its key noted. Raises KeyConflict."""
        if request.key_digest is not None:
            call = connection.execute(
                sa.select(calls).where(calls.c.idempotency_key == request.key_digest)
            ).one_or_none()
            if call is not None:
                if call.request != request.digest:
                    raise KeyConflict
                return self._one(connection, letters.c.id == call.letter_id)
        if request.session_digest is None:
            return None
        letter = self._one(connection, letters.c.same_in_session == request.session_digest)
        if letter is not None:
            self._note_call(connection, request, letter.id)
        return letter

    def _reserve(
        self,
        connection: sa.Connection,
        request: Request,
        day: date,
        at: datetime,
        number: Callable[[int], str],
        code: str,
    ) -> tuple[Letter, bool]:
        here = (counters.c.series == request.series) & (counters.c.year == day.year)
        # Taking the counter's row first makes everybody else of this series wait, so the question below has one answer.
        if connection.execute(sa.update(counters).where(here).values(last=counters.c.last + 1)).rowcount == 0:
            connection.execute(sa.insert(counters).values(series=request.series, year=day.year, last=1))
        if (known := self._known(connection, request)) is not None:
            connection.execute(sa.update(counters).where(here).values(last=counters.c.last - 1))
            return known, False
        seq = connection.execute(sa.select(counters.c.last).where(here)).scalar_one()
        inserted = connection.execute(
            sa.insert(letters).values(
                letter_type=request.letter_type,
                series=request.series,
                year=day.year,
                seq=seq,
                number=number(seq),
                day=day.isoformat(),
                code=code,
                code_digest=digest(code),
                answers=json.dumps(request.values, ensure_ascii=False),
                status="reserved",
                reserved_at=at.isoformat(),
                same_in_session=request.session_digest,
                approved_by=request.approved_by and request.approved_by[:120],
            )
        )
        (letter_id,) = inserted.inserted_primary_key or (None,)
        self._note_call(connection, request, letter_id)
        letter = self._one(connection, letters.c.id == letter_id)
        assert letter is not None
        return letter, True

    def _note_call(self, connection: sa.Connection, request: Request, letter_id: int | None) -> None:
        if request.key_digest is not None:
            connection.execute(
                sa.insert(calls).values(idempotency_key=request.key_digest, request=request.digest, letter_id=letter_id)
            )

    def _transaction(self, work: Callable[[sa.Connection], T]) -> T:
        """Run `work` in one transaction, again when another process won a race."""
        for attempt in range(ATTEMPTS):
            try:
                with self._connect() as connection, connection.begin():
                    return work(connection)
            except (IntegrityError, OperationalError) as error:
                if attempt == ATTEMPTS - 1 or not _is_race(error):
                    raise LedgerError(f"the ledger refused to write ({type(error.orig).__name__})") from error
        raise AssertionError("the last attempt either returned or raised")

    @contextmanager
    def _connect(self, reading: bool = False) -> Iterator[sa.Connection]:
        try:
            if not self._ready:
                _create(self._engine)
                self._ready = True
            with self._engine.connect() as connection:
                yield connection.execution_options(ledger_reading=True) if reading else connection
        except (IntegrityError, OperationalError) as error:
            if not reading and _is_race(error):
                raise
            raise LedgerError(f"the ledger can't be reached ({type(error.orig).__name__})") from error
        except DBAPIError as error:
            raise LedgerError(f"the ledger's database failed ({type(error.orig).__name__})") from error


def _is_race(error: DBAPIError) -> bool:
    """A unique key taken meanwhile, a deadlock, a lock not got, a serialisation failure."""
    if isinstance(error, IntegrityError):
        return True
    code = getattr(error.orig, "sqlstate", None) or (error.orig.args[0] if error.orig and error.orig.args else None)
    return code in (1205, 1213, 1020, "40001", "40P01", "55P03") or "locked" in str(error.orig)


def _letter(row: sa.RowMapping) -> Letter:
    return Letter(
        **{name: row[name] for name in Letter.model_fields if name != "values"}, values=json.loads(row["answers"])
    )


def _engine(url: str) -> sa.Engine:
    drivers = {
        "sqlite": "sqlite",
        "mysql": "mariadb+pymysql",
        "mariadb": "mariadb+pymysql",
        "postgresql": "postgresql+psycopg",
        "postgres": "postgresql+psycopg",
    }
    try:
        parsed = sa.make_url(url)
        parsed = parsed.set(drivername=drivers[parsed.drivername.partition("+")[0]])
    except (sa.exc.ArgumentError, KeyError) as error:
        raise LedgerError("LETTERS_DATABASE_URL is none of sqlite:///FILE, mariadb://…, postgresql://…") from error
    if parsed.get_backend_name() != "sqlite":
        return sa.create_engine(parsed, isolation_level="READ COMMITTED", pool_pre_ping=True, hide_parameters=True)
    engine = sa.create_engine(parsed, hide_parameters=True, connect_args={"timeout": 30})

    @sa.event.listens_for(engine, "connect")
    def durable(connection: Any, _: object) -> None:
        connection.isolation_level = None
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
            connection.execute(f"PRAGMA {pragma}")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        reading = connection.get_execution_options().get("ledger_reading")
        connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")

    return engine


def _create(engine: sa.Engine) -> None:
    if engine.url.get_backend_name() == "sqlite" and engine.url.database:
        Path(engine.url.database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for attempt in range(ATTEMPTS):
        try:
            metadata.create_all(engine)
            _add_columns(engine)
        except DBAPIError:  # another process made the same between our look and our making
            if attempt == ATTEMPTS - 1:
                raise
        else:
            return


def _add_columns(engine: sa.Engine) -> None:
    """The columns that a register made by an earlier version lacks; all such columns may be null."""
    present = {column["name"] for column in sa.inspect(engine).get_columns(letters.name)}
    for column in letters.columns:
        if column.name not in present:
            kind = column.type.compile(engine.dialect)
            with engine.begin() as connection:
                connection.execute(sa.text(f"ALTER TABLE {letters.name} ADD COLUMN {column.name} {kind}"))
