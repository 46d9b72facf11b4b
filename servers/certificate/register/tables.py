"""The register's tables and guards (triggers that protect letters from every client), and their creation. No letters.

SQLite, MariaDB and PostgreSQL. Guards have a version in their names: a register of an earlier agentd gets the current
ones at its first use.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData()
short = sa.String(64)

counters = sa.Table(
    "letter_counters",
    metadata,
    sa.Column("series", sa.String(20), primary_key=True),
    sa.Column("year", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("last", sa.Integer, nullable=False),
)
"""The last number of each series and year. The row of series "" and year 0 counts the entries and is their lock."""
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
    sa.Column("proposed_by", sa.String(120)),
    sa.Column("proposed", sa.Text),
    sa.Column("approvals", sa.Text),
    sa.Column("basis", sa.Text),
    sa.Column("valid_until", sa.String(10)),
    sa.Column("same_in_session", short, unique=True),
    sa.UniqueConstraint("series", "year", "seq"),
    sa.Index("letters_day", "day"),
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
entries = sa.Table(
    "letter_entries",
    metadata,
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("event", sa.String(20), nullable=False, index=True),
    sa.Column("at", sa.String(40), nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("previous", short, nullable=False),
    sa.Column("hash", short, nullable=False),
)
CHAIN = (counters.c.series == "") & (counters.c.year == 0)

COLUMNS = tuple(column.name for column in letters.columns if column.name != "id")
"""The columns that an entry records: all except `id`."""

_FROZEN = (
    *("id", "letter_type", "series", "year", "seq", "number", "day", "code", "code_digest", "answers", "reserved_at"),
    *("approved_by", "proposed_by", "proposed", "approvals", "basis", "valid_until"),
)
_FROZEN_ONCE_ISSUED = ("file", "size", "sha256", "issued_at")
_FROZEN_ONCE_VOID = ("voided_at", "void_reason", "voided_by", "same_in_session")
_DIFFERS = {
    "sqlite": "OLD.{0} IS NOT NEW.{0}",
    "mariadb": "NOT (BINARY OLD.{0} <=> BINARY NEW.{0})",  # without BINARY, "a" equals "A"
    "postgresql": "OLD.{0} IS DISTINCT FROM NEW.{0}",
}
_KEPT = "a letter in the register is not changed or deleted"
_APPENDED = "an entry of the register is not changed or deleted"


def _changed(dialect: str) -> str:
    """Return the condition under which an UPDATE of a letter is refused."""

    def differs(columns: tuple[str, ...]) -> str:
        return " OR ".join(_DIFFERS[dialect].format(column) for column in columns)

    return (
        f"{differs(_FROZEN)} OR (OLD.status <> 'reserved' AND ({differs(_FROZEN_ONCE_ISSUED)}))"
        f" OR (OLD.status = 'void' AND ({differs(_FROZEN_ONCE_VOID)}))"
        " OR (OLD.status = 'void' AND NEW.status <> 'void') OR (OLD.status = 'issued' AND NEW.status = 'reserved')"
    )


# SQLite's OR REPLACE deletes conflicting rows without firing triggers, so the triggers check for conflicts themselves.
_TAKEN = (
    "EXISTS (SELECT 1 FROM letters WHERE id = NEW.id OR number = NEW.number OR code_digest = NEW.code_digest OR"
    " sha256 = NEW.sha256 OR same_in_session = NEW.same_in_session OR"
    " (series = NEW.series AND year = NEW.year AND seq = NEW.seq))"
)
_TAKEN_BY_ANOTHER = (
    "EXISTS (SELECT 1 FROM letters WHERE id <> OLD.id AND"
    " (sha256 = NEW.sha256 OR same_in_session = NEW.same_in_session))"
)
_NO_SUCCESSOR = "NEW.seq <> (SELECT COALESCE(MAX(seq), 0) + 1 FROM letter_entries)"


def _sqlite(name: str, on: str, condition: str, message: str) -> str:
    when = f" WHEN {condition}" if condition else ""
    return f"CREATE TRIGGER {name} BEFORE {on}{when} BEGIN SELECT RAISE(ABORT, '{message}'); END"


def _mariadb(name: str, on: str, condition: str, message: str) -> str:
    signal = f"SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '{message}'"
    deed = f"IF {condition} THEN {signal}; END IF" if condition else signal
    return f"CREATE TRIGGER {name} BEFORE {on} FOR EACH ROW {deed}"


_UNCONDITIONAL = (
    ("letters_stay_2", "DELETE ON letters", "", _KEPT),
    ("letter_entries_keep", "UPDATE ON letter_entries", "", _APPENDED),
    ("letter_entries_stay", "DELETE ON letter_entries", "", _APPENDED),
)
"""(name, event, condition, message) of the guards that SQLite and MariaDB share."""
_OF_SQLITE = (
    ("letters_keep_3", "UPDATE ON letters", f"{_changed('sqlite')} OR {_TAKEN_BY_ANOTHER}", _KEPT),
    ("letters_enter_2", "INSERT ON letters", _TAKEN, _KEPT),
    ("letter_entries_enter", "INSERT ON letter_entries", _NO_SUCCESSOR, _APPENDED),
)
_OF_MARIADB = (("letters_keep_3", "UPDATE ON letters", _changed("mariadb"), _KEPT),)
GUARDS: dict[str, dict[str, tuple[str, ...]]] = {
    "sqlite": {guard[0]: (_sqlite(*guard),) for guard in (*_OF_SQLITE, *_UNCONDITIONAL)},
    "mariadb": {guard[0]: (_mariadb(*guard),) for guard in (*_OF_MARIADB, *_UNCONDITIONAL)},
    "postgresql": {
        "letters_keep_3": (
            "CREATE OR REPLACE FUNCTION letters_keep_3() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF TG_OP <> 'UPDATE' THEN RAISE EXCEPTION '{_KEPT}'; END IF; "
            f"IF {_changed('postgresql')} THEN RAISE EXCEPTION '{_KEPT}'; END IF; RETURN NEW; END $$",
            "CREATE TRIGGER letters_keep_3 BEFORE UPDATE OR DELETE ON letters"
            " FOR EACH ROW EXECUTE FUNCTION letters_keep_3()",
            "CREATE TRIGGER letters_stay_2 BEFORE TRUNCATE ON letters"
            " FOR EACH STATEMENT EXECUTE FUNCTION letters_keep_3()",
        ),
        "letter_entries_keep": (
            "CREATE OR REPLACE FUNCTION letter_entries_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"RAISE EXCEPTION '{_APPENDED}'; END $$",
            "CREATE TRIGGER letter_entries_keep BEFORE UPDATE OR DELETE OR TRUNCATE ON letter_entries"
            " FOR EACH STATEMENT EXECUTE FUNCTION letter_entries_keep()",
        ),
    },
}
_EARLIER_GUARDS = ("letters_keep", "letters_stay", "letters_keep_2")
_PRESENT = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "mariadb": "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = DATABASE()",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    " AND tgrelid IN ('letters'::regclass, 'letter_entries'::regclass)",
}


def make(engine: sa.Engine) -> None:
    """Create missing tables, columns and guards. Raises DBAPIError, also if another process is faster."""
    if engine.url.get_backend_name() == "sqlite" and engine.url.database:
        Path(engine.url.database).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    metadata.create_all(engine)
    _add_columns(engine)
    for index in letters.indexes:
        index.create(engine, checkfirst=True)
    with engine.begin() as connection:
        guard(connection)


def guard(connection: sa.Connection) -> None:
    """Create missing guards, and drop those of earlier versions."""
    present = guards_present(connection)
    for name in _EARLIER_GUARDS:
        if name in present:
            _drop(connection, name)
    for name, statements in GUARDS[connection.dialect.name].items():
        if name not in present:
            for statement in statements:
                connection.exec_driver_sql(statement)


def unguard(connection: sa.Connection) -> None:
    """Drop the guards for a repair in the same transaction; `guard` creates them again."""
    for name in guards_present(connection):
        _drop(connection, name)


def guards_present(connection: sa.Connection) -> set[str]:
    """Return the names of the existing triggers."""
    return set(connection.exec_driver_sql(_PRESENT[connection.dialect.name]).scalars())


def exists(engine: sa.Engine, table: sa.Table) -> bool:
    """Return whether the table exists, without creating anything, even an empty file."""
    if engine.url.get_backend_name() == "sqlite" and not Path(engine.url.database or "").exists():
        return False
    return bool(sa.inspect(engine).has_table(table.name))


def _drop(connection: sa.Connection, name: str) -> None:
    table = entries.name if name.startswith(entries.name) else letters.name
    on = f" ON {table}" if connection.dialect.name == "postgresql" else ""
    connection.exec_driver_sql(f"DROP TRIGGER {name}{on}")


def _add_columns(engine: sa.Engine) -> None:
    """Add columns missing from a register of an earlier version; all such columns are nullable."""
    present: set[Any] = {column["name"] for column in sa.inspect(engine).get_columns(letters.name)}
    for column in letters.columns:
        if column.name not in present:
            kind = column.type.compile(engine.dialect)
            with engine.begin() as connection:
                connection.execute(sa.text(f"ALTER TABLE {letters.name} ADD COLUMN {column.name} {kind}"))
