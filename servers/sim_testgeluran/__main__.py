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
from collections.abc import Iterator
from contextlib import contextmanager

from servers.common.books_file import BooksFileError
from servers.common.database import ConfigurationError, Database, DatabaseError
from servers.common.database_errors import UnavailableError
from servers.common.serve import serve
from servers.sim_testgeluran.check import check, look
from servers.sim_testgeluran.executor import Executor
from servers.sim_testgeluran.server import create_server


def main() -> None:
    """Run the server or a command. Exits with status 2 if DATABASE_URL can't be used, 1 if the schema can't be read."""
    try:
        database = Database.from_environment()
    except ConfigurationError as error:
        print(error, file=sys.stderr)  # noqa: T201 - standard error is the log here
        raise SystemExit(2) from error
    if sys.argv[1:] == ["export-schema"]:
        asyncio.run(_export(database))
    elif sys.argv[1:2] == ["check"]:
        asyncio.run(_check(database))
    elif sys.argv[1:2] == ["look"]:
        asyncio.run(_look(database))
    else:
        serve(create_server(database))


async def _check(database: Database) -> None:
    if database.notice is not None:
        print("No database is configured: write [books] url into client.toml.", file=sys.stderr)  # noqa: T201
        raise SystemExit(2)
    with _errors_reported():
        print("\n".join(await check(database)))  # noqa: T201 - standard output is the report


async def _look(database: Database) -> None:
    with _errors_reported():
        line, known = await look(database)
        print(line)  # noqa: T201 - standard output is the report
        raise SystemExit(0 if known else 3)


@contextmanager
def _errors_reported() -> Iterator[None]:
    try:
        yield
    except (DatabaseError, BooksFileError, OSError) as error:
        where = " The address is `[books] url` in client.toml." if isinstance(error, UnavailableError) else ""
        print(f"{error}{where}", file=sys.stderr)  # noqa: T201
        raise SystemExit(1) from error


async def _export(database: Database) -> None:
    try:
        catalogue = await Executor(database).catalogue()
    except DatabaseError as error:
        print(error, file=sys.stderr)  # noqa: T201
        raise SystemExit(1) from error
    json.dump(catalogue.document(), sys.stdout, ensure_ascii=False, indent=1)
    print()  # noqa: T201 - standard output is the export


if __name__ == "__main__":
    main()
