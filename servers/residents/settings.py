"""The register's settings from the environment. Reads it once; opens nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field

from servers.common import clock
from servers.common.credentials import credential


class SettingsError(ValueError):
    """An environment variable is wrong; the text names it."""


class Settings(BaseModel, frozen=True):
    """The server's settings.

    | variable | default |
    |---|---|
    | RESIDENTS_URL | the credential residents_url, else the sample register |
    | OFFICE_CONFIG_ID | with one row in OpenSID's `config` that one; with several it is needed |
    | AGENTD_STATE | ./state; the count of wrong PINs is its file residents/locks.db |
    | WRITE_LOG | false; true: issued letters are written into OpenSID's log_surat and permohonan_surat |
    | DEFAULT_TIMEZONE | Asia/Jakarta: the zone of the times in these lists |
    | the credential residents_locks_url | a PostgreSQL for that count, where several nodes serve one office |
    """

    url: str | None = Field(default=None, repr=False)
    office_id: int | None
    home: Path
    locks_url: str | None = Field(default=None, repr=False)
    write_log: bool = False
    zone: ZoneInfo = ZoneInfo("Asia/Jakarta")

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> Settings:
        """Read the settings. Raises SettingsError for invalid ones."""
        url = env.get("RESIDENTS_URL")
        try:
            url = credential("residents_url", env) if url is None else url
            locks_url = credential("residents_locks_url", env)
        except OSError as error:
            raise SettingsError(f"a credential of the register can't be read: {error.strerror}") from error
        if url is not None and not url.strip():
            raise SettingsError(
                "RESIDENTS_URL (or the credential residents_url) is set, but empty: write the register's address; "
                "without it altogether a sample register is read, and says so"
            )
        office = env.get("OFFICE_CONFIG_ID", "").strip()
        if office and not (office.isascii() and office.isdecimal()):
            raise SettingsError("OFFICE_CONFIG_ID is no number; it is the id of a row of OpenSID's table config")
        return cls(
            url=url and url.strip(),
            office_id=int(office) if office else None,
            home=Path(env.get("AGENTD_STATE") or "state").absolute() / "residents",
            locks_url=locks_url,
            write_log=_flag(env.get("WRITE_LOG", ""), url),
            zone=_zone(env),
        )

    @property
    def locks(self) -> Path | str:
        """Return where wrong PINs are counted: a file, or the nodes' shared database."""
        return self.locks_url or self.home / "locks.db"


def _zone(env: Mapping[str, str]) -> ZoneInfo:
    try:
        return clock.office_zone(env)
    except (ValueError, OSError, KeyError):
        raise SettingsError(f"DEFAULT_TIMEZONE={env['DEFAULT_TIMEZONE']!r} is not an IANA time zone") from None


def _flag(text: str, url: str | None) -> bool:
    if text.strip().lower() in ("", "false"):
        return False
    if text.strip().lower() != "true":
        raise SettingsError("WRITE_LOG is neither true nor false")
    if url is None:
        raise SettingsError("WRITE_LOG is true, but no RESIDENTS_URL names a register to write into")
    return True
