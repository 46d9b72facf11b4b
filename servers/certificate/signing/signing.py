"""Signs a letter's PDF (PAdES, certified: no changes allowed) and examines signed ones. Doesn't use the ledger.

The key is in a file or a token. With a timestamp authority the signature is PAdES baseline-T, otherwise -B.
"""

from __future__ import annotations

import asyncio
import io
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.fields import InvisSigSettings, MDPPerm, SigFieldSpec, SigSeedSubFilter
from pyhanko.sign.signers import PdfSignatureMetadata, PdfSigner, SimpleSigner
from pyhanko.sign.timestamps.common_utils import TimestampRequestError
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko.sign.validation.status import SignatureCoverageLevel
from pyhanko_certvalidator import ValidationContext

from servers.certificate.settings import Timestamp, Token
from servers.certificate.signing.officekey import KeyFiles, OfficeKeyError, SigningWaits, certificates, opened
from servers.certificate.signing.pkcs11_token import TokenKey
from servers.certificate.signing.timestamps import Authority

log = logging.getLogger(__name__)

FIELD = "TandaTanganKantor"
# Space in the CMS object besides certificates and signature value: the signed attributes take 0.5 kB of it.
CMS_BYTES = 768

Finding = Literal["intact", "not_pdf", "unsigned", "unreadable", "changed", "appended", "foreign"]

# pyHanko logs certificates' contents when it can't validate; the finding says enough.
logging.getLogger("pyhanko").setLevel(logging.CRITICAL)
logging.getLogger("pyhanko_certvalidator").setLevel(logging.CRITICAL)


class OfficeSigner:
    """The office's key, loaded once from its file or used inside its token."""

    def __init__(
        self,
        files: KeyFiles,
        passphrase: bytes | None,
        office: str,
        token: Token | None = None,
        timestamp: Timestamp | None = None,
    ) -> None:
        """Raises OfficeKeyError if the key can't be read or used, or doesn't belong to the certificate."""
        certificate, chain = certificates(files.cert)[0], certificates(*files.chain)
        self._office = office
        self._token = TokenKey(token, certificate, chain) if token is not None else None
        self._own = _loaded(files, passphrase) if self._token is None else None
        self._authority = Authority(timestamp) if timestamp is not None else None
        # Computing the size here saves pyHanko a trial signature for each letter. It counts hexadecimal digits.
        encoded = sum(len(cert.dump()) for cert in (certificate, *chain))
        self._reserved = 2 * (encoded + _signature_size(certificate) + CMS_BYTES)
        if not signed_by(files.cert.read_text(), FIELD.encode(), self.statement(FIELD.encode())):
            raise OfficeKeyError(
                f"{files.key or 'the key in the token'} is not the key of the certificate {files.cert}"
            )

    def sign(self, pdf: bytes) -> bytes:
        """Return the PDF with the office's signature appended; about 7 kB longer, more with a timestamp.

        Raises SigningWaits if a retry may succeed: the token is absent, or the authority gives no timestamp.
        """
        if self._authority is None:
            return self._signed(pdf, None)
        try:
            signed = self._signed(pdf, self._authority)
            self._authority.check(signed)
        except TimestampRequestError as error:
            if self._authority.required:
                raise SigningWaits(str(error)) from error
            log.warning("signed without a timestamp: %s", error)
            return self._signed(pdf, None)
        return signed

    def statement(self, data: bytes) -> bytes:
        """Sign bytes with the office's key: ECDSA or RSA PKCS#1 v1.5, with SHA-256."""
        if self._own is not None:
            return bytes(self._own.sign_raw(data, "sha256"))
        with self._key() as key, ThreadPoolExecutor(1) as aside:  # the caller's thread may run a loop
            return bytes(aside.submit(asyncio.run, key.async_sign_raw(data, "sha256")).result())

    def _signed(self, pdf: bytes, authority: Authority | None) -> bytes:
        about = PdfSignatureMetadata(
            field_name=FIELD,
            name=self._office,
            md_algorithm="sha256",
            subfilter=SigSeedSubFilter.PADES,
            certify=True,
            docmdp_permissions=MDPPerm.NO_CHANGES,
        )
        # With a token or an authority the size is known only after a trial, which pyHanko makes.
        room = self._reserved if authority is None and self._token is None else None
        with self._key() as key:
            field = SigFieldSpec(FIELD, invis_sig_settings=InvisSigSettings(box_out_of_bounds=True))  # PDF/UA-1, 7.18.1
            signer = PdfSigner(about, key, timestamper=authority, new_field_spec=field)
            return bytes(signer.sign_pdf(IncrementalPdfFileWriter(io.BytesIO(pdf)), bytes_reserved=room).getvalue())

    def _key(self) -> AbstractContextManager[Any]:
        """Hold pyHanko's signer for the key in the file or the token."""
        return nullcontext(self._own) if self._token is None else self._token.signer()


def signed_by(certificate: str, data: bytes, signature: bytes) -> bool:
    """Return whether the key of this certificate (PEM) made this signature with `OfficeSigner.statement`."""
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


def examine(pdf: bytes, roots: list[Any]) -> Finding:
    """Check whether the file has exactly one intact signature of ours that covers all of it.

    For `intact` the ledger must still confirm that the office issued it.

    `unreadable`: damaged, possibly on purpose. `changed`: signed bytes differ. `appended`: something was added after
    signing (an edit, or just bytes). `foreign`: a valid signature by a key that our CAs don't certify.
    """
    if not pdf[:1024].lstrip().startswith(b"%PDF-"):
        return "not_pdf"
    try:
        signatures = PdfFileReader(io.BytesIO(pdf), strict=False).embedded_regular_signatures
        if not signatures:
            return "unsigned"
        signature = signatures[0]
        moment = signature.self_reported_timestamp
        context = ValidationContext(trust_roots=roots, allow_fetching=False, moment=moment, best_signature_time=moment)
        status = validate_pdf_signature(signature, signer_validation_context=context)
    except Exception:
        # A manipulated file can make the parser fail anywhere; in any case it isn't what we signed.
        return "unreadable"
    if not (status.intact and status.valid):
        return "changed"
    if not status.trusted:
        return "foreign"
    stamp = status.timestamp_validity
    if stamp is not None and not (stamp.intact and stamp.valid):  # whose stamp it is, readers judge
        return "changed"
    whole = status.coverage is SignatureCoverageLevel.ENTIRE_FILE
    if len(signatures) != 1 or not whole or not (status.seed_value_ok and status.docmdp_ok):
        return "appended"
    return "intact"


def _loaded(files: KeyFiles, passphrase: bytes | None) -> Any:
    """Load the key of a file. Raises OfficeKeyError."""
    assert files.key is not None
    opened(files.key, passphrase)
    return SimpleSigner.load(  # type: ignore[no-untyped-call]
        str(files.key), str(files.cert), [str(path) for path in files.chain], key_passphrase=passphrase
    )


def _signature_size(certificate: Any) -> int:
    """Return the maximum size of a signature in bytes: for EC two numbers in a DER sequence, for RSA one number."""
    size = int(certificate.public_key.byte_size)
    return size if certificate.public_key.algorithm == "rsa" else 2 * size + 16
