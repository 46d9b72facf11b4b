"""The Ed25519 key for the statements in QR codes: created once beside the office's key, then loaded. Signs nothing.

The office folder contains `statement.key.pem` (mode 0600, encrypted if there is a passphrase), `statement.pub.pem`, and
`retired-*.pub.pem`, earlier public keys, still trusted for their letters.
"""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from hardening.files import replace
from servers.certificate.signing.officekey import OfficeKeyError, locked, opened, pem
from servers.certificate.signing.statement import key_id

KEY, PUBLIC = "statement.key.pem", "statement.pub.pem"


def ensure(folder: Path, passphrase: bytes | None) -> Ed25519PrivateKey:
    """Return the office's own key, created at first use; safe across processes. Raises OfficeKeyError.

    If only the public half is left, the key is lost and no new one is made: that would invalidate the statements of all
    its letters.
    """
    with locked(folder):
        key, public = folder / KEY, folder / PUBLIC
        if not key.exists() and public.exists():
            raise OfficeKeyError(f"{key} is missing: put it back from a backup, or make new keys with init --renew")
        if not key.exists():
            replace(key, pem(Ed25519PrivateKey.generate(), passphrase))
        loaded = load(key, passphrase)
        if not public.exists():
            replace(public, public_pem(loaded.public_key()))
    return loaded


def exists(folder: Path) -> bool:
    """Return whether a current key or one half of it exists, without creating one."""
    return any((folder / name).exists() for name in (KEY, PUBLIC))


def load(path: Path, passphrase: bytes | None) -> Ed25519PrivateKey:
    """Load a private key. Raises OfficeKeyError."""
    key = opened(path, passphrase)
    if not isinstance(key, Ed25519PrivateKey):
        raise OfficeKeyError(f"{path} is not an Ed25519 key")
    return key


def public_keys(folder: Path) -> list[Ed25519PublicKey]:
    """Return the existing public keys, current and retired; none before the first use."""
    paths = (folder / PUBLIC, *sorted(folder.glob("retired-*.pub.pem")))
    return [load_public(path) for path in paths if path.exists()]


def load_public(path: Path) -> Ed25519PublicKey:
    """Load a public key that an office published. Raises OfficeKeyError."""
    try:
        return public_of(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise OfficeKeyError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise OfficeKeyError(f"{path} holds no public key in PEM") from error


def public_of(text: str, origin: str = "the register") -> Ed25519PublicKey:
    """Return the public key of a PEM text; `origin` names its origin in errors. Raises OfficeKeyError."""
    try:
        key = serialization.load_pem_public_key(text.encode())
    except ValueError as error:
        raise OfficeKeyError(f"{origin} holds no public key in PEM") from error
    if not isinstance(key, Ed25519PublicKey):
        raise OfficeKeyError(f"{origin}: not an Ed25519 key")
    return key


def retire(folder: Path) -> None:
    """Keep the current public key for its letters and remove the private one; the next use creates a new key."""
    with locked(folder):
        public = folder / PUBLIC
        if public.exists():
            (folder / KEY).unlink(missing_ok=True)
            public.replace(folder / f"retired-{key_id(load_public(public)).hex()}.pub.pem")


def public_pem(key: Ed25519PublicKey) -> bytes:
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
