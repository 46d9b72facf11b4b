"""Where the letter service keeps things and what it is told by the environment. Reads it once; opens nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict
from sqlalchemy import make_url

from servers.certificate import office
from servers.common.credentials import credential

SHIPPED_LETTERS = Path(__file__).with_name("letters")


class SettingsError(ValueError):
    """An environment variable is wrong; the text names it."""


class Settings(BaseModel):
    """The service's settings.

    | variable | default |
    |---|---|
    | AGENTD_STATE | ./state; the rest lies in its folder `letters` |
    | ARCHIVE_DIR | $AGENTD_STATE/letters: the issued PDFs, in a folder a year |
    | LETTERS_DATABASE_URL | the credential letters_database_url, else the SQLite file ledger.db there; or mariadb://… |
    | LETTERS_DIR | more letter types: folders of letter folders, separated by `:` |
    | OFFICE_FILE | the shipped sample office.toml |
    | OFFICE_DIR | $AGENTD_STATE/letters/office: the local office CA, made at first use; several nodes share one |
    | OFFICE_KEY_FILE, OFFICE_CERT_FILE, OFFICE_CHAIN_FILE | an own key and its chain instead |
    | OFFICE_KEY_PASSPHRASE_FILE | the systemd credential office_key_passphrase, else no passphrase |
    | OFFICE_STATEMENT_KEY_FILE | the Ed25519 key of the QR codes' statements: the office's own, made at first use |
    | VERIFY_BASE_URL | the office file's verify_base_url |
    | DEFAULT_TIMEZONE | Asia/Jakarta: the zone a letter's date is taken in |
    | CERTIFICATE_CRASH_AT | for drills: the point of issuing at which the process dies (see issuing.CRASH_POINTS) |
    """

    model_config = ConfigDict(frozen=True)

    home: Path
    archive: Path
    database_url: str
    letter_dirs: tuple[Path, ...]
    office_file: Path
    office_dir: Path
    key_file: Path | None
    cert_file: Path | None
    chain_file: Path | None
    statement_key_file: Path | None
    passphrase: bytes | None
    verify_base_url: str | None
    zone: ZoneInfo
    crash_at: str | None

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> Settings:
        """Raises SettingsError for what can't be used."""
        home = Path(env.get("AGENTD_STATE") or "state").absolute() / "letters"
        key, cert = env.get("OFFICE_KEY_FILE"), env.get("OFFICE_CERT_FILE")
        if bool(key) != bool(cert):
            raise SettingsError("OFFICE_KEY_FILE and OFFICE_CERT_FILE belong together: set both or neither")
        try:
            zone = ZoneInfo(env.get("DEFAULT_TIMEZONE") or "Asia/Jakarta")
        except (ValueError, OSError, KeyError) as error:
            raise SettingsError(f"DEFAULT_TIMEZONE={env['DEFAULT_TIMEZONE']!r} is not an IANA time zone") from error
        return cls(
            home=home,
            archive=Path(env.get("ARCHIVE_DIR") or home).absolute(),
            database_url=env.get("LETTERS_DATABASE_URL")
            or credential("letters_database_url", env)
            or f"sqlite:///{home / 'ledger.db'}",
            letter_dirs=(SHIPPED_LETTERS, *(Path(part) for part in env.get("LETTERS_DIR", "").split(":") if part)),
            office_file=Path(env.get("OFFICE_FILE") or office.SAMPLE),
            office_dir=Path(env.get("OFFICE_DIR") or home / "office").absolute(),
            key_file=Path(key) if key else None,
            cert_file=Path(cert) if cert else None,
            chain_file=Path(env["OFFICE_CHAIN_FILE"]) if env.get("OFFICE_CHAIN_FILE") else None,
            statement_key_file=Path(named) if (named := env.get("OFFICE_STATEMENT_KEY_FILE")) else None,
            passphrase=_passphrase(env),
            verify_base_url=env.get("VERIFY_BASE_URL") or None,
            zone=zone,
            crash_at=env.get("CERTIFICATE_CRASH_AT") or None,
        )

    @property
    def register_file(self) -> Path | None:
        """The register, when it is a file of this machine."""
        url = make_url(self.database_url)
        return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None

    @property
    def register_place(self) -> str:
        """Where the register is, in words: never with a password."""
        return str(self.register_file or make_url(self.database_url).render_as_string(hide_password=True))


def _passphrase(env: Mapping[str, str]) -> bytes | None:
    """From OFFICE_KEY_PASSPHRASE_FILE, else from the systemd credential; never from the environment itself."""
    named = env.get("OFFICE_KEY_PASSPHRASE_FILE")
    try:
        if named:
            return Path(named).read_bytes().rstrip(b"\r\n") or None
        found = credential("office_key_passphrase", env)
    except OSError as error:
        raise SettingsError(f"OFFICE_KEY_PASSPHRASE_FILE {error.filename}: {error.strerror}") from error
    return None if found is None else found.encode("utf-8", "surrogateescape") or None
