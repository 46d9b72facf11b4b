"""Where the database is: DATABASE_URL, a credential file, or the embedded ERP. Opens nothing.

    mysql+aiomysql://reader:secret@host:3306/erp     MariaDB or MySQL (mysql+asyncmy:// reads large results faster)
    sqlite+aiosqlite:///relative.db                   a file, four slashes for an absolute path

The credential file is $CREDENTIALS_DIRECTORY/database_url; the embedded ERP is $AGENTD_STATE/erp.db (default ./state).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from servers.common.database_errors import ConfigurationError

DRIVERS = {
    "mysql": "mysql+aiomysql",
    "mysql+aiomysql": "mysql+aiomysql",
    "mysql+asyncmy": "mysql+asyncmy",
    "mariadb": "mariadb+aiomysql",
    "mariadb+aiomysql": "mariadb+aiomysql",
    "mariadb+asyncmy": "mariadb+asyncmy",
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
}


def configured_url(environ: Mapping[str, str]) -> str:
    """DATABASE_URL, else the credential file, else the embedded ERP, which is built when it isn't there."""
    if url := environ.get("DATABASE_URL", "").strip():
        return url
    if folder := environ.get("CREDENTIALS_DIRECTORY"):
        credential = Path(folder) / "database_url"
        if credential.is_file():
            return credential.read_text(encoding="utf-8").strip()
    from servers.common.erp import build  # a database of one's own needs none of it

    return f"sqlite+aiosqlite:///{build(Path(environ.get('AGENTD_STATE') or 'state') / 'erp.db').absolute()}"


def parse_url(url: str | URL) -> URL:
    """The address with its async driver. Raises ConfigurationError, whose text never repeats the address."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise ConfigurationError(
            "DATABASE_URL isn't a database address; write mysql+aiomysql://USER:PASSWORD@HOST:3306/DATABASE "
            "(special characters in the password percent-encoded) or sqlite+aiosqlite:///FILE."
        ) from None
    driver = DRIVERS.get(parsed.drivername)
    if driver is None:
        raise ConfigurationError(f"DATABASE_URL names a driver this server doesn't have; it has {', '.join(DRIVERS)}.")
    if not parsed.database:
        raise ConfigurationError("DATABASE_URL names no database; write it after the last slash.")
    return parsed.set(drivername=driver)
