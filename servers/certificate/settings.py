"""The letter service's folders and settings from the environment. Reads it once; opens nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field
from sqlalchemy import make_url

from servers.certificate import office
from servers.common import clock
from servers.common.credentials import credential

SHIPPED_LETTERS = office.SAMPLE.with_name("letters")


class SettingsError(ValueError):
    """An environment variable is wrong; the text names it."""


class Token(BaseModel, frozen=True):
    """A key in a PKCS#11 token: the path of its module, the labels of token and key, and the PIN if one is needed."""

    module: Path
    label: str
    key_label: str
    pin: str | None = Field(default=None, repr=False)


class Timestamp(BaseModel, frozen=True):
    """An RFC 3161 authority. `required`: a letter stays reserved until it gets a timestamp."""

    url: str
    ca_file: Path | None
    required: bool
    timeout_s: float = Field(gt=0, le=30)


class Settings(BaseModel, frozen=True):
    """The service's settings.

    | variable | default |
    |---|---|
    | AGENTD_STATE | ./state; the rest lies in its folder `letters` |
    | ARCHIVE_DIR | $AGENTD_STATE/letters: the issued PDFs, in a folder a year |
    | LETTERS_DATABASE_URL | the credential letters_database_url, else the SQLite file ledger.db there; or mariadb://… |
    | PROFILE_DIR | the folder of client.toml: a folder `letters` in it holds all letter types, not the shipped ones |
    | LETTERS_DIR | more letter types, beside the shipped: folders of letter folders, separated by `:` |
    | OFFICE_FILE | office.toml in PROFILE_DIR, else the shipped sample |
    | OFFICE_DIR | $AGENTD_STATE/letters/office: the local office CA, made at first use; several nodes share one |
    | OFFICE_KEY_FILE, OFFICE_CERT_FILE, OFFICE_CHAIN_FILE | an own key and its chain instead |
    | OFFICE_KEY_PASSPHRASE_FILE | the systemd credential office_key_passphrase, else no passphrase |
    | PKCS11_MODULE, PKCS11_TOKEN, PKCS11_KEY_LABEL | the key in a token or HSM instead of OFFICE_KEY_FILE, by labels |
    | PKCS11_PIN_FILE | the systemd credential pkcs11_pin, else no PIN |
    | TIMESTAMP_URL, TIMESTAMP_CA_FILE | an RFC 3161 authority, and the CA its timestamps must lead to; off |
    | TIMESTAMP_REQUIRED | true: a letter waits for its timestamp; false: it is signed without when there is none |
    | TIMESTAMP_TIMEOUT_S | 5: seconds for one question to the authority, at most 30 |
    | OFFICE_STATEMENT_KEY_FILE | the Ed25519 key of the QR codes' statements: the office's own, made at first use |
    | VERIFY_BASE_URL | the office file's verify_base_url |
    | DEFAULT_TIMEZONE | Asia/Jakarta: the zone a letter's date is taken in |
    | CERTIFICATE_CRASH_AT | for drills: the point of issuing at which the process dies (see finishing.CRASH_POINTS) |
    """

    home: Path
    archive: Path
    database_url: str
    letter_dirs: tuple[Path, ...]
    office_file: Path
    office_dir: Path
    key_file: Path | None
    cert_file: Path | None
    chain_file: Path | None
    token: Token | None
    timestamp: Timestamp | None
    statement_key_file: Path | None
    passphrase: bytes | None
    verify_base_url: str | None
    zone: ZoneInfo
    crash_at: str | None

    @classmethod
    def from_env(cls, env: Mapping[str, str] = os.environ) -> Settings:
        """Read the settings. Raises SettingsError for invalid ones."""
        home = Path(env.get("AGENTD_STATE") or "state").absolute() / "letters"
        key, cert = env.get("OFFICE_KEY_FILE"), env.get("OFFICE_CERT_FILE")
        token = _token(env)
        if token is not None and key:
            raise SettingsError("PKCS11_MODULE and OFFICE_KEY_FILE both name the office's key: set one of them")
        if bool(key or token) != bool(cert):
            raise SettingsError("OFFICE_CERT_FILE belongs to OFFICE_KEY_FILE, or to PKCS11_MODULE: set both or neither")
        try:
            zone = clock.office_zone(env)
        except (ValueError, OSError, KeyError) as error:
            raise SettingsError(f"DEFAULT_TIMEZONE={env['DEFAULT_TIMEZONE']!r} is not an IANA time zone") from error
        return cls(
            home=home,
            archive=Path(env.get("ARCHIVE_DIR") or home).absolute(),
            database_url=env.get("LETTERS_DATABASE_URL")
            or credential("letters_database_url", env)
            or f"sqlite:///{home / 'ledger.db'}",
            letter_dirs=_letter_dirs(env),
            office_file=Path(env.get("OFFICE_FILE") or _of_profile(env, "office.toml") or office.SAMPLE),
            office_dir=Path(env.get("OFFICE_DIR") or home / "office").absolute(),
            key_file=Path(key) if key else None,
            cert_file=Path(cert) if cert else None,
            chain_file=Path(env["OFFICE_CHAIN_FILE"]) if env.get("OFFICE_CHAIN_FILE") else None,
            token=token,
            timestamp=_timestamp(env),
            statement_key_file=Path(named) if (named := env.get("OFFICE_STATEMENT_KEY_FILE")) else None,
            passphrase=_secret(env, "OFFICE_KEY_PASSPHRASE_FILE", "office_key_passphrase"),
            verify_base_url=env.get("VERIFY_BASE_URL") or None,
            zone=zone,
            crash_at=env.get("CERTIFICATE_CRASH_AT") or None,
        )

    @property
    def names_key(self) -> bool:
        """Return whether the office's key is configured (file or token), not made here."""
        return self.key_file is not None or self.token is not None

    @property
    def register_file(self) -> Path | None:
        """Return the register's file, or None if it is a database server."""
        url = make_url(self.database_url)
        return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None

    @property
    def register_place(self) -> str:
        """Return where the register is, as text without a password."""
        return str(self.register_file or make_url(self.database_url).render_as_string(hide_password=True))


def _letter_dirs(env: Mapping[str, str]) -> tuple[Path, ...]:
    more = tuple(Path(part) for part in env.get("LETTERS_DIR", "").split(":") if part)
    own = None if more else _of_profile(env, "letters")
    return (own or SHIPPED_LETTERS, *more)


def _of_profile(env: Mapping[str, str], name: str) -> Path | None:
    """Return a file or folder beside client.toml, or None if it doesn't exist."""
    beside = Path(env["PROFILE_DIR"], name) if env.get("PROFILE_DIR") else None
    return beside if beside and beside.exists() else None


def _secret(env: Mapping[str, str], variable: str, name: str) -> bytes | None:
    """Read a secret from the file named by a variable, or from the credential; never from the environment itself."""
    named = env.get(variable)
    try:
        if named:
            return Path(named).read_bytes().rstrip(b"\r\n") or None
        found = credential(name, env)
    except OSError as error:
        raise SettingsError(f"{variable} {error.filename}: {error.strerror}") from error
    return None if found is None else found.encode("utf-8", "surrogateescape") or None


def _token(env: Mapping[str, str]) -> Token | None:
    named = {name: env.get(f"PKCS11_{name}") for name in ("MODULE", "TOKEN", "KEY_LABEL")}
    module, label, key_label = named.values()
    if not any(named.values()):
        return None
    if not (module and label and key_label):
        missing = ", ".join(f"PKCS11_{name}" for name, value in named.items() if not value)
        raise SettingsError(
            f"a key in a token needs PKCS11_MODULE, PKCS11_TOKEN and PKCS11_KEY_LABEL; missing: {missing}"
        )
    if not Path(module).is_file():
        raise SettingsError(f"PKCS11_MODULE {module}: there is no such file; it is the token's PKCS#11 library")
    pin = _secret(env, "PKCS11_PIN_FILE", "pkcs11_pin")
    return Token(module=Path(module), label=label, key_label=key_label, pin=pin.decode() if pin else None)


def _timestamp(env: Mapping[str, str]) -> Timestamp | None:
    url, ca_file = env.get("TIMESTAMP_URL"), env.get("TIMESTAMP_CA_FILE")
    if not url:
        return None
    if not url.startswith(("http://", "https://")):
        raise SettingsError("TIMESTAMP_URL is no http:// or https:// address")
    required = env.get("TIMESTAMP_REQUIRED", "true")
    if required not in ("true", "false"):
        raise SettingsError(f"TIMESTAMP_REQUIRED={required!r} is neither true nor false")
    try:
        return Timestamp(
            url=url,
            ca_file=Path(ca_file) if ca_file else None,
            required=required == "true",
            timeout_s=float(env.get("TIMESTAMP_TIMEOUT_S") or 5),
        )
    except ValueError as error:
        raise SettingsError("TIMESTAMP_TIMEOUT_S is no number of seconds up to 30") from error
