"""Signs a letter's PDF (PAdES baseline-B, certified: no changes allowed) and examines a signed one. Knows no ledger."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from pydantic import BaseModel, ConfigDict
from pyhanko.keys import load_certs_from_pemder, load_certs_from_pemder_data
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.fields import MDPPerm, SigFieldSpec, SigSeedSubFilter
from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner, SimpleSigner
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko.sign.validation.status import SignatureCoverageLevel
from pyhanko_certvalidator import ValidationContext

from servers.certificate.officekey import KeyFiles, OfficeKeyError

FIELD = "TandaTanganKantor"
# Room in the CMS object beside the certificates and the signature value: signed attributes take 0.5 kB there.
CMS_BYTES = 768

Finding = Literal["intact", "not_pdf", "unsigned", "changed", "appended", "foreign"]

# pyHanko logs what it can't validate with the certificate's contents; the finding says it already.
logging.getLogger("pyhanko").setLevel(logging.CRITICAL)
logging.getLogger("pyhanko_certvalidator").setLevel(logging.CRITICAL)


class Examination(BaseModel):
    """What a file's signature says by itself; `intact` still needs the ledger's word that the office issued it."""

    model_config = ConfigDict(frozen=True)

    finding: Finding
    signer: str | None = None


class OfficeSigner:
    """The office's key, loaded once."""

    def __init__(self, files: KeyFiles, passphrase: bytes | None, office: str) -> None:
        """Raises OfficeKeyError when the key can't be read or doesn't belong to the certificate."""
        signature_size = _check(files, passphrase)
        self._signer = SimpleSigner.load(  # type: ignore[no-untyped-call]
            str(files.key), str(files.cert), [str(path) for path in files.chain], key_passphrase=passphrase
        )
        self._office = office
        # Counting the room here saves pyHanko a trial signature for each letter; it is in hexadecimal digits.
        certificates = sum(len(cert.dump()) for cert in _certificates((files.cert, *files.chain)))
        self._reserved = 2 * (certificates + signature_size + CMS_BYTES)

    def sign(self, pdf: bytes) -> bytes:
        """The PDF with the office's signature appended; about 7 kB longer."""
        signer = PdfSigner(
            PdfSignatureMetadata(
                field_name=FIELD,
                name=self._office,
                md_algorithm="sha256",
                subfilter=SigSeedSubFilter.PADES,
                certify=True,
                docmdp_permissions=MDPPerm.NO_CHANGES,
            ),
            self._signer,
            new_field_spec=SigFieldSpec(FIELD),
        )
        return bytes(
            signer.sign_pdf(IncrementalPdfFileWriter(io.BytesIO(pdf)), bytes_reserved=self._reserved).getvalue()
        )

    def statement(self, data: bytes) -> bytes:
        """The office's signature of some bytes: ECDSA or RSA PKCS#1 v1.5, with SHA-256."""
        return bytes(self._signer.sign_raw(data, "sha256"))


def signed_by(certificate: str, data: bytes, signature: bytes) -> bool:
    """Whether the key of this certificate (PEM) made this signature of `OfficeSigner.statement`."""
    key = x509.load_pem_x509_certificate(certificate.encode()).public_key()
    try:
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, data, padding.PKCS1v15(), hashes.SHA256())
        elif isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signature, data, ec.ECDSA(hashes.SHA256()))
        else:
            return False
    except InvalidSignature:
        return False
    return True


def load_roots(paths: tuple[Path, ...], pems: Iterable[str] = ()) -> list[Any]:
    """The CA certificates a letter's signature may lead to, of files and of PEM text. Raises OfficeKeyError."""
    try:
        remembered = [cert for pem in pems for cert in load_certs_from_pemder_data(pem.encode())]
        return _certificates(paths) + remembered
    except (OSError, ValueError) as error:
        raise OfficeKeyError(f"{', '.join(str(path) for path in paths)}: no certificate can be read there") from error


def examine(pdf: bytes, roots: list[Any]) -> Examination:
    """Whether the file carries one unbroken signature of ours that covers all of it.

    `changed`: bytes under the signature differ. `appended`: something was added after signing (an edit, or mere bytes).
    `foreign`: the signature is sound, but not by a key our CAs vouch for.
    """
    if not pdf[:1024].lstrip().startswith(b"%PDF-"):
        return Examination(finding="not_pdf")
    try:
        signatures = PdfFileReader(io.BytesIO(pdf), strict=False).embedded_regular_signatures
        if not signatures:
            return Examination(finding="unsigned")
        signature = signatures[0]
        moment = signature.self_reported_timestamp
        context = ValidationContext(trust_roots=roots, allow_fetching=False, moment=moment, best_signature_time=moment)
        status = validate_pdf_signature(signature, signer_validation_context=context)
    except Exception:
        # A file broken on purpose makes the parser stumble anywhere; whatever it was, it isn't what we signed.
        return Examination(finding="changed")
    signer = status.signing_cert.subject.native.get("common_name")
    if not (status.intact and status.valid):
        return Examination(finding="changed", signer=signer)
    if not status.trusted:
        return Examination(finding="foreign", signer=signer)
    whole = status.coverage is SignatureCoverageLevel.ENTIRE_FILE
    if len(signatures) != 1 or not whole or not status.bottom_line:
        return Examination(finding="appended", signer=signer)
    return Examination(finding="intact", signer=signer)


def _check(files: KeyFiles, passphrase: bytes | None) -> int:
    """The most bytes a signature of this key takes. Raises OfficeKeyError."""
    try:
        key = serialization.load_pem_private_key(files.key.read_bytes(), passphrase)
        cert = next(iter(_certificates((files.cert,))))
    except OSError as error:
        raise OfficeKeyError(f"{error.filename}: {error.strerror}") from error
    except (ValueError, TypeError, StopIteration) as error:
        raise OfficeKeyError(
            f"{files.key} can't be read with {'this' if passphrase else 'no'} passphrase; "
            "OFFICE_KEY_PASSPHRASE_FILE or the credential office_key_passphrase holds it"
        ) from error
    public = key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    if public != cert.public_key.dump():
        raise OfficeKeyError(f"{files.key} is not the key of the certificate {files.cert}")
    # An elliptic curve's signature is two numbers of the key's size in a DER sequence, RSA's one of its size.
    bits = int(getattr(key, "key_size", 512))
    return bits // 8 if isinstance(key, rsa.RSAPrivateKey) else 2 * (bits // 8) + 16


def _certificates(paths: tuple[Path, ...]) -> list[Any]:
    return list(load_certs_from_pemder([str(path) for path in paths]))  # type: ignore[no-untyped-call]
