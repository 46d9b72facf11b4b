"""`python -m servers.certificate letters …`: an office's commands on its own machine, without a daemon. Serves nothing.

`letters --help` lists the commands; `backup`, `places` and `upgrade` are for agentd's own.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from hardening.reasons import reason
from servers.certificate.issuing.issued import masked_name
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.issuing.standing import NotNow
from servers.certificate.languages import words
from servers.certificate.letters.catalogue import Catalogue
from servers.certificate.letters.checking import check, letters_in
from servers.certificate.maintenance.backup import backup, places
from servers.certificate.office import OfficeError, load
from servers.certificate.register.database import LedgerError
from servers.certificate.register.journal import JournalError
from servers.certificate.settings import Settings, SettingsError
from servers.certificate.signing import officekey, statementkey
from servers.certificate.signing.statement import StatementError, read
from servers.common.credentials import credential

NONE_YET = "No letter has been issued yet. They are asked for at /kiosk or by `agentd chat`, once `agentd serve` runs."
OF_A_STATE = ("audit", "list", "repair")
MARKS = {"fault": "✗", "note": "·"}


def open_service(settings: Settings) -> LetterService:
    """Open the configured letter service. Raises OfficeError, LedgerError."""
    office = load(settings.office_file)
    return LetterService(settings, office, Catalogue(settings.letter_dirs, office.signers))


def main(argv: Sequence[str]) -> int:
    """Run the command in `argv` (after `letters`). Returns 0: done, genuine, sound; 1: not so; 2: bad usage."""
    os.umask(0o077)
    options = _parser().parse_args(argv)
    try:
        if options.command == "verify" and options.key is not None:
            return _verify_by_key(options.qr, options.key)
        settings = Settings.from_env(os.environ | ({"AGENTD_STATE": options.state} if options.state else {}))
        if options.command == "check":
            return _check(settings, options.folders)
        if options.command == "import-opensid":
            return _import(settings, options)
        if options.command in OF_A_STATE and options.state and not Path(options.state).is_dir():
            raise SettingsError(f"there is no state folder {options.state}")
        service = open_service(settings)
        try:
            return int(options.run(service, options))
        finally:
            service.ledger.close()
    except (SettingsError, OfficeError, LedgerError, JournalError, NotNow, officekey.OfficeKeyError, OSError) as error:
        print(f"agentd letters: {reason(error)}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="agentd letters", description="The office's letters: key, register, verification."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    init = commands.add_parser("init", help="make the office's signing key and CA")
    init.set_defaults(run=_init)
    init.add_argument("--renew", action="store_true", help="replace an existing key; its CA stays trusted")
    verify = commands.add_parser("verify", help="check a letter's PDF; exit 0 only if it is genuine")
    verify.set_defaults(run=_verify)
    subject = verify.add_mutually_exclusive_group(required=True)
    subject.add_argument("file", type=Path, nargs="?", metavar="FILE.pdf")
    subject.add_argument("--qr", metavar="TEXT", help="what a letter's QR code says: the whole text")
    verify.add_argument("--key", type=Path, metavar="FILE", help="with --qr: the office's public key; asks no register")
    commands.add_parser("key", help="print the public key that verifies QR codes").set_defaults(run=_key)
    commands.add_parser("list", help="print the register, one letter a line").set_defaults(run=_list)
    checking = commands.add_parser("check", help="list the mistakes in the letters' folders; exit 0 if there is none")
    checking.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="default: the office's")
    auditing = commands.add_parser("audit", help="compare register, archive and key; exit 0 if they agree")
    auditing.set_defaults(run=_audit)
    auditing.add_argument("--quick", action="store_true", help="only whether letters can be issued now")
    auditing.add_argument("--expect", metavar="NUMBER:HASH", help="a head noted earlier, which must still be there")
    auditing.add_argument("--json", action="store_true", help="print the findings as JSON")
    repairing = commands.add_parser("repair", help="repair what can be repaired; deletes nothing")
    repairing.set_defaults(run=_repair)
    repairing.add_argument("--yes", action="store_true", help="do it without asking")
    repairing.add_argument("--accept-key", action="store_true", help="let the key that is there sign from now on")
    repairing.add_argument("--next", metavar="SERIES=NUMBER", type=_series, help="give no number up to this one")
    copying = commands.add_parser("backup", help="copy register, archive and key; `agentd backup` calls it")
    copying.set_defaults(run=lambda service, options: _say(json.dumps(backup(service, options.folder))))
    copying.add_argument("folder", type=Path, metavar="DIR")
    upgrading = commands.add_parser("upgrade", help="bring an earlier agentd's register up; `agentd migrate` calls it")
    upgrading.set_defaults(run=_upgrade)
    importing = commands.add_parser("import-opensid", help="make letter folders from OpenSID's templates")
    importing.add_argument("--from", dest="url", metavar="URL", help="the database (default: $RESIDENTS_URL)")
    importing.add_argument("--office", type=int, metavar="N", help="its id in config, where several share the database")
    importing.add_argument("--into", type=Path, metavar="DIR", help="where to (default: the folder of LETTERS_DIR)")
    importing.add_argument("--dry-run", action="store_true", help="only say what would be made")
    telling = commands.add_parser("places", help="where register, archive and key are, as JSON")
    telling.set_defaults(run=lambda service, _options: _say(json.dumps(places(service.settings))))
    for command in commands.choices.values():
        command.add_argument("--state", metavar="DIR", help="the state folder (default: $AGENTD_STATE, ./state)")
    return parser


def _say(text: str) -> int:
    print(text)
    return 0


def _check(settings: Settings, folders: Sequence[Path]) -> int:
    letters = [letter for folder in folders or settings.letter_dirs for letter in letters_in(folder.absolute())]
    found = list(check(letters, load(settings.office_file).signers))
    there = [one for one in letters if any((one / name).is_file() for name in ("letter.toml", "letter.txt"))]
    looked_at = _many(len(there), "letter")
    print("\n".join([*found, f"{looked_at}, {_many(len(found), 'mistake')}"]))
    return 1 if found else 0


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _import(settings: Settings, options: argparse.Namespace) -> int:
    from servers.certificate.opensid.importing import import_letters
    from servers.certificate.opensid.source import SourceError

    url = options.url or os.environ.get("RESIDENTS_URL") or credential("residents_url", os.environ)
    target = options.into or next(iter(settings.letter_dirs[1:]), None)
    if not url or target is None:
        missing = "RESIDENTS_URL (or --from URL) names OpenSID's database" if not url else "--into DIR, or LETTERS_DIR"
        raise SettingsError(f"{missing}: set it")
    try:
        shown, all_made = import_letters(url, options.office, target, options.dry_run)
    except SourceError as error:
        raise SettingsError(str(error)) from error
    print(shown)
    return 0 if all_made else 1


def _init(service: LetterService, options: argparse.Namespace) -> int:
    """Create the office's keys, or with --renew new ones; letters issued so far stay genuine. Returns 0.

    Raises SettingsError if a key is configured, OfficeKeyError if one exists already or was lost.
    """
    settings, renew = service.settings, options.renew
    if settings.names_key:
        raise SettingsError(
            "OFFICE_KEY_FILE or PKCS11_MODULE names the office's key already; unset it to have one made here"
        )
    if service.keys.exist() and not renew:
        raise officekey.OfficeKeyError(f"{settings.office_dir} holds a key already; --renew replaces it")
    used = service.ledger.exists() and service.ledger.last_day() is not None
    if used and not service.keys.exist() and not renew:
        raise officekey.OfficeKeyError(
            f"the register has letters, but their key is not in {settings.office_dir}: put it back from a backup; "
            "if it is lost for good, --renew makes a new one"
        )
    if used:
        officekey.retire(settings.office_dir, service.keys.known())
    if renew:
        statementkey.retire(settings.office_dir)
    make = officekey.renew if renew else officekey.ensure
    files = make(settings.office_dir, service.office.kelurahan, settings.passphrase)
    if settings.statement_key_file is None:
        statementkey.ensure(settings.office_dir, settings.passphrase)
    if used:
        service.keys.remember(service.now())
    print(f"key          {files.key} ({'encrypted' if settings.passphrase else 'no passphrase'})")
    print(f"certificate  {files.cert}")
    print(f"CA to trust  {files.roots[0]}")
    print("QR codes'    `agentd letters key` shows the public key")
    return 0


def _upgrade(service: LetterService, _options: argparse.Namespace) -> int:
    if not service.ledger.exists() or service.ledger.chained():
        return _say("the register is up to date, or there is none yet")
    service.recover()
    return _say(f"the register of {len(service.ledger.all())} letters has entries, guards and its journal from now on")


def _audit(service: LetterService, options: argparse.Namespace) -> int:
    from servers.certificate.maintenance.audit import audit, expected, head, why_not_now

    findings = list(why_not_now(service)) if options.quick else audit(service)
    findings += expected(service, options.expect) if options.expect else []
    if options.json:
        print(json.dumps([finding.model_dump() for finding in findings], ensure_ascii=False))
    else:
        lines = [f"{MARKS[one.mark]} {one.what}" + (f"\n    → {one.to_do}" if one.to_do else "") for one in findings]
        print("\n".join([*(lines or ["✓ register, archive, key and clock agree"]), f"head {head(service)}"]))
    return 1 if any(finding.mark == "fault" for finding in findings) else 0


def _repair(service: LetterService, options: argparse.Namespace) -> int:
    from servers.certificate.maintenance import repair

    made = left = 0
    with service.archive.exclusive():
        wanted = [repair.accept_key(service)] if options.accept_key else []
        wanted += [repair.go_on_after(service, *options.next)] if options.next else []
        for step in itertools.chain(wanted, repair.steps(service)):
            if step.do is None:
                print(f"✗ can't be repaired: {step.what}")
                left += 1
            elif options.yes or _agreed(step.what):
                step.do()
                print(f"✓ {step.what}")
                made += 1
            else:
                print(f"· not done: {step.what}")
                left += 1
        if not left:
            service.checks.follow()
    if not (made or left):
        print("nothing to repair")
    return 1 if left else 0


def _agreed(what: str) -> bool:
    return sys.stdin.isatty() and input(f"{what}\n    do this? [y/N] ").strip().lower() in ("y", "yes", "ya")


def _series(text: str) -> tuple[str, int]:
    series, equals, last = text.partition("=")
    if not series or not equals or not last.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not SERIES=NUMBER, for example SKD=14")
    return series, int(last)


def _verify(service: LetterService, options: argparse.Namespace) -> int:
    """Verify a file or a QR code's text; returns 0 if genuine, or unconfirmed because the register can't be read."""
    from servers.certificate.verifying.verification import Verifier

    if options.qr is None:
        result = Verifier(service).file(options.file.read_bytes())
    else:
        address, _, statement = options.qr.strip().rpartition("#")
        result = Verifier(service).statement(statement, address)
    print(f"{result.status}: {result.reason}")
    if result.paper is not None:
        _show(result.paper.model_dump())
    elif result.number is not None:
        print(f"number {result.number}, date {result.date}, name {result.name_masked}, sha256 {result.sha256}")
    return 0 if result.genuine or result.status == "unconfirmed" else 1


def _verify_by_key(text: str | None, key: Path) -> int:
    """Verify a QR code's statement with only the office's public key; returns 0 if that key signed it, else 1."""
    if text is None:
        raise SettingsError("--key goes with --qr: a PDF is verified by the office's register")
    try:
        statement = read(text.strip().rpartition("#")[2], [statementkey.load_public(key)])
    except StatementError as error:
        print(f"tampered: {words('id').verification[error.fault]}")
        return 1
    print("genuine: signed by this key; the register was not asked whether the letter is void or expired")
    _show(statement.model_dump(mode="json"))
    return 0


def _show(fields: dict[str, str]) -> None:
    for name, value in fields.items():
        print(f"{name:12} {value}")


def _key(service: LetterService, _options: argparse.Namespace) -> int:
    settings = service.settings
    if settings.statement_key_file is not None:
        public = statementkey.load(settings.statement_key_file, settings.passphrase).public_key()
    else:
        public = statementkey.load_public(settings.office_dir / statementkey.PUBLIC)
    print(statementkey.public_pem(public).decode(), end="")
    return 0


def _list(service: LetterService, _options: argparse.Namespace) -> int:
    rows = service.ledger.all()
    if not rows:
        print(NONE_YET, file=sys.stderr)
    for row in rows:
        letter = service.catalogue.types.get(row.letter_type)
        name = masked_name(letter, row.values) if letter else ""
        known = (row.number, row.day.isoformat(), row.status, row.letter_type, name, row.file or "")
        print("\t".join((*known, row.approved_by or "", row.voided_by or "", row.void_reason or "")))
    return 0
