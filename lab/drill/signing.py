"""Rows of the register's drill: the key's token, its PIN or the timestamp authority is unavailable. SoftHSM2 and
`openssl ts` are real.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from lab.drill.attacks import Attack
from servers.certificate.issuing.issued import IssueError
from servers.certificate.issuing.issuing import LetterService
from tests.servers.certificate.authority import Authority, serving
from tests.servers.certificate.letters import DOMISILI, issue, open_service
from tests.servers.certificate.test_signing import token_in, tokens_at

TRIES = 5


def signing(folder: Path) -> list[Attack]:
    """Run both rows below `folder`, which is created."""
    return [_token(folder / "token"), _authority(folder / "authority")]


def _token(folder: Path) -> Attack:
    """A wrong PIN, then no token, then both right: there must be one letter, with the first number."""
    os.environ["SOFTHSM2_CONF"] = tokens_at(folder)
    settings = token_in(folder)
    pin = Path(settings["PKCS11_PIN_FILE"])
    right = pin.read_text()
    pin.write_text("999999")
    service = open_service(folder, **settings)
    heard = _refused(service)
    service.close()
    pin.write_text(right)
    service = open_service(folder, **settings)
    shutil.move(folder / "tokens", folder / "away")
    (folder / "tokens").mkdir()
    heard += _refused(service)
    (folder / "tokens").rmdir()
    shutil.move(folder / "away", folder / "tokens")
    lost = 2 * TRIES - len(heard)
    lost += not issue(service, key="run:1").number.startswith("001/")
    service.close()
    return Attack("a letter by a wrong PIN of the key's token, then without the token", 2 * TRIES, _said(heard), lost)


def _authority(folder: Path) -> Attack:
    """The authority answers nonsense, then correctly: the letter must get the number reserved for it."""
    with serving(Authority(folder)) as authority:
        service = open_service(folder, TIMESTAMP_URL=authority.url, TIMESTAMP_TIMEOUT_S="5")
        authority.reply = b"no timestamp"
        heard = _refused(service)
        authority.reply = None
        lost = TRIES - len(heard)
        lost += not issue(service, key="run:1").number.startswith("001/") or len(service.ledger.all()) != 1
        service.close()
    return Attack("a letter while the timestamp authority answers nonsense", TRIES, _said(heard), lost)


def _refused(service: LetterService) -> list[str]:
    """Try to issue TRIES times; return the kinds of the refusals, one less for each letter that was issued."""
    heard = []
    for _ in range(TRIES):
        try:
            issue(service, DOMISILI, "run:1")
        except IssueError as error:
            heard.append(error.kind)
    return heard


def _said(heard: list[str]) -> str:
    return ", ".join(sorted(set(heard))) + "; then the first number"
