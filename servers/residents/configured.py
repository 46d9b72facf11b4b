"""The configured register: OpenSID's, our own schema's or the sample; decided by its tables at first use.

It can be created while the database is down: each call then reports that, and the next one tries again.
"""

from __future__ import annotations

import sqlalchemy as sa

from servers.residents.database import Database
from servers.residents.issued_log import IssuedLog
from servers.residents.opensid import MARK, OpensidRegister
from servers.residents.own import OwnRegister
from servers.residents.resident import Found, PinForm, Register, RegisterError
from servers.residents.sample import NOTICE, SampleRegister
from servers.residents.settings import Settings


class ConfiguredRegister:
    """A register by settings. Raises RegisterError at once for an invalid address, otherwise at the first call."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._database = Database(settings.url) if settings.url else None
        self._register: Register | None = None
        self._log: IssuedLog | None = None
        self.notice = None if settings.url else NOTICE

    @property
    def pins(self) -> PinForm:
        return self.opened().pins

    def find(self, *, nik: str | None = None, card: str | None = None) -> Found | None:
        return self.opened().find(nik=nik, card=card)

    def family(self, found: Found) -> list[Found]:
        return self.opened().family(found)

    def issued_log(self) -> IssuedLog:
        """Return OpenSID's lists of issued letters. Raises RegisterError for a register without such lists."""
        register = self.opened()
        if not isinstance(register, OpensidRegister) or self._settings.url is None:
            raise RegisterError("WRITE_LOG is true, but the register is not OpenSID's: only that has log_surat")
        self._log = self._log or IssuedLog(self._settings.url, register, self._settings.zone)
        return self._log

    def opened(self) -> Register:
        if self._register is None:
            self._register = self._open()
        return self._register

    def _open(self) -> Register:
        if self._database is None:
            return SampleRegister()
        with self._database.connection() as connection:
            is_opensid = sa.inspect(connection).has_table(MARK)
        if is_opensid:
            register = OpensidRegister(self._database, self._settings.office_id)
            register.office()
            return register
        own = OwnRegister(self._database)
        own.check()
        return own
