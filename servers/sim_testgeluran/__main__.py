"""`python -m servers.sim_testgeluran`: start the server; with `export-schema`, `check` or `look`, do that and end.

python -m servers.sim_testgeluran [--http HOST:PORT]
python -m servers.sim_testgeluran export-schema > schema.json      the schema of DATABASE_URL as JSON
python -m servers.sim_testgeluran check      look at the database, write BOOKS_FILE (`agentd books check`)
python -m servers.sim_testgeluran look       a line on the database; exit status 3 where BOOKS_FILE is not of its tables
"""

from __future__ import annotations

import asyncio
import json
import sys

from servers.common.books_file import BooksFileError
from servers.common.catalogue import catalogue_of
from servers.common.database import ConfigurationError, Database, DatabaseError
from servers.common.database_errors import UnavailableError
from servers.common.serve import serve, stopped_by
from servers.sim_testgeluran.check import check, look
from servers.sim_testgeluran.server import create_server


def main() -> None:
    """Run the server or a command. Exits with 2 if DATABASE_URL can't be used, 1 if the database can't be read."""
    with stopped_by(ConfigurationError):
        database = Database.from_environment()
    if (command := COMMANDS.get("".join(sys.argv[1:2]))) is None:
        serve(create_server(database))
        return
    try:
        report, status = asyncio.run(command(database))
    except (DatabaseError, BooksFileError, OSError) as error:
        where = " The address is `[books] url` in client.toml." if isinstance(error, UnavailableError) else ""
        print(f"{error}{where}", file=sys.stderr)  # noqa: T201
        raise SystemExit(1) from error
    print(report)  # noqa: T201 - standard output is the report
    raise SystemExit(status)


async def _check(database: Database) -> tuple[str, int]:
    if database.notice is not None:
        print("No database is configured: write [books] url into client.toml.", file=sys.stderr)  # noqa: T201
        raise SystemExit(2)
    return "\n".join(await check(database)), 0


async def _look(database: Database) -> tuple[str, int]:
    line, known = await look(database)
    return line, 0 if known else 3


async def _export(database: Database) -> tuple[str, int]:
    return json.dumps((await catalogue_of(database)).document(), ensure_ascii=False, indent=1), 0


COMMANDS = {"export-schema": _export, "check": _check, "look": _look}
"""Each returns what to print and its exit status."""


if __name__ == "__main__":
    main()
