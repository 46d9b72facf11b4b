"""`python -m servers.residents check | import FILE | pin`: an office's commands on its register. Serves nothing."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import tomllib
from collections.abc import Sequence
from functools import partial
from getpass import getpass
from itertools import chain
from pathlib import Path

import sqlalchemy as sa

from hardening.reasons import reason
from servers.residents import checking, importing, sheet
from servers.residents.configured import ConfiguredRegister
from servers.residents.database import WRITE_SECONDS, Database
from servers.residents.opensid import MARK
from servers.residents.own import OwnRegister
from servers.residents.pins import ScryptPins
from servers.residents.resident import RegisterError
from servers.residents.schema import metadata, pins
from servers.residents.settings import Settings, SettingsError

COMMANDS = ("check", "import", "pin")
EXAMPLE = 'as residents_url = "sqlite:////var/lib/agentd/residents.db" in the [[servers]] entry does'


def main(argv: Sequence[str]) -> int:
    """Run a command. Returns 0: done; 1: bad rows, nothing was imported; 2: something can't be used."""
    parser = argparse.ArgumentParser(
        prog="agentd residents",
        description="The office's register of residents.",
        epilog="`python -m servers.residents` without a command starts the MCP server (stdio, or --http HOST:PORT).",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("check", help="what is in the register: counts, unknown codes, families without head, PINs")
    taking = commands.add_parser("import", help="take residents from a sheet into agentd's own register")
    taking.add_argument("file", type=Path, metavar="FILE.csv|FILE.xlsx")
    commands.add_parser("pin", help="make a new PIN for a resident of agentd's own register; it is shown once")
    for command in commands.choices.values():
        command.add_argument("--state", metavar="DIR", help="the daemon's state folder (default: $AGENTD_STATE)")
    options = parser.parse_args(argv)
    os.umask(0o077)
    try:
        settings = Settings.from_env(os.environ | ({"AGENTD_STATE": options.state} if options.state else {}))
        match options.command:
            case "check":
                return _check(settings)
            case "import":
                return _import(settings, options.file)
            case _:
                return _pin(settings)
    except (SettingsError, RegisterError, sheet.SheetError, tomllib.TOMLDecodeError, OSError) as error:
        print(f"agentd residents: {reason(error)}", file=sys.stderr)
        return 2


def _check(settings: Settings) -> int:
    register = ConfiguredRegister(settings).opened()
    database = Database(settings.url, seconds=60) if settings.url else None
    for line in checking.findings(register, database):
        print(line)
    return 0


def _own_database(settings: Settings) -> Database:
    if settings.url is None:
        raise SettingsError(f"RESIDENTS_URL is not set: name the database that shall hold the register, {EXAMPLE}")
    database = Database(settings.url, writing=True, seconds=WRITE_SECONDS)
    with database.connection() as connection:
        if sa.inspect(connection).has_table(MARK):
            raise RegisterError("RESIDENTS_URL is an OpenSID's database, which agentd never writes: use OpenSID")
    return database


def _import(settings: Settings, file: Path) -> int:
    database = _own_database(settings)
    lines = sheet.rows(file)
    header = next((cells for _, cells in lines), None)
    if header is None:
        raise sheet.SheetError(f"{file.name} is empty")
    fields = _fields(header, settings.home / "columns.toml")
    try:
        count = importing.run(database, chain(lines), fields, _progress)
    except importing.NothingImported as error:
        for bad in error.bad:
            print(f"{file.name}:{bad.line}: {bad.reason}", file=sys.stderr)
        print(f"residents: {error}", file=sys.stderr)
        return 1
    print(f"{count} resident{'s' * (count != 1)} imported")
    return 0


def _progress(count: int) -> None:
    if count % 10_000 == 0:
        print(f"{count} rows …", file=sys.stderr)


def _fields(header: list[str], kept: Path) -> list[str]:
    """Return each column's field. At a terminal, unknown columns are asked for once and the answers saved."""
    chosen: dict[str, str] = tomllib.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    asked: dict[str, str] = {}
    fields = []
    for name in header:
        field = importing.field_of(name, chosen)
        if field is None:
            field = asked[name] = _ask(name) if sys.stdin.isatty() else ""
            if not sys.stdin.isatty():
                print(f"column {name!r} is not known and left out; {kept} may name its field", file=sys.stderr)
        fields.append(field)
    for needed in ("nik", "nama"):
        if needed not in fields:
            raise sheet.SheetError(f'no column is {needed}; write `"YOUR COLUMN" = "{needed}"` into {kept}')
    twice = {field for field in fields if field and fields.count(field) > 1}
    if twice:
        raise sheet.SheetError(
            f'several columns are {", ".join(sorted(twice))}; say which in {kept} ("" leaves one out)'
        )
    if asked and sys.stdin.isatty():
        kept.parent.mkdir(parents=True, exist_ok=True)
        pairs = [map(partial(json.dumps, ensure_ascii=False), pair) for pair in (chosen | asked).items()]
        kept.write_text("".join(f"{' = '.join(pair)}\n" for pair in pairs), encoding="utf-8")  # TOML quotes alike
    return fields


def _ask(name: str) -> str:
    while True:
        field = input(f"column {name!r} is which field? (empty: none; {' '.join(importing.NAMES)}) ").strip()
        if not field or field in importing.NAMES:
            return field


def _pin(settings: Settings) -> int:
    database = _own_database(settings)
    nik = (getpass("NIK: ") if sys.stdin.isatty() else sys.stdin.readline()).strip()
    if OwnRegister(database).find(nik=nik) is None:
        raise RegisterError("nobody in the register has that NIK")
    pin = f"{secrets.randbelow(10**6):06d}"
    with database.connection() as connection:
        metadata.create_all(connection)
        connection.execute(sa.delete(pins).where(pins.c.nik == nik))
        connection.execute(sa.insert(pins).values(nik=nik, stored=ScryptPins().make(pin), unchanged=True))
    print(pin)
    return 0
