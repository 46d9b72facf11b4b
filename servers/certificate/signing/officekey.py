"""The office's signing key and the small CA that certifies it: created once, then loaded. Signs nothing itself.

The office folder contains `ca.key.pem`, `ca.cert.pem`, `office.key.pem`, `office.cert.pem`, and `retired-*.cert.pem`,
earlier CAs, still trusted for their letters. Keys are P-256, mode 0600, encrypted if there is a passphrase.
"""

from __future__ import annotations

import datetime as dt
import fcntl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.x509.oid import NameOID

from hardening.files import replace

CA_YEARS, OFFICE_YEARS = 20, 10
USAGES = (
    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement"),
    *("key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
)


class OfficeKeyError(ValueError):
    """The office's key can't be made or used; the text says which file and what to do."""


class SigningWaits(OSError):
    """Signing isn't possible now, through no fault of the letter: it keeps its number and is signed later."""


@dataclass(frozen=True)
class KeyFiles:
    """Paths of the key, its certificate, the rest of its chain, and the trusted CA certificates.

    `key` is None for a key in a token.
    """

    key: Path | None
    cert: Path
    chain: tuple[Path, ...]
    roots: tuple[Path, ...]


@dataclass(frozen=True)
class Identity:
    """A signer of letters: the key's certificate and the CA certificates trusted for it, as PEM."""

    certificate: str
    roots: tuple[str, ...]
    statement: str = ""
    """The public key of the QR codes' statements."""

    def succeeds(self, other: Identity) -> bool:
        """Whether both belong to one office: a common CA (renewed keys keep the old one as a root), or the same key."""
        return bool(set(self.roots) & set(other.roots)) or _public(self.certificate) == _public(other.certificate)

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 of the key's certificate, in hex."""
        return x509.load_pem_x509_certificate(self.certificate.encode()).fingerprint(hashes.SHA256()).hex()


def identity(files: KeyFiles) -> Identity:
    """Return the current key's identity. Raises OfficeKeyError."""
    try:
        leaf = x509.load_pem_x509_certificates(files.cert.read_bytes())[0]
        found = {cert for path in files.roots for cert in x509.load_pem_x509_certificates(path.read_bytes())}
    except (OSError, ValueError) as error:
        raise OfficeKeyError(f"{files.cert} or its chain can't be read as certificates") from error
    return Identity(_text(leaf), tuple(sorted(_text(cert) for cert in found)))


def retire(folder: Path, known: Iterable[Identity]) -> None:
    """Write the CA certificates of lost keys to the folder, so that their letters stay trusted."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for root in {root.encode() for one in known for root in one.roots}:
        _retire(folder, root)


def _retire(folder: Path, ca: bytes) -> None:
    replace(folder / f"retired-{x509.load_pem_x509_certificate(ca).serial_number:x}.cert.pem", ca)


def ensure(folder: Path, office: str, passphrase: bytes | None) -> KeyFiles:
    """Return the office's own key, created at first use; safe across processes. Raises OfficeKeyError."""
    with locked(folder):
        if not (folder / "office.cert.pem").exists():
            _make(folder, office, passphrase)
    ca = folder / "ca.cert.pem"
    return KeyFiles(folder / "office.key.pem", folder / "office.cert.pem", (ca,), roots(folder))


def roots(folder: Path) -> tuple[Path, ...]:
    """Return the existing CA certificates, current and retired; none before the first use."""
    ca = folder / "ca.cert.pem"
    return (*((ca,) if ca.exists() else ()), *sorted(folder.glob("retired-*.cert.pem")))


def renew(folder: Path, office: str, passphrase: bytes | None) -> KeyFiles:
    """Create a new CA and key; the old CA certificate stays trusted, the old keys are removed."""
    with locked(folder):
        if (old := folder / "ca.cert.pem").exists():
            _retire(folder, old.read_bytes())
        _make(folder, office, passphrase)
    return ensure(folder, office, passphrase)


def certificates(*files: Path) -> list[Any]:
    """Load the certificates in these files, PEM or DER. Raises OfficeKeyError, also for a file without one."""
    from pyhanko.keys import load_certs_from_pemder  # slow to import

    found: list[Any] = []
    for file in files:
        try:
            read = list(load_certs_from_pemder([str(file)]))  # type: ignore[no-untyped-call]
        except OSError as error:
            raise OfficeKeyError(f"{file}: {error.strerror}") from error
        except ValueError:
            read = []
        if not read:
            raise OfficeKeyError(f"{file}: no certificate can be read there")
        found += read
    return found


def of_pem(pems: Iterable[str]) -> list[Any]:
    """Return the certificates of PEM texts, which the register remembers."""
    from pyhanko.keys import load_certs_from_pemder_data  # slow to import

    return [cert for pem in pems for cert in load_certs_from_pemder_data(pem.encode())]


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the key folder's lock, creating the folder if needed, so that no other process changes a key."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _text(cert: x509.Certificate) -> str:
    return cert.public_bytes(serialization.Encoding.PEM).decode()


def _public(certificate: str) -> bytes:
    key = x509.load_pem_x509_certificate(certificate.encode()).public_key()
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def _make(folder: Path, office: str, passphrase: bytes | None) -> None:
    """Write all four files; `office.cert.pem` is written last and marks a complete set."""
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name = _name(office, f"{office} – CA surat")
    ca = _certificate(ca_name, ca_key, ca_name, ca_key, years=CA_YEARS, ca=True)
    cert = _certificate(_name(office, f"{office} – penanda tangan surat"), key, ca_name, ca_key, OFFICE_YEARS, ca=False)
    replace(folder / "ca.key.pem", pem(ca_key, passphrase))
    replace(folder / "ca.cert.pem", ca.public_bytes(serialization.Encoding.PEM))
    replace(folder / "office.key.pem", pem(key, passphrase))
    replace(folder / "office.cert.pem", cert.public_bytes(serialization.Encoding.PEM))


def _certificate(
    subject: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name,
    issuer_key: ec.EllipticCurvePrivateKey,
    years: int,
    ca: bool,
) -> x509.Certificate:
    now = dt.datetime.now(dt.UTC)
    usage = dict.fromkeys(USAGES, False)
    usage |= (
        {"key_cert_sign": True, "crl_sign": True} if ca else {"digital_signature": True, "content_commitment": True}
    )
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=365 * years))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=0 if ca else None), critical=True)
        .add_extension(x509.KeyUsage(**usage), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
        .sign(issuer_key, hashes.SHA256())
    )


def _name(organisation: str, common: str) -> x509.Name:
    parts = ((NameOID.COUNTRY_NAME, "ID"), (NameOID.ORGANIZATION_NAME, organisation), (NameOID.COMMON_NAME, common))
    return x509.Name([x509.NameAttribute(oid, value[:64]) for oid, value in parts])


def pem(key: ec.EllipticCurvePrivateKey | Ed25519PrivateKey, passphrase: bytes | None) -> bytes:
    """Return a private key as PEM, encrypted if there is a passphrase."""
    encryption = serialization.BestAvailableEncryption(passphrase) if passphrase else serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)


def opened(path: Path, passphrase: bytes | None) -> Any:
    """Load a private key from a file. Raises OfficeKeyError, also if it is unencrypted though there is a passphrase."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise OfficeKeyError(f"{path}: {error.strerror}") from error
    if passphrase and b"ENCRYPTED" not in data:
        raise OfficeKeyError(f"{path} has no passphrase yet: encrypt it, or make keys that have it by init --renew")
    try:
        return serialization.load_pem_private_key(data, passphrase)
    except (ValueError, TypeError) as error:
        raise OfficeKeyError(
            f"{path} can't be read with {'this' if passphrase else 'no'} passphrase; "
            "OFFICE_KEY_PASSPHRASE_FILE or the credential office_key_passphrase holds it"
        ) from error
