"""`[analytics]` and `[books]`: how questions to the books are planned, and what their servers get. It opens nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from pydantic import Field

from agentd.apps.analytics.servers import GRAPH, OPERATIONS, SQL
from agentd.config.schema import ClientFile, ServerEntry
from agentd.config.sections import AppSection, Given, Report
from agentd.credentials import filled, open_password, references, secret
from agentd.messages import Scope

BOOKS_SERVERS = (SQL, OPERATIONS, GRAPH)
"""The servers that read the books: `[books]` is for all of them alike."""
BOOKS_TOOLS = "analytics"
"""The name under which `ask_books` is listed, as if it were a server's."""
DATABASE_URL = "database_url"
"""The credential by which they learn the address."""

DATABASES = ("mysql", "mariadb", "postgresql", "postgres", "sqlite")


class AnalyticsSettings(AppSection):
    """`[analytics]`: how questions to the books are planned."""

    plan_style: Literal["sql", "operations"] = "sql"
    """How a question is planned unless it says: as SQL, or as operations."""
    deadline_s: float = Field(default=180.0, gt=0)
    """Seconds that a question may take."""
    audience: list[Scope] | None = Field(default=None, alias="for")
    """Whose agents may ask the books by `ask_books`, a tool of the daemon's own. Left out, staff's and admin's."""

    def own_tools(self) -> Mapping[str, Sequence[Scope] | None]:
        return {BOOKS_TOOLS: self.audience}

    def session_servers(self) -> Sequence[str]:
        """The graph's: it keeps a session's rows."""
        return (GRAPH,)


def _names_it(server: ServerEntry) -> bool:
    """Whether a server's own entry names its database."""
    return DATABASE_URL in server.credentials or "DATABASE_URL" in {*server.env, *server.pass_env}


class BooksSettings(AppSection):
    """`[books]`: an office's own database, for every server that reads it. Without it they read a made-up sample."""

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

    @property
    def server(self) -> str:
        """The server whose commands look at the database."""
        return OPERATIONS

    def check(self, file: ClientFile, problem: Report, warning: Report) -> None:
        """One place names the books' database: two could differ, and figures of the one be explained by the other."""
        own = [index for index, server in enumerate(file.servers) if server.name in BOOKS_SERVERS and _names_it(server)]
        if self.url is None:
            if self.account:
                problem(("books", "account"), "`account` without `url`: name the database, too")
            elif "books" in file.model_fields_set and not own:
                warning(
                    ("books",), "[books] without `url`: answers come from a made-up sample company, not your database"
                )
            return
        kind, mark, place = self.url.partition("://")
        if not self.url.startswith("${") and (not mark or kind.partition("+")[0] not in DATABASES):
            text = "`url` is no database address: mysql+aiomysql://…, postgresql://… or sqlite+aiosqlite:////FILE"
            problem(("books", "url"), text)
        elif mark and not place.partition("/")[2].partition("?")[0]:
            problem(("books", "url"), "`url` names no database: write it after the last slash")
        elif kind.startswith("sqlite") and self.account:
            problem(("books", "account"), "`account` with SQLite: a file has no account; leave it out")
        if wrong := open_password(self.url):
            problem(("books", "url"), f"{wrong}, or `account` for USER:PASSWORD")
        for index in own:
            text = f"server `{file.servers[index].name}` names a database of its own beside `[books]`; leave one out"
            problem(("servers", index), text)
        if lacking := [name for name in BOOKS_SERVERS if name not in {server.name for server in file.servers}]:
            warning(("books", "url"), f"no [[servers]] {', '.join(lacking)}: questions to the books need all of them")

    def credentials(self) -> Sequence[str]:
        """Those of the database."""
        return [*references(self.url or ""), *([self.account] if self.account else [])]

    def given(self, entry: ServerEntry, file: ClientFile, folder: Path, environ: Mapping[str, str]) -> Given:
        """The database, and what may be asked of it."""
        if not self.url or entry.name not in BOOKS_SERVERS:
            return Given()
        lists = {"BOOKS_TABLES": self.tables, "BOOKS_SCHEMAS": self.schemas}
        return Given(
            {
                "BOOKS_FILE": str((folder / self.glossary).resolve()),
                **{name: ",".join(value) for name, value in lists.items() if value},
            },
            {DATABASE_URL: self._address(environ).encode()},
            self.credentials(),
        )

    def _address(self, environ: Mapping[str, str]) -> str:
        """The whole address, with its account and secrets."""
        url = filled(self.url or "", environ)
        account = (secret(self.account, environ) or "").strip() if self.account else ""
        user, colon, password = account.partition(":")
        scheme, mark, rest = url.partition("://")
        said = f"{quote(user, safe='')}{colon}{quote(password, safe='')}"
        return f"{scheme}{mark}{said}@{rest.rpartition('@')[2]}" if account else url
