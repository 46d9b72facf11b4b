"""The office's key: created only for a new office, recorded in the register from the first letter on.

If the key folder is missing though the register has letters, or holds another office's key, issuing is refused
(standing.py). The register keeps the CA certificates, so letters can be verified without the key folder.
"""

from __future__ import annotations

import functools
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from servers.certificate.issuing import standing
from servers.certificate.issuing.standing import NotNow
from servers.certificate.register.archive import Archive
from servers.certificate.register.database import LedgerError
from servers.certificate.register.ledger import Ledger
from servers.certificate.settings import Settings
from servers.certificate.signing import officekey, statementkey
from servers.certificate.signing.officekey import Identity, KeyFiles


class OfficeKeys:
    """The keys of one office, checked against its register."""

    def __init__(self, settings: Settings, office: str, ledger: Ledger, archive: Archive) -> None:
        self._settings, self._office, self._ledger, self._archive = settings, office, ledger, archive

    def exist(self) -> bool:
        """Return whether there is a key, without creating one."""
        return self._settings.names_key or (self._settings.office_dir / "office.cert.pem").exists()

    @functools.cached_property
    def files(self) -> KeyFiles:
        """Return the files of the configured key, or of one created at first use. Raises NotNow, OfficeKeyError."""
        settings = self._settings
        if settings.names_key and settings.cert_file is not None:
            chain = settings.chain_file or settings.cert_file
            return KeyFiles(settings.key_file, settings.cert_file, (chain,), (chain,))
        used = self._ledger.last_day() is not None  # read first: another process may create a key
        if not self.exist():
            refusal = standing.key_missing(str(settings.office_dir), used, self.shared)
            if refusal is not None:
                raise NotNow(refusal)
        return officekey.ensure(settings.office_dir, self._office, settings.passphrase)

    @property
    def shared(self) -> bool:
        """Return whether other nodes may sign for the same register."""
        return self._settings.register_file is None

    def open(self) -> None:
        """Raise OfficeKeyError unless the passphrase decrypts the existing key files; creates none."""
        settings = self._settings
        office = settings.key_file if settings.names_key else settings.office_dir / "office.key.pem"
        for file in (office, settings.statement_key_file or settings.office_dir / statementkey.KEY):
            if file is not None and file.exists():
                officekey.opened(file, settings.passphrase)

    @functools.cached_property
    def signer(self) -> Any:
        """Return the office's signer; importing pyHanko takes half a second. Raises NotNow, OfficeKeyError."""
        from servers.certificate.signing.signing import OfficeSigner

        settings = self._settings
        return OfficeSigner(self.files, settings.passphrase, self._office, settings.token, settings.timestamp)

    @functools.cached_property
    def statement(self) -> Ed25519PrivateKey:
        """Return the key that signs QR codes' statements: the configured one, or one created at first use.

        Raises OfficeKeyError, also if letters of this register have statements but their key is missing.
        """
        settings = self._settings
        if settings.statement_key_file is not None:
            return statementkey.load(settings.statement_key_file, settings.passphrase)
        # In this order, since another process may create the first key between both checks.
        if any(one.statement for one in self.known()) and not statementkey.exists(settings.office_dir):
            raise officekey.OfficeKeyError(
                f"{settings.office_dir / statementkey.KEY} is missing, though letters carry its statements: "
                "put it back from a backup, make new keys with init --renew, or name one by OFFICE_STATEMENT_KEY_FILE"
            )
        return statementkey.ensure(settings.office_dir, settings.passphrase)

    def statement_keys(self) -> list[Ed25519PublicKey]:
        """Return the public keys that verify our statements, from the key folder and, if readable, the register."""
        configured = [self.statement.public_key()] if self._settings.statement_key_file is not None else []
        try:
            remembered = [statementkey.public_of(one.statement) for one in self.known() if one.statement]
        except LedgerError:
            remembered = []
        found = configured + statementkey.public_keys(self._settings.office_dir) + remembered
        return list({statementkey.public_pem(key): key for key in found}.values())

    def known(self) -> list[Identity]:
        """Return the identities that signed the register's letters, oldest first."""
        bodies = [one.data for one in self._ledger.entries(event="key")]
        return [Identity(body["certificate"], tuple(body["roots"]), body["statement"]) for body in bodies]

    def roots(self) -> list[Any]:
        """Return the CA certificates for our signatures, from the key folder and the register; creates nothing.

        Raises OfficeKeyError.
        """
        pems = {root for one in self.known() for root in one.roots}
        files = self.files.roots if self._settings.names_key else officekey.roots(self._settings.office_dir)
        return [*officekey.certificates(*files), *officekey.of_pem(pems)]

    def belongs(self) -> bool:
        """Return whether the key belongs to the register's letters. Raises NotNow, OfficeKeyError."""
        present, known = officekey.identity(self.files), self.known()
        if known:
            return any(present.succeeds(one) for one in known)
        return not self._signed_the_last_letter_by_another()

    def remember(self, at: datetime) -> None:
        """Record in the register whose key signs from now on, unless recorded already."""
        statement = statementkey.public_pem(self.statement.public_key()).decode()
        present, known = replace(officekey.identity(self.files), statement=statement), self.known()
        if not known or known[-1] != present:
            self._ledger.note("key", asdict(present), at)

    def _signed_the_last_letter_by_another(self) -> bool:
        """For registers of earlier versions, without recorded keys: check the newest letter in the archive."""
        from servers.certificate.signing.signing import examine

        files = [self._archive.path(row.file) for row in self._ledger.all() if row.file is not None]
        newest = next((file for file in reversed(files) if file.exists()), None)
        return newest is not None and examine(newest.read_bytes(), self.roots()) == "foreign"
