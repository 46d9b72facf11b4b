"""`python -m servers.certificate letters …`: what an office does on its own machine, without a daemon. Serves nothing.

letters init    [--state DIR] [--renew]   make the office's signing key (also made at first use)
letters verify  FILE.pdf [--state DIR]    is this letter genuine? exit 0 only if so
letters verify  --qr TEXT [--key FILE]    is what this QR code says genuine? with the office's public key alone, and no
                                          register, if it is named; else the state's keys and register
letters key     [--state DIR]             the public key that QR codes are verified by, to give to others
letters list    [--state DIR]             the register, one letter a line: number, day, status, type, masked name,
                                          file, who approved it, who voided it, why
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from servers.certificate import officekey, statementkey
from servers.certificate.catalogue import Catalogue
from servers.certificate.issuing import LetterService, masked_name
from servers.certificate.ledger import LedgerError
from servers.certificate.office import OfficeError, load
from servers.certificate.settings import Settings, SettingsError
from servers.certificate.statement import StatementError, read


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
    subject = verify.add_mutually_exclusive_group(required=True)
    subject.add_argument("file", type=Path, nargs="?", metavar="FILE.pdf")
    subject.add_argument("--qr", metavar="TEXT", help="what a letter's QR code says: the whole text")
    verify.add_argument("--key", type=Path, metavar="FILE", help="with --qr: the office's public key; asks no register")
    key = commands.add_parser("key", help="the public key that QR codes are verified by")
    listing = commands.add_parser("list", help="the register, one letter a line")
    for command in (init, verify, key, listing):
        command.add_argument(
            "--state", metavar="DIR", help="the daemon's state folder (default: $AGENTD_STATE, ./state)"
        )
    options = parser.parse_args(argv)
    try:
        if options.command == "verify" and options.key is not None:
            return _verify_alone(options.qr, options.key)
        settings = Settings.from_env(os.environ | ({"AGENTD_STATE": options.state} if options.state else {}))
        service = open_service(settings)
        if options.command == "init":
            return _init(service, settings, options.renew)
        if options.command == "key":
            return _key(settings)
        if options.command == "verify":
            return _verify(service, options.file) if options.qr is None else _verify_qr(service, options.qr)
        return _list(service)
    except (SettingsError, OfficeError, LedgerError, officekey.OfficeKeyError, OSError) as error:
        print(f"letters: {error}", file=sys.stderr)
        return 2


def _init(service: LetterService, settings: Settings, renew: bool) -> int:
    if settings.key_file is not None:
        raise SettingsError("OFFICE_KEY_FILE names the office's key already; unset it to have one made here")
    if (settings.office_dir / "office.cert.pem").exists() and not renew:
        raise officekey.OfficeKeyError(f"{settings.office_dir} holds a key already; --renew replaces it")
    if renew:
        statementkey.retire(settings.office_dir)
    make = officekey.renew if renew else officekey.ensure
    files = make(settings.office_dir, service.office.kelurahan, settings.passphrase)
    print(f"key          {files.key} ({'encrypted' if settings.passphrase else 'no passphrase'})")
    print(f"certificate  {files.cert}")
    print(f"CA to trust  {files.roots[0]}")
    statementkey.ensure(settings.office_dir, settings.passphrase)
    print(f"QR codes'    {settings.office_dir / statementkey.PUBLIC} (public; `letters key` shows it)")
    return 0


def _verify(service: LetterService, file: Path) -> int:
    from servers.certificate.verification import Verifier

    result = Verifier(service).file(file.read_bytes())
    print(f"{result.status}: {result.reason}")
    if result.number is not None:
        print(f"number {result.number}, date {result.date}, name {result.name_masked}, sha256 {result.sha256}")
    return 0 if result.genuine else 1


def _verify_qr(service: LetterService, text: str) -> int:
    """Genuine, or genuine as far as can be said without the register."""
    from servers.certificate.verification import Verifier

    address, _, said = text.strip().rpartition("#")
    result = Verifier(service).statement(said, address)
    print(f"{result.status}: {result.reason}")
    if result.paper is not None:
        _show(result.paper.model_dump())
    return 0 if result.genuine or result.status == "unconfirmed" else 1


def _verify_alone(text: str | None, key: Path) -> int:
    from servers.certificate.verification import STATEMENT_REASONS

    if text is None:
        raise SettingsError("--key goes with --qr: a PDF is verified by the office's register")
    try:
        statement = read(text.strip().rpartition("#")[2], [statementkey.load_public(key)])
    except StatementError as error:
        print(f"tampered: {STATEMENT_REASONS[error.fault]}")
        return 1
    print("genuine: signed by this key; the register was not asked whether the letter is void or expired")
    _show(statement.model_dump(mode="json"))
    return 0


def _show(said: dict[str, str]) -> None:
    for name, value in said.items():
        print(f"{name:12} {value}")


def _key(settings: Settings) -> int:
    if settings.statement_key_file is not None:
        public = statementkey.load(settings.statement_key_file, settings.passphrase).public_key()
    else:
        public = statementkey.load_public(settings.office_dir / statementkey.PUBLIC)
    print(statementkey.public_pem(public).decode(), end="")
    return 0


def _list(service: LetterService) -> int:
    for row in service.ledger.all():
        letter = service.catalogue.types.get(row.letter_type)
        name = masked_name(letter, row.values) if letter else ""
        known = (row.number, row.day.isoformat(), row.status, row.letter_type, name, row.file or "")
        print("\t".join((*known, row.approved_by or "", row.voided_by or "", row.void_reason or "")))
    return 0
