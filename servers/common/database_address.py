"""The database's address: DATABASE_URL, a credential, or, without either, a sample company. It connects to nothing.

    mysql+aiomysql://reader:secret@host:3306/erp     MariaDB or MySQL (mysql+asyncmy:// reads large results faster)
    postgresql+psycopg://reader:secret@host:5432/erp PostgreSQL
    sqlite+aiosqlite:///relative.db                   a file, four slashes for an absolute path

The credential is $CREDENTIALS_DIRECTORY/database_url; the sample company is $AGENTD_STATE/erp.db (default ./state). If
a database can't be reached, each call fails: nothing falls back to the sample. BOOKS_TABLES and BOOKS_SCHEMAS are the
tables that may be queried (default: all) and the schemas to read (PostgreSQL), separated by commas.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from servers.common.credentials import credential
from servers.common.database_errors import ConfigurationError
from servers.common.phrases import phrases

SAMPLE = phrases("servers.common")["sample"]
"""The notice in every answer from the sample company."""
DRIVERS = {
    "mysql": "mysql+aiomysql",
    "mysql+aiomysql": "mysql+aiomysql",
    "mysql+asyncmy": "mysql+asyncmy",
    "mariadb": "mariadb+aiomysql",
    "mariadb+aiomysql": "mariadb+aiomysql",
    "mariadb+asyncmy": "mariadb+asyncmy",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
}


Kind = Literal["mysql", "postgres", "sqlite"]


def kind_of(url: URL) -> Kind:
    """Return the kind of database; MariaDB counts as `mysql`, since our checks treat its SQL the same."""
    name = url.drivername.partition("+")[0]
    return "sqlite" if name == "sqlite" else "postgres" if name == "postgresql" else "mysql"


def given_url(environ: Mapping[str, str]) -> str | None:
    """Return DATABASE_URL, else the credential, else None. Raises ConfigurationError if it is empty."""
    url = environ.get("DATABASE_URL")
    url = credential("database_url", environ) if url is None else url
    if url is not None and not url.strip():
        raise ConfigurationError(
            "DATABASE_URL (or the credential database_url) is set, but empty. Write the address into it; "
            "without it altogether a small sample company is read, and every answer says so."
        )
    return url and url.strip()


def sample_url(environ: Mapping[str, str]) -> str:
    """Return the URL of the sample company's database, building it if needed."""
    from servers.common.erp import build  # needed only for the sample

    return f"sqlite+aiosqlite:///{build(Path(environ.get('AGENTD_STATE') or 'state') / 'erp.db').absolute()}"


def parse_url(url: str | URL) -> URL:
    """Return the address with its async driver. Raises ConfigurationError, whose text never repeats the address."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise ConfigurationError(
            "DATABASE_URL isn't a database address; write mysql+aiomysql://USER:PASSWORD@HOST:3306/DATABASE "
            "(special characters in the password percent-encoded), postgresql://… or sqlite+aiosqlite:///FILE."
        ) from None
    driver = DRIVERS.get(parsed.drivername)
    if driver is None:
        raise ConfigurationError(f"DATABASE_URL names a driver this server doesn't have; it has {', '.join(DRIVERS)}.")
    if not parsed.database:
        raise ConfigurationError("DATABASE_URL names no database; write it after the last slash.")
    return parsed.set(drivername=driver)
