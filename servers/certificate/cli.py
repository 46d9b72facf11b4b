"""`python -m servers.certificate letters …`: what an office does on its own machine, without a daemon. Serves nothing.

letters init    [--state DIR] [--renew]   make the office's signing key (also made at first use)
letters verify  FILE.pdf [--state DIR]    is this letter genuine? exit 0 only if so
letters list    [--state DIR]             the register, one letter a line: number, day, status, type, masked name,
                                          file, who approved it, who voided it, why
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from servers.certificate import officekey
from servers.certificate.catalogue import Catalogue
from servers.certificate.issuing import LetterService, masked_name
from servers.certificate.ledger import LedgerError
from servers.certificate.office import OfficeError, load
from servers.certificate.settings import Settings, SettingsError


def open_service(settings: Settings) -> LetterService:
    """The letter service as configured. Raises OfficeError, LedgerError."""
    office = load(settings.office_file)
    return LetterService(settings, office, Catalogue(settings.letter_dirs, office.signers))


def main(argv: Sequence[str]) -> int:
    """`argv` begins after `letters`. Exit status: 0 done or genuine, 1 not genuine, 2 wrong use or configuration."""
    parser = argparse.ArgumentParser(prog="letters", description="The office's letters: key, register, verification.")
    commands = parser.add_subparsers(dest="command", required=True)
    init = commands.add_parser("init", help="make the office's signing key and CA")
    init.add_argument("--renew", action="store_true", help="replace an existing key; its CA stays trusted")
    verify = commands.add_parser("verify", help="check a letter's PDF; exit 0 only if it is genuine")
    verify.add_argument("file", type=Path, metavar="FILE.pdf")
    listing = commands.add_parser("list", help="the register, one letter a line")
    for command in (init, verify, listing):
        command.add_argument(
            "--state", metavar="DIR", help="the daemon's state folder (default: $AGENTD_STATE, ./state)"
        )
    options = parser.parse_args(argv)
    try:
        settings = Settings.from_env(os.environ | ({"AGENTD_STATE": options.state} if options.state else {}))
        service = open_service(settings)
        if options.command == "init":
            return _init(service, settings, options.renew)
        return _verify(service, options.file) if options.command == "verify" else _list(service)
    except (SettingsError, OfficeError, LedgerError, officekey.OfficeKeyError, OSError) as error:
        print(f"letters: {error}", file=sys.stderr)
        return 2


def _init(service: LetterService, settings: Settings, renew: bool) -> int:
    if settings.key_file is not None:
        raise SettingsError("OFFICE_KEY_FILE names the office's key already; unset it to have one made here")
    if (settings.office_dir / "office.cert.pem").exists() and not renew:
        raise officekey.OfficeKeyError(f"{settings.office_dir} holds a key already; --renew replaces it")
    make = officekey.renew if renew else officekey.ensure
    files = make(settings.office_dir, service.office.kelurahan, settings.passphrase)
    print(f"key          {files.key} ({'encrypted' if settings.passphrase else 'no passphrase'})")
    print(f"certificate  {files.cert}")
    print(f"CA to trust  {files.roots[0]}")
    return 0


def _verify(service: LetterService, file: Path) -> int:
    from servers.certificate.verification import Verifier

    result = Verifier(service).file(file.read_bytes())
    print(f"{result.status}: {result.reason}")
    if result.number is not None:
        print(f"number {result.number}, date {result.date}, name {result.name_masked}, sha256 {result.sha256}")
    return 0 if result.genuine else 1


def _list(service: LetterService) -> int:
    for row in service.ledger.all():
        letter = service.catalogue.types.get(row.letter_type)
        name = masked_name(letter, row.values) if letter else ""
        known = (row.number, row.day.isoformat(), row.status, row.letter_type, name, row.file or "")
        print("\t".join((*known, row.approved_by or "", row.voided_by or "", row.void_reason or "")))
    return 0
