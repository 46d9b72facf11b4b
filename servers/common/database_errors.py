"""Database errors, in words that reveal no address, account or password.

DatabaseError
├── ConfigurationError   the address can't be used
├── UnavailableError     no server, or the login refused
├── LostError            the connection broke while a statement ran
├── LockedError          another program holds the rows or the file
├── TimeLimitError       the statement was stopped
├── TooLargeError        one row is larger than a result may be
└── StatementError       the database refused the statement
"""

from __future__ import annotations

import os
import re
import socket
import sqlite3
from collections.abc import Mapping
from typing import Any

from sqlalchemy.exc import DBAPIError

STATEMENT_TIMEOUTS = {1969, 3024}
"""MariaDB's and MySQL's codes for a statement that exceeded the session's limit."""
LOST = {2006, 2013, 2014, 2055, 1053, 1927}
"""Codes for a lost connection, with no query left to kill."""
LOCKED = {1205, 3572}
NO_FILE = "the database file can't be opened (is it there, readable, and SQLite?)"


class DatabaseError(Exception):
    """A database error; the text is for the caller and names no address, account or password."""

    cause: str | None = None
    """`unavailable`, `locked`, `late` or `large` (a row); None if the statement is at fault."""


class ConfigurationError(DatabaseError):
    """The address can't be used as written."""


class UnavailableError(DatabaseError):
    """The database can't be reached or refused the login. `reason` is the short cause."""

    cause = "unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The database can't be reached: {reason}. Try again, or check the server, its address and account."
        )
        self.reason = reason


class LostError(DatabaseError):
    """The connection was lost while the statement ran. A retry may succeed."""

    cause = "unavailable"

    def __init__(self) -> None:
        super().__init__("The connection to the database was lost while the statement ran. Try again.")


class LockedError(DatabaseError):
    """Another program kept the data locked for longer than we wait."""

    cause = "locked"

    def __init__(self) -> None:
        super().__init__("Another program has locked the data. Try again in a while.")


class TimeLimitError(DatabaseError):
    """The statement exceeded its time limit and was stopped on the server."""

    cause = "late"

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The query was stopped after {seconds:g} seconds. Narrow it (a shorter period, fewer joins, an "
            "aggregate), or raise timeout_seconds."
        )


class TooLargeError(DatabaseError):
    """A row, or a value in it, is larger than what a result may hold, so that no row can be given."""

    cause = "large"

    def __init__(self) -> None:
        super().__init__("A row is too large to be given. Select narrower columns, or part of a text.")


class StatementError(DatabaseError):
    """The database refused the statement; the text is the database's own, with its code."""


def explain(error: Exception, timeout_seconds: float) -> Exception:
    """Return the error to raise for a statement's failure, from SQLAlchemy or the network."""
    if not isinstance(error, DBAPIError):
        return LostError() if isinstance(error, OSError) else error
    code, text = _code_and_text(error)
    said = getattr(error.orig, "diag", None)  # PostgreSQL only
    if said is not None and said.sqlstate:
        return _explain_state(said, timeout_seconds)
    if code in STATEMENT_TIMEOUTS:
        return TimeLimitError(timeout_seconds)
    if code in LOCKED or text.endswith("is locked"):
        return LockedError()
    if text.endswith("blob too big"):
        return TooLargeError()
    if text.endswith(("is not a database", "image is malformed")):
        return UnavailableError(NO_FILE)
    hung_up = (code == 0 and "connect" in text.lower()) or "closed the connection" in text or "is closed" in text
    if code in LOST or hung_up or isinstance(error.orig, OSError):
        return LostError()
    if isinstance(error.orig, sqlite3.DatabaseError) and "auth" in text:
        text = f"{text}: this session only reads"
    text = re.sub(r"'[^']*'@'[^']*'", "this account", text)
    return StatementError(f"{text} ({code})" if code is not None else text)


def _explain_state(said: Any, timeout_seconds: float) -> Exception:
    """Map PostgreSQL's five-character SQLSTATE (its manual, appendix A) to an error."""
    if said.sqlstate == "57014":
        return TimeLimitError(timeout_seconds)
    if said.sqlstate == "55P03":
        return LockedError()
    if said.sqlstate.startswith(("08", "57P")):
        return LostError()
    parts = [said.message_primary or "refused", said.message_hint]
    return StatementError(f"{' '.join(part for part in parts if part)} ({said.sqlstate})")


def reason(error: BaseException) -> str:
    """Explain briefly why a connection failed, without the address, account or password in the driver's message."""
    links: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in links:
        links.append(link)
        link = getattr(link, "orig", None) or link.__cause__ or link.__context__
    for link in links:
        code = next(iter(link.args), None)
        if isinstance(code, int) and code in KNOWN_REFUSALS:
            return KNOWN_REFUSALS[code]
    for link in links:
        said = str(link).casefold()
        if type(link).__module__.startswith("psycopg") and (known := _first(KNOWN_WORDS, said)):
            return known
        if isinstance(link, socket.gaierror):
            return "unknown host"
        if isinstance(link, TimeoutError):
            return "it doesn't answer"
        if isinstance(link, OSError) and link.errno:
            return os.strerror(link.errno)
    if any(isinstance(link, sqlite3.Error) for link in links):
        return NO_FILE
    number = _code_and_text(error)[0] if isinstance(error, DBAPIError) else None
    return f"error {number}" if number is not None else type(error).__name__


KNOWN_REFUSALS = {
    1040: "too many connections",
    1044: "access denied to the database",
    1045: "access denied (wrong user or password)",
    1049: "unknown database",
    1130: "this host is not allowed to connect",
    1203: "the account has too many connections",
    1226: "the account has too many connections",
    1698: "access denied (wrong user or password)",
    3159: "the server wants an encrypted connection",
}


KNOWN_WORDS = {
    "password authentication failed": "access denied (wrong user or password)",
    "no password supplied": "access denied (wrong user or password)",
    "no pg_hba.conf entry": "this host is not allowed to connect",
    'role "" does not exist': "access denied (wrong user or password)",
    'database "" does not exist': "unknown database",
    'permission denied for database ""': "access denied to the database",
    "too many clients": "too many connections",
    "connection slots are reserved": "too many connections",
    "too many connections": "too many connections",
    "connection refused": "Connection refused",
    "translate host name": "unknown host",
    "name or service not known": "unknown host",
    "failed to resolve host": "unknown host",
    "timeout": "it doesn't answer",
    "timed out": "it doesn't answer",
    "starting up": "it is starting up",
    "in recovery mode": "it is starting up",
    "shutting down": "it is shutting down",
}
"""PostgreSQL's client reports a refused login only in words, without a code; the first match counts."""


def _first(known: Mapping[str, str], said: str) -> str | None:
    """Return the meaning of the first known words, ignoring quoted names."""
    said = re.sub(r'"[^"]*"', '""', said)
    return next((meaning for words, meaning in known.items() if words in said), None)


def _code_and_text(error: DBAPIError) -> tuple[int | None, str]:
    match error.orig.args if error.orig else ():
        case (int(code), text, *_):
            return code, str(text)
        case (text, *_):
            return None, str(text)
    return None, type(error.orig).__name__
