"""`[books]`: an office's own database, and what each server that reads it gets of it. Opens nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field

from agentd.credentials import filled, references, secret

BOOKS_SERVERS = ("mysql_mcp_server", "sim_testgeluran_server", "graphiti_server")
"""The servers that read the books: `[books]` is for all of them alike."""
BOOKS_TOOLS = "analytics"
"""The name under which the daemon offers `ask_books`, as if it were a server."""
DATABASE_URL = "database_url"
"""The credential by which they learn the address."""


class BooksSettings(BaseModel):
    """`[books]`: an office's own database, for every server that reads it. Without it they read a made-up sample."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    url: str | None = None
    """Its address: `mysql+aiomysql://HOST:3306/DATABASE` (MariaDB, MySQL), `postgresql://HOST:5432/DATABASE` or
    `sqlite+aiosqlite:////FILE`. `${NAME}` in it is that credential."""
    account: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$")
    """Name of the credential that holds `USER:PASSWORD`, as they are: of a user that should be able to read only."""
    schemas: list[str] = Field(default_factory=list)
    """The schemas of a PostgreSQL database that hold the books, the first first; left out, `public`."""
    tables: list[str] = Field(default_factory=list)
    """The tables that may be asked about; left out, all of the database."""
    glossary: str = "books.toml"
    """The file that `agentd books check` writes and people edit: words, codes, joins. From the folder of this file."""
    currency: str = Field(default="IDR", pattern="^[A-Z]{3}$")
    """What amounts are in, as ISO 4217 has it."""


def credentials_named(books: BooksSettings) -> list[str]:
    """The credentials that `[books]` needs."""
    return [*references(books.url or ""), *([books.account] if books.account else [])]


def address(books: BooksSettings, environ: Mapping[str, str]) -> str:
    """The whole address, with its account and secrets. `books.url` must be set."""
    url = filled(books.url or "", environ)
    account = (secret(books.account, environ) or "").strip() if books.account else ""
    user, colon, password = account.partition(":")
    scheme, mark, rest = url.partition("://")
    said = f"{quote(user, safe='')}{colon}{quote(password, safe='')}"
    return f"{scheme}{mark}{said}@{rest.rpartition('@')[2]}" if account else url


def environment(books: BooksSettings, folder: Path) -> dict[str, str]:
    """What a server of the books finds in its environment beside the credential."""
    given = {"BOOKS_FILE": str((folder / books.glossary).resolve())}
    lists = {"BOOKS_TABLES": books.tables, "BOOKS_SCHEMAS": books.schemas}
    return given | {name: ",".join(value) for name, value in lists.items() if value}
